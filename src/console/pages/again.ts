import type { Hole } from '../../engine/domain/coverage.ts';
import type { EntityKind } from '../../engine/domain/object.ts';
import type { ReplayRun, ResyncProgress } from '../../engine/ports/console.ts';
import { html, type Markup } from '../html.ts';
import { formTokenField } from '../layout.ts';
import { LIST_KINDS, REPLAY_TYPES, type ReplayAsked, SPANS } from '../replay-form.ts';
import type { Page, Visit } from '../visit.ts';
import { ago, timeMarkup } from './times.ts';

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
export function againPage({ run, resyncs, progress, notice, told }: Shown, visit: Visit): Page {
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
export function confirmReplay({ request, kinds, count, most, notice }: Asked, visit: Visit): Page {
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
