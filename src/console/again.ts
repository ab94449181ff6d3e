import { aboutResync, noteAct } from '../operate/acts.ts';
// Reading again: people start it, and the worker carries it out. A resync reads the platform's lists. A replay reads the objects of a
// chosen time.

import type { Hole } from '../engine/coverage.ts';
import { type EntityKind, formatKey } from '../engine/object.ts';
import { countKinds, replayObjects } from '../operate/replay-plan.ts';
import type { ReplayRun } from '../platform/replay-runs.ts';
import type { ResyncProgress } from '../platform/resync-walk.ts';
import { html, type Markup } from './html.ts';
import { formTokenField } from './layout.ts';
import { readWhy } from './letters.ts';
import { ago, timeMarkup } from './pages/appointment-time.ts';
import type { ConsoleParts } from './parts.ts';
import {
  LIST_KINDS,
  REPLAY_TYPES,
  type ReplayAsked,
  readReplayForm,
  readResyncForm,
  SPANS,
} from './replay-form.ts';
import type { Answer, Page, Visit } from './visit.ts';

/** Most objects of one replay; for more there is the command, which has a terminal to wait in. */
const OBJECTS_MAX = 20_000;
/** How long a count of objects stays valid. */
const COUNTED_FOR_MS = 60_000;

/** `GET /console/again` */
export async function answerAgain(parts: ConsoleParts, visit: Visit, notice?: string): Promise<Answer> {
  const [run, progress, holes] = await Promise.all([
    parts.replays.current(),
    parts.resyncs.progress(),
    parts.resyncs.asked(),
  ]);
  const resyncs = await Promise.all(
    holes.map(async (hole) => ({ hole, expected: await expectedOf(parts, hole, visit.nowMs) })),
  );
  return againPage({ run, resyncs, progress, notice, told: visit.query.get('told') }, visit);
}

/** `POST /console/again/resync`. The same request twice starts one walk. */
export async function startResync(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { words, form } = visit;
  const request = readResyncForm(form);
  const why = readWhy(form);
  if (why === undefined) return answerAgain(parts, visit, words.letters.whyNeeded);
  if (request === undefined) return answerAgain(parts, visit, words.again.unclear);
  const asked = await parts.resyncs.request(request);
  if (asked === undefined) return answerAgain(parts, visit, words.again.busy);
  if (!asked.isKnown)
    await noteAct(parts, visit.visitor, { what: 'resync', why, about: aboutResync(request) });
  return { to: `/console/again?told=${asked.isKnown ? 'known' : 'started'}` };
}

/** `GET /console/again/replay`: shows how many objects a replay would give a turn, and asks for a reason. */
export async function confirmReplayOf(parts: ConsoleParts, visit: Visit, notice?: string): Promise<Answer> {
  const fields = notice === undefined ? visit.query : visit.form;
  const request = readReplayForm(fields, visit.nowMs);
  if (request === undefined) return answerAgain(parts, visit, visit.words.again.unclear);
  const keys = await chosenBy(parts, request);
  const kinds = countKinds(keys);
  return confirmReplay({ request, kinds, count: keys.length, most: OBJECTS_MAX, notice }, visit);
}

/** `POST /console/again/replay`. One replay runs at a time: a second request shows the first one. */
export async function startReplay(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { words, form } = visit;
  const request = readReplayForm(form, visit.nowMs);
  const why = readWhy(form);
  const shown = Number(form.get('count') || Number.NaN);
  if (request === undefined) return answerAgain(parts, visit, words.again.unclear);
  if (why === undefined) return confirmReplayOf(parts, visit, words.letters.whyNeeded);
  const keys = await chosenBy(parts, request);
  if (!(keys.length <= shown) || keys.length > OBJECTS_MAX)
    return confirmReplayOf(parts, visit, words.again.changed);
  if (keys.length === 0) return answerAgain(parts, visit, words.again.nothing);
  const { types, fromMs, toMs } = request;
  const acted = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    ...(types.length === 0 ? {} : { types: types.join(', ') }),
  };
  const note = () =>
    noteAct(parts, visit.visitor, {
      what: 'replayed',
      why,
      about: acted,
      objects: keys.map(formatKey),
      chosen: keys.length,
    });
  const begun = await parts.replays.start(keys, note);
  return begun === 'started'
    ? { to: '/console/again?told=started' }
    : answerAgain(parts, visit, words.again.busy);
}

/** `POST /console/again/stop` */
export async function stopReplay(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const isStopped = await parts.replays.stop();
  if (isStopped) await noteAct(parts, visit.visitor, { what: 'replay-stopped' });
  return { to: `/console/again${isStopped ? '?told=stopped' : ''}` };
}

function chosenBy(
  { journal, clock }: ConsoleParts,
  request: { readonly types: readonly string[]; readonly fromMs: number; readonly toMs: number },
) {
  return replayObjects(
    { events: [], objects: [], ...request },
    { journal, eventOnPlatform: async () => undefined, nowMs: clock.now() },
  );
}

const counted = new WeakMap<
  ConsoleParts,
  { readonly atMs: number; readonly counts: ReadonlyMap<string, number> }
>();

/** About how many objects a walk will show: as many as are known of its lists. */
async function expectedOf(parts: ConsoleParts, { request }: Hole, nowMs: number): Promise<number> {
  let known = counted.get(parts);
  if (known === undefined || nowMs - known.atMs > COUNTED_FOR_MS) {
    const counts = new Map<string, number>();
    for (const kind of LIST_KINDS) counts.set(kind, await parts.known.count(kind));
    known = { atMs: nowMs, counts };
    counted.set(parts, known);
  }
  const { counts } = known;
  return (request?.kinds ?? []).reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
}

interface Shown {
  readonly run: ReplayRun | undefined;
  /** Each with the approximate number of objects that it will show. */
  readonly resyncs: readonly { readonly hole: Hole; readonly expected: number }[];
  readonly progress: ResyncProgress;
  readonly notice: string | undefined;
  /** What has just been done, according to the address. */
  readonly told: string | null;
}

/** Shows what is being read again and how far it is, and lets people start. */
function againPage({ run, resyncs, progress, notice, told }: Shown, visit: Visit): Page {
  const { again } = visit.words;
  const done = told === null ? undefined : again.told[told];
  const isQuiet = resyncs.length === 0 && run === undefined;
  return {
    title: again.title,
    menu: 'again',
    live: 'about=runs',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<h1>${again.title}</h1><p class="lead">${again.lead}</p>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
${done !== undefined && html`<p class="notice good" role="status">${done}</p>`}
<div data-region="again">${isQuiet && html`<p class="spaced">${again.none}</p>`}<ul class="cards">
${resyncs.map((each) => resyncCard(each, progress, visit))}
${run !== undefined && replayCard(run, visit)}
</ul></div>
${visit.may('act') && html`<div class="forms">${resyncForm(visit)}${replayForm(visit)}</div>`}`,
  };
}

function bar(done: number, of: number, label: string): Markup {
  return html`<progress max="${Math.max(of, 1)}" value="${Math.min(done, of)}" aria-label="${label}"></progress>`;
}

function resyncCard(
  { hole, expected }: Shown['resyncs'][number],
  { walk }: ResyncProgress,
  { words, nowMs }: Visit,
): Markup {
  const { again } = words;
  const now = new Date(nowMs).toISOString();
  const isMine = walk?.holes.includes(hole.id) === true;
  const kinds = (hole.request?.kinds ?? []).map((kind) => again.lists[kind as (typeof LIST_KINDS)[number]]);
  const title = again.resyncOf(kinds.join(', '));
  return html`<li class="card"><h2 class="h3">${title}</h2>
<p class="small">${again.asked(ago(new Date(hole.foundAtMs).toISOString(), now, words))}</p>
${bar(isMine ? Math.min(walk?.objects ?? 0, expected * 0.99) : 0, expected, title)}
<p>${walk === undefined ? again.waits : isMine ? again.read(walk.objects, expected, again.lists[walk.kind as (typeof LIST_KINDS)[number]] ?? walk.kind) : again.waitsForOther}</p></li>`;
}

function replayCard(run: ReplayRun, visit: Visit): Markup {
  const { words, nowMs } = visit;
  const { again } = words;
  const now = new Date(nowMs).toISOString();
  const age = (ms: number) => ago(new Date(ms).toISOString(), now, words);
  const title = again.replayOf(run.objects);
  const isOpen = run.endedAtMs === undefined;
  return html`<li class="card"><h2 class="h3">${title}</h2>
<p class="small">${visit.may('see-people') && `${run.who}, `}${age(run.atMs)}</p>
${bar(run.handed + run.unknown, run.objects, title)}
<p>${again.handed(run.handed)}${run.unknown > 0 && ` ${again.unknown(run.unknown)}`}</p>
${run.endedAtMs !== undefined && html`<p><span class="badge ${run.isStopped ? 'busy' : 'well'}">${run.isStopped ? again.stopped(age(run.endedAtMs)) : again.ended(age(run.endedAtMs))}</span></p>`}
${isOpen && html`<p class="small">${again.behind}</p>`}
${isOpen && visit.may('act') && html`<form method="post" action="/console/again/stop">${formTokenField(visit)}<button type="submit" class="second">${again.stop}</button></form>`}</li>`;
}

function resyncForm(visit: Visit): Markup {
  const { again, letters } = visit.words;
  return html`<form method="post" action="/console/again/resync" class="card stack">${formTokenField(visit)}
<h2 class="h3">${again.resyncTitle}</h2><p>${again.resyncText}</p>
<fieldset><legend>${again.listsLabel}</legend>${LIST_KINDS.map(
    (kind) =>
      html`<label class="check"><input type="checkbox" name="list" value="${kind}" checked> ${again.lists[kind]}</label>`,
  )}</fieldset>
<p class="row"><label>${again.from}<input type="date" name="from"></label><label>${again.to}<input type="date" name="to"></label></p>
<label class="check"><input type="checkbox" name="force" value="yes"> ${again.force}</label>
<label for="why-resync">${letters.why}</label><input id="why-resync" name="why" required maxlength="500" autocomplete="off">
<p><button type="submit">${again.resyncButton}</button></p></form>`;
}

function replayForm(visit: Visit): Markup {
  const { again, letters } = visit.words;
  return html`<form method="get" action="/console/again/replay" class="card stack">
<h2 class="h3">${again.replayTitle}</h2><p>${again.replayText}</p>
<label for="span">${again.span}</label><select id="span" name="span">${Object.keys(SPANS).map(
    (span) => html`<option value="${span}">${again.spans[span as keyof typeof SPANS]}</option>`,
  )}</select>
<label for="type">${again.type}</label><select id="type" name="type"><option value="">${letters.any}</option>${REPLAY_TYPES.map(
    (type) => html`<option value="${type}">${again.types[type]}</option>`,
  )}</select>
<p><button type="submit" class="second">${again.count}</button></p></form>`;
}

interface Asked {
  readonly request: ReplayAsked;
  readonly kinds: Partial<Record<EntityKind, number>>;
  readonly count: number;
  /** Most objects of one replay. */
  readonly most: number;
  readonly notice: string | undefined;
}

/** Shows how many objects of which kinds, and asks for a reason before anything is done. */
function confirmReplay({ request, kinds, count, most, notice }: Asked, visit: Visit): Page {
  const { words, nowMs } = visit;
  const { again, letters, frame, story } = words;
  const back = html`<a href="/console/again">${frame.back}</a>`;
  const now = new Date(nowMs).toISOString();
  const at = (ms: number) => timeMarkup(new Date(ms).toISOString(), now);
  const isPossible = count > 0 && count <= most;
  const title = count === 0 ? again.nothing : again.replayOf(count);
  const hidden = { from: request.fromMs, to: request.toMs, type: request.types[0] ?? '', count };
  return {
    title,
    menu: 'again',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<section class="message"><h1>${title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
<p>${at(request.fromMs)} – ${at(request.toMs)}</p>
<ul class="plain">${Object.entries(kinds).map(([kind, some]) => html`<li>${story.kinds[kind as EntityKind]}: ${words.number(some)}</li>`)}</ul>
${count > most && html`<p>${again.tooMany(most)}</p>`}
${
  isPossible
    ? html`<p>${again.replayMeans}</p><form method="post" action="/console/again/replay" class="stack">${formTokenField(visit)}
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="why">${letters.why}</label><input id="why" name="why" required maxlength="500" autocomplete="off">
<p class="row"><button type="submit">${again.replayButton}</button> ${back}</p></form>`
    : html`<p>${back}</p>`
}</section>`,
  };
}
