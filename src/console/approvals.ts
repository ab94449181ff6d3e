// What was stopped as too much at once and waits for a person. The page shows what would happen. After a count and a reason it approves
// that, as `slotbridge approve` does. Waiting dead letters then get a turn immediately.
import { type EntityKey, formatKey, parseKey } from '../engine/object.ts';
import { noteAct } from '../operate/acts.ts';
import {
  approveParked,
  countApprovals,
  declineParked,
  digestOf,
  mayDecline,
  type Waiting,
  type WaitingCount,
  waitingNow,
} from '../operate/approvals.ts';
import { type FoundObject, look } from './found.ts';
import { html, type Markup } from './html.ts';
import { formTokenField } from './layout.ts';
import { endLetters, readWhy } from './letters.ts';
import { withCode } from './pages/advice.ts';
import { ago, timeMarkup } from './pages/appointment-time.ts';
import { objectsTable } from './pages/objects-table.ts';
import type { ConsoleParts } from './parts.ts';
import { textForEyes } from './person.ts';
import type { Answer, Page, Visit } from './visit.ts';

/** Objects shown with their details; the others are named. */
const OBJECTS_SHOWN_MAX = 20;

/** `GET /console/approvals` */
export async function answerApprovals(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const text = textForEyes(visit);
  const waiting = (await countApprovals(parts)).map((each) => ({ ...each, place: text(each.place) }));
  const until = Number(visit.query.get('until') || Number.NaN);
  return approvalsPage(waiting, visit, Number.isSafeInteger(until) ? until : undefined);
}

/** `GET /console/approvals/allow?name=…&kind=…`: what an approval would do, and to which objects. */
export async function confirmAllow(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  return confirm(parts, visit, { waiting: await waitingFor(parts, visit.query) });
}

/** `POST /console/approvals/allow`. Approves or declines no more than the page showed. A second person finds that nothing waits. */
export async function allow(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { form, words } = visit;
  const waiting = await waitingFor(parts, form);
  const why = readWhy(form);
  const shown = Number(form.get('count') || Number.NaN);
  if (waiting === undefined) return confirm(parts, visit, { waiting });
  if (why === undefined) return confirm(parts, visit, { waiting, notice: words.letters.whyNeeded });
  if (!(waiting.count <= shown) || form.get('digest') !== digestOf(waiting))
    return confirm(parts, visit, { waiting, notice: words.approvals.changed });
  const about = { approval: waiting.name };
  const objects = membersOf(waiting).filter((name) => keyNamed(name) !== undefined);
  if (form.get('verdict') === 'decline' && mayDecline(waiting)) {
    const declined = await noteAct(parts, visit.visitor, {
      what: 'declined',
      why,
      about,
      objects,
      chosen: waiting.count,
    });
    const { done = waiting.count } = await declineParked(parts, waiting);
    await parts.acts.note({ ...declined, done });
    return { to: '/console/approvals' };
  }
  const act = await noteAct(parts, visit.visitor, {
    what: 'approved',
    why,
    about,
    objects,
    chosen: waiting.count,
  });
  const { untilMs, done = waiting.count } = await approveParked(parts, waiting);
  const { causes, letters, members } = waiting;
  let turns = 0;
  // An approval without members holds for all letters, also for those that the page did not name.
  for await (const some of members === undefined ? parts.deadLetters.each({ causes }) : [letters])
    turns += await endLetters(parts, some, { action: 'retry', why });
  await parts.acts.note({ ...act, done: causes.length === 0 ? done : turns });
  return { to: untilMs === undefined ? '/console/approvals' : `/console/approvals?until=${untilMs}` };
}

async function waitingFor(parts: ConsoleParts, fields: URLSearchParams): Promise<Waiting | undefined> {
  const [name, kind] = [fields.get('name'), fields.get('kind')];
  return waitingNow(parts, { name, kind });
}

function membersOf({ members = [], letters }: Waiting): readonly string[] {
  return [...new Set([...members, ...letters.map(({ key }) => key)])];
}

/** Undefined for a member that is no object. */
function keyNamed(name: string): EntityKey | undefined {
  const key = parseKey(name);
  return key === undefined || formatKey(key) !== name ? undefined : key;
}

async function confirm(
  parts: ConsoleParts,
  visit: Visit,
  { waiting, notice }: { readonly waiting: Waiting | undefined; readonly notice?: string },
): Promise<Answer> {
  const all = waiting === undefined ? [] : membersOf(waiting);
  const keys = all.slice(0, OBJECTS_SHOWN_MAX);
  const objects = await Promise.all(
    keys.flatMap((name) => {
      const key = keyNamed(name);
      return key === undefined ? [] : [look(parts, key, visit)];
    }),
  );
  return confirmApproval({ waiting, objects, others: all.slice(OBJECTS_SHOWN_MAX), notice }, visit);
}

/** What waits for a person, each with its consequence. `untilMs`: a person has just approved something until then. */
function approvalsPage(waiting: readonly WaitingCount[], visit: Visit, untilMs: number | undefined): Page {
  const { words, nowMs } = visit;
  const { approvals } = words;
  const now = new Date(nowMs).toISOString();
  return {
    title: approvals.title,
    menu: 'approvals',
    live: 'about=all',
    body: html`<h1>${approvals.title}</h1><p class="lead">${approvals.lead}</p>
${untilMs !== undefined && html`<p class="notice good" role="status">${approvals.done}${timeMarkup(new Date(untilMs).toISOString(), now)}</p>`}
<div data-region="approvals">${
      waiting.length === 0
        ? html`<section class="hero well"><h2>${approvals.none}</h2></section>`
        : html`<ul class="cards">${waiting.map((each) => card(each, visit, now))}</ul>`
    }</div>`,
  };
}

function card(waiting: WaitingCount, visit: Visit, now: string): Markup {
  const { words } = visit;
  const { approvals } = words;
  const { kind, name, place, count, sinceMs, approvedUntilMs, causes } = waiting;
  return html`<li class="card wrong"><h2 class="h3">${approvals.titles[kind](count)}</h2>
${place !== '' && html`<p class="code small">${place}</p>`}
${sinceMs !== undefined && html`<p class="small">${approvals.since(ago(new Date(sinceMs).toISOString(), now, words))}</p>`}
<p>${withCode(approvals.means[kind](waiting))}</p>
${approvedUntilMs !== undefined && html`<p><span class="badge busy">${approvals.approvedUntil}${timeMarkup(new Date(approvedUntilMs).toISOString(), now)}</span></p>`}
<p class="row">${visit.may('act') && html`<a class="button" href="/console/approvals/allow?${new URLSearchParams({ name, kind }).toString()}">${approvals.look}</a>`}
${causes.length > 0 && visit.may('see-people') && html`<a class="button second" href="/console/letters?${lettersOf(waiting)}">${words.story.showLetters}</a>`}</p></li>`;
}

/** The query for the letters that wait, so that people can discard them too. */
function lettersOf({ kind, place, causes }: WaitingCount): string {
  const code = kind === 'mails' ? 'mail-storm' : 'mass-deletion';
  const targets = causes.flatMap(({ reasons }) => reasons.map((reason) => reason.target ?? ''));
  const target = targets.find((each) => place !== '' && each.endsWith(`:${place}`));
  return new URLSearchParams({ code, ...(target !== undefined && { place: target }) }).toString();
}

interface Asked {
  /** Undefined: it no longer waits. */
  readonly waiting: Waiting | undefined;
  /** Some of the objects that it concerns. */
  readonly objects: readonly FoundObject[];
  /** Keys of all others that it concerns. */
  readonly others: readonly string[];
  readonly notice: string | undefined;
}

/** Shows how many, which, and what would happen, and asks for a reason before anything is done. */
function confirmApproval({ waiting, objects, others, notice }: Asked, visit: Visit): Page {
  const { approvals, letters, frame, home } = visit.words;
  const back = html`<a href="/console/approvals">${frame.back}</a>`;
  if (waiting === undefined) {
    return {
      title: approvals.gone,
      menu: 'approvals',
      body: html`<section class="message"><h1>${approvals.gone}</h1><p>${approvals.goneText}</p><p>${back}</p></section>`,
    };
  }
  const { kind, name, place, count, members, rest = 0 } = waiting;
  const title = approvals.titles[kind](count);
  return {
    title,
    menu: 'approvals',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<section class="message wide"><h1>${title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
${place !== '' && html`<p class="code small">${place}</p>`}
<p>${withCode(approvals.means[kind](waiting))}</p><p>${approvals.hour[kind]}</p>
${rest > 0 && html`<p>${members === undefined ? home.more(rest) : approvals.rest(rest)}</p>`}
${objects.length > 0 && objectsTable(objects, visit)}${others.length > 0 && html`<details><summary>${home.more(others.length)}</summary><ul class="plain small">${others.map((key) => html`<li><a class="code" href="/console/object/${key}">${key}</a></li>`)}</ul></details>`}
<form method="post" action="/console/approvals/allow" class="stack">${formTokenField(visit)}
<input type="hidden" name="name" value="${name}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="count" value="${count}"><input type="hidden" name="digest" value="${digestOf(waiting)}">
<label for="why">${letters.why}</label>
<input id="why" name="why" required maxlength="500" autocomplete="off">
<p class="row"><button type="submit" class="danger">${approvals.button}</button> ${mayDecline(waiting) && html`<button type="submit" name="verdict" value="decline" class="second">${approvals.decline}</button> `}${back}</p>
</form></section>`,
  };
}
