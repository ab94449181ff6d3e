import { WorkerError } from '../engine/domain/errors.ts';
import { minuteOf } from '../engine/domain/pace.ts';
import { paceSteps } from '../operate/pace.ts';
import { actsFile } from './acts.ts';
import { answerAgain, confirmReplayOf, startReplay, startResync, stopReplay } from './again.ts';
import { allow, answerApprovals, confirmAllow } from './approvals.ts';
import { answerChanges } from './changes.ts';
import { answerCompare, downloadCompare, startCompare } from './compare.ts';
import type { Comparison } from './comparison.ts';
import { CountedSearches } from './counted-searches.ts';
import { forEyes } from './eyes.ts';
import { html } from './html.ts';
import { LETTER_ACTIONS } from './letter-action.ts';
import { actOnLetters, answerLetters, confirmLetters } from './letters.ts';
import { actsPage } from './pages/acts.ts';
import { homePage } from './pages/home.ts';
import { searchPage } from './pages/search.ts';
import type { ConsoleParts } from './parts.ts';
import { answerSearch } from './search.ts';
import { answerStory, keyIn } from './story.ts';
import type { Answer, Route, Visit } from './visit.ts';

/** How long a worker counts as present: it reports every two seconds. */
const WORKER_SEEN_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Most entries of the audit log on the page, and in the download. */
const ACTS_SHOWN_MAX = 200;
const ACTS_TAKEN_MAX = 4_000;

/** Every route that needs a session, each with its right. `test/console/access.test.ts` requests each one as every role. */
export function routesOf(parts: ConsoleParts, comparison: Comparison): readonly Route[] {
  const trace = new CountedSearches(parts);
  const letters = LETTER_ACTIONS.flatMap((action): Route[] => [
    {
      ...{ method: 'GET', path: `/letters/${action}`, right: 'act' },
      answer: (visit) => confirmLetters(parts, visit, action),
    },
    {
      ...{ method: 'POST', path: `/letters/${action}`, right: 'act' },
      answer: (visit) => actOnLetters(parts, visit, action),
    },
  ]);
  return [
    {
      ...{ method: 'GET', path: '/', right: 'see-state' },
      answer: (visit) => answerHome(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/object/*', right: 'see-state' },
      answer: (visit) => answerStory(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/row/*', right: 'see-people' },
      answer: (visit) => answerRowLink(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/changes', right: 'see-state' },
      answer: (visit) => answerChanges(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/letters', right: 'see-state' },
      answer: (visit) => answerLetters(parts, visit),
    },
    ...letters,
    {
      ...{ method: 'GET', path: '/approvals', right: 'see-state' },
      answer: (visit) => answerApprovals(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/approvals/allow', right: 'act' },
      answer: (visit) => confirmAllow(parts, visit),
    },
    {
      ...{ method: 'POST', path: '/approvals/allow', right: 'act' },
      answer: (visit) => allow(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/again', right: 'see-state' },
      answer: (visit) => answerAgain(parts, visit),
    },
    {
      ...{ method: 'POST', path: '/again/resync', right: 'act' },
      answer: (visit) => startResync(parts, visit),
    },
    {
      ...{ method: 'GET', path: '/again/replay', right: 'act' },
      answer: (visit) => confirmReplayOf(parts, visit),
    },
    {
      ...{ method: 'POST', path: '/again/replay', right: 'act' },
      answer: (visit) => startReplay(parts, visit),
    },
    { ...{ method: 'POST', path: '/again/stop', right: 'act' }, answer: (visit) => stopReplay(parts, visit) },
    {
      ...{ method: 'GET', path: '/compare', right: 'see-state' },
      answer: async (visit) => answerCompare(comparison, visit),
    },
    {
      ...{ method: 'POST', path: '/compare', right: 'act' },
      answer: (visit) => startCompare(parts, comparison, visit),
    },
    {
      ...{ method: 'GET', path: '/compare.csv', right: 'see-state' },
      answer: async (visit) => downloadCompare(comparison, visit),
    },
    {
      ...{ method: 'GET', path: '/search', right: 'see-state' },
      answer: async (visit) => {
        prepareSearch(parts, visit);
        return searchPage('ask', visit);
      },
    },
    {
      ...{ method: 'POST', path: '/search', right: 'see-state' },
      answer: (visit) => answerSearch(parts, visit, trace),
    },
    {
      ...{ method: 'GET', path: '/acts', right: 'see-acts' },
      answer: async (visit) => actsPage(await parts.acts.newest(ACTS_SHOWN_MAX), visit),
    },
    {
      ...{ method: 'GET', path: '/acts.csv', right: 'see-acts' },
      answer: async () => actsFile(await parts.acts.newest(ACTS_TAKEN_MAX)),
    },
  ];
}

async function answerHome(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  prepareSearch(parts, visit);
  const { nowMs } = visit;
  const now = minuteOf(nowMs);
  const [report, workers, platform, minutes] = await Promise.all([
    parts.status.read(),
    parts.workersSince(nowMs - WORKER_SEEN_MS),
    parts.platformBudget(),
    parts.pace.between(now - DAY_MINUTES, now),
  ]);
  const charted = {
    hour: paceSteps(minutes, { nowMs, steps: 60, minutesEach: 1 }),
    day: paceSteps(minutes, { nowMs, steps: 96, minutesEach: 15 }),
  };
  const used = forEyes(visit, parts.usage.read());
  return homePage(forEyes(visit, report), { workers, charted, budgets: { platform, used } }, visit);
}

/** A person who signs in may search next, so the slow part of a search is prepared meanwhile. */
function prepareSearch({ people, log }: ConsoleParts, visit: Visit): void {
  if (visit.may('see-people'))
    people.prepare().catch((err: unknown) => log.debug({ err }, 'search not prepared'));
}

/** `GET /console/row/<mirror>/<kind>/<id>`: redirects to the row where it is now. */
async function answerRowLink(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const slash = visit.rest.indexOf('/');
  const [name, key] = [visit.rest.slice(0, slash), keyIn(visit.rest.slice(slash + 1))];
  if (!parts.hasGoogle || slash < 0 || key === undefined) return rowPage('gone', visit);
  try {
    const place = await parts.rows.placeOf(key, name);
    if (place === undefined) return rowPage('gone', visit);
    const { spreadsheetId, sheetId, row } = place;
    const book = `https://docs.google.com/spreadsheets/d/${encodeURIComponent(spreadsheetId)}/edit`;
    return { to: `${book}#gid=${sheetId}&range=A${row}` };
  } catch (err) {
    if (!(err instanceof WorkerError)) throw err;
    parts.log.debug({ err }, 'row not read');
    return rowPage('unread', visit);
  }
}

function rowPage(why: 'gone' | 'unread', { words }: Visit): Answer {
  const { story, errors } = words;
  return {
    title: story.rowGone,
    status: why === 'gone' ? 404 : 503,
    body: html`<section class="message"><h1>${story.rowGone}</h1><p>${
      why === 'gone' ? story.rowGoneText : story.rowUnreadText
    }</p><p><a href="/console">${errors.back}</a></p></section>`,
  };
}
