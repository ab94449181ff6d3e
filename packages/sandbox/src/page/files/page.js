// Polls the state once a second while the page is visible. An unchanged state comes back as a 304 without a body.
import { showDesk } from './desk.js';
import { $, $$, addDays } from './dom.js';
import { showSheet, showTabs } from './sheet.js';
import { openNewEvent, showWeek } from './week.js';
import { chooseOther, language, t, translatePage } from './words.js';

const ASK_EVERY_MS = 1000;
const SAID_MS = 6000;
const chosen = { week: undefined, book: undefined, tab: undefined };
let tag;
let last;
let timer;
let looks = 0;

/** Shows the answer, unless a newer look has been asked meanwhile: it may be for another week. */
async function look() {
  clearTimeout(timer);
  looks += 1;
  const mine = looks;
  try {
    const asked = Object.entries(chosen).filter(([, value]) => value !== undefined);
    const path = `/state?${new URLSearchParams(asked)}`;
    const answer = await fetch(path, {
      cache: 'no-store',
      headers: tag === undefined ? {} : { 'if-none-match': tag },
    });
    const state = answer.status === 200 ? await answer.json() : undefined;
    if (mine !== looks) return;
    if (state !== undefined) {
      tag = answer.headers.get('etag') ?? undefined;
      show(state);
    }
    say($('#live'), t('live'), 'on');
  } catch {
    if (mine !== looks) return;
    say($('#live'), t('waiting for the sandbox'), 'off');
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, ASK_EVERY_MS);
}

function show(state) {
  last = state;
  showDesk(state, ask);
  showWeek(state, ask);
  showTabs(state, (book, tab) => {
    Object.assign(chosen, { book, tab });
    look();
  });
  showSheet(state, ask);
}

/** Sends an act. Returns true when it was done. */
async function ask(act) {
  // The week is shown before the change is made, so that the user sees it arrive, or why it is refused.
  if (act.start) {
    chosen.week = act.start.slice(0, 10);
    await look();
  }
  try {
    const answer = await fetch(`/act?language=${language}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(act),
    });
    const { said, refused, error } = await answer.json();
    tell(said ?? refused ?? error ?? t('The sandbox refused.'), said !== undefined);
    if (said !== undefined && act.act === 'rename-tab') chosen.tab = act.to.trim();
    look();
    return said !== undefined;
  } catch {
    tell(t('The sandbox does not answer.'), false);
    return false;
  }
}

let silence;

function tell(text, isGood) {
  const open = $('dialog[open]');
  // Text behind a dialog is neither visible nor read aloud, so show the message inside the dialog.
  (open ?? document.body).append($('#said'));
  say($('#said'), text, isGood ? 'good' : 'bad');
  clearTimeout(silence);
  silence = setTimeout(() => {
    document.body.append($('#said'));
    say($('#said'), '', '');
  }, SAID_MS);
}

function say(element, text, kind) {
  if (element.textContent !== text) element.textContent = text;
  element.dataset.kind = kind;
}

for (const button of $$('[data-week]')) {
  button.addEventListener('click', () => {
    const step = Number(button.dataset.week);
    chosen.week = step === 0 || last === undefined ? undefined : addDays(last.week, 7 * step);
    look();
  });
}
$('#new-event').addEventListener('click', () => last && openNewEvent(last, ask));
$('#language').addEventListener('click', chooseOther);
document.addEventListener('visibilitychange', look);
translatePage();
look();
