// Whether everything is mirrored, up to when, and when that was proved. Also what needs a person, each with its remedy.

import type { WorkerSeen } from '../../engine/processes.ts';
import type { PlatformBudget } from '../../engine/quotas.ts';
import { askedResyncs, HOLE_AGE_MS_MAX, realHoles } from '../../operate/holes.ts';
import type { PaceStep, Used } from '../../operate/process-reports.ts';
import type { HoleReport, QuotaReport, StatusReport } from '../../operate/status-report.ts';
import { statusVerdict } from '../../operate/verdict.ts';
import { html, type Markup } from '../html.ts';
import type { Page, Visit } from '../visit.ts';
import type { Words } from '../words/en.ts';
import { toldCode } from './advice.ts';
import { ago, secondsBetween, timeMarkup } from './appointment-time.ts';

export function homePage(
  report: StatusReport,
  about: {
    readonly workers: readonly WorkerSeen[];
    readonly charted: Charted;
    readonly budgets: Budgets;
    /** The table of the event feed, calendars and tabs. */
    readonly places: Markup;
  },
  { words }: Visit,
): Page {
  const { home } = words;
  const { workers, charted, budgets, places } = about;
  const { mood } = statusVerdict(report);
  return {
    title: home[mood],
    menu: 'home',
    live: 'about=all',
    body: html`<div data-region="home">
<section class="hero ${mood}"><h1>${home[mood]}</h1><p>${covered(report, words)}</p></section>
${needs(report, words)}
<section aria-labelledby="now"><h2 id="now">${home.now}</h2>${tiles(report, words)}${charts(charted, words)}</section>
<section aria-labelledby="sources"><h2 id="sources">${home.sources}</h2>${places}</section>
${holes(report, words)}
<section aria-labelledby="quotas"><h2 id="quotas">${home.quotas}</h2>${quotasTable(report, budgets, words)}</section>
<section aria-labelledby="workers"><h2 id="workers">${home.workers}</h2>${workersTable(report, workers, words)}</section>
</div>`,
  };
}

function covered({ at, coverage, holes: all }: StatusReport, words: Words): Markup | string {
  const { covered_until, proved_ago_s } = coverage.feed;
  const { home } = words;
  if (covered_until === null || proved_ago_s === null) return home.uncovered;
  const missed = realHoles(all).length;
  return html`${missed === 0 ? home.covered : home.coveredBut(missed)}<strong>${timeMarkup(covered_until, at)}</strong>${home.proved(words.ago(proved_ago_s))}`;
}

function needs(report: StatusReport, words: Words): Markup | undefined {
  const { home } = words;
  const all = needsOf(report, words);
  if (all.length === 0) return undefined;
  return html`<section aria-labelledby="needs"><h2 id="needs">${home.needs}</h2><ul class="cards">
${all.map(
  (
    need,
  ) => html`<li class="card wrong"><h3>${need.title}${need.code !== undefined && html` <span class="code small">${need.code}</span>`}</h3>
${need.since !== undefined && html`<p class="small">${need.since}</p>`}
${need.code === undefined ? html`<p>${need.message}</p>` : toldCode(need.code, need, words)}
${need.link !== undefined && html`<p><a class="button" href="${need.link}">${home.show}</a></p>`}</li>`,
)}
</ul></section>`;
}

function tiles({ pending, lag_s }: StatusReport, words: Words): Markup {
  const { home, number, duration } = words;
  const seconds = (value: number | null) => (value === null ? home.none : words.seconds(value));
  const tile = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles">
${tile(home.pending, number(pending.objects))}
${tile(home.oldest, pending.oldest_age_s === null ? home.none : duration(pending.oldest_age_s))}
${tile(home.rows, number(pending.sheet_rows))}
${tile(home.atWork, number(pending.in_flight ?? 0))}
${tile(home.half, seconds(lag_s.p50))}
${tile(home.most, seconds(lag_s.p99))}
</dl>`;
}

const HOLES_SHOWN_MAX = 10;

function holes({ holes: all, at }: StatusReport, words: Words): Markup | undefined {
  const { home } = words;
  const real = realHoles(all);
  if (real.length === 0) return undefined;
  return html`<section aria-labelledby="holes"><h2 id="holes">${home.holes}</h2><ul class="plain">
${real
  .slice(0, HOLES_SHOWN_MAX)
  .map(
    ({ source, cause, from, to }) =>
      html`<li>${home.holeOf(words.codes.holeSources[source] ?? source, words.codes.causes[cause] ?? cause)}: ${
        from === null ? home.beginning : timeMarkup(from, at)
      } – ${to === null ? home.growing : timeMarkup(to, at)}</li>`,
  )}
${real.length > HOLES_SHOWN_MAX && html`<li>${home.more(real.length - HOLES_SHOWN_MAX)}</li>`}
</ul></section>`;
}

/** The worker that answers is always shown, even where processes cannot be distinguished. */
function workersTable(
  { version, started_at, at }: StatusReport,
  workers: readonly WorkerSeen[],
  words: Words,
): Markup {
  const { home } = words;
  const runs = started_at === null ? '' : home.runs(words.duration(secondsBetween(started_at, at)));
  const others = workers.filter(({ isThis }) => !isThis);
  return html`<div class="scroll"><table><thead><tr><th scope="col">${home.worker}</th><th scope="col">${home.version}</th><th scope="col">${home.seen}</th></tr></thead><tbody>
<tr><th scope="row">${home.thisOne}</th><td data-label="${home.version}">${version}</td><td>${runs}</td></tr>
${others.map(
  (other) =>
    html`<tr><th scope="row">${home.process(other.pid)}</th><td data-label="${home.version}">${other.version ?? home.none}</td><td data-label="${home.seen}">${ago(new Date(other.atMs).toISOString(), at, words)}</td></tr>`,
)}
</tbody></table></div>`;
}

/** What all workers wrote within the last hour and the last day, and how late. */
interface Charted {
  readonly hour: readonly PaceStep[];
  readonly day: readonly PaceStep[];
}

const WIDTH = 240;
const HEIGHT = 44;

function charts({ hour, day }: Charted, words: Words): Markup {
  const { home } = words;
  return html`<div class="charts">${[
    chart(hour, { title: home.lastHour, each: home.minute }, words),
    chart(day, { title: home.lastDay, each: home.quarter }, words),
  ]}</div>`;
}

function chart(
  steps: readonly PaceStep[],
  { title, each }: { readonly title: string; readonly each: string },
  words: Words,
): Markup {
  const { home, number, seconds } = words;
  const writes = steps.map((step) => step.writes);
  const lags = steps.map((step) => step.slowestS ?? 0);
  const all = writes.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...lags);
  return html`<figure class="panel"><figcaption>${title}</figcaption>
<p><strong>${home.writes(number(all))}</strong> <span class="small">${each}</span></p>${bars(writes, 'writes')}
<p><strong>${home.slowest(all === 0 ? home.none : seconds(most))}</strong></p>${bars(lags, 'lag')}</figure>`;
}

/** The text beside the bars has the numbers; the bars show when. */
function bars(values: readonly number[], name: string): Markup {
  const top = Math.max(...values);
  const width = WIDTH / values.length;
  const bar = (value: number, at: number) => {
    const height = top === 0 ? 0 : Math.max(value > 0 ? 2 : 0, (value / top) * HEIGHT);
    return (
      height > 0 &&
      html`<rect x="${(at * width).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(width * 0.8).toFixed(1)}" height="${height.toFixed(1)}"/>`
    );
  };
  return html`<svg class="bars ${name}" viewBox="0 0 ${WIDTH} ${HEIGHT + 1}" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path d="M0 ${HEIGHT + 0.5}H${WIDTH}"/>${values.map(bar)}</svg>`;
}

/** One thing that needs a person. */
interface Need {
  readonly title: string;
  /** Code of the worker; its meaning and advice are in the dictionary. */
  readonly code?: string;
  readonly since?: string;
  readonly message?: string;
  /** What the worker says to do in this very case, in English. */
  readonly advice?: string;
  readonly names?: readonly string[] | undefined;
  /** The page on which people fix it. */
  readonly link?: string;
}

const APPROVALS = '/console/approvals';
const WAIT_FOR_APPROVAL: ReadonlySet<string> = new Set([
  ...['mass-deletion', 'mass-erasure', 'mail-storm', 'blocks-mass-cancel', 'mass-edit', 'mass-booking'],
]);

/**
 * Everything that `statusVerdict` counts as wrong, one by one: problems, dead letters by cause, sources that are not read, holes that stay
 * open.
 */
function needsOf(report: StatusReport, words: Words): readonly Need[] {
  const { home } = words;
  const { at, problems, dead_letters, coverage, holes } = report;
  const isOld = (hole: HoleReport) => Date.parse(at) - Date.parse(hole.found_at) > HOLE_AGE_MS_MAX;
  const old = realHoles(holes).filter(isOld).length;
  const hanging = askedResyncs(holes).filter(isOld).length;
  const unread = [
    ...(coverage.feed.reading === 'unread' ? [home.feed] : []),
    ...coverage.calendars.filter(({ reading }) => reading === 'unread').map(({ calendar }) => calendar),
    ...coverage.intake_sheets.filter(({ reading }) => reading === 'unread').map(({ entry }) => entry),
  ];
  return [
    ...problems.map(({ target, code, message, advice, names, since }) => ({
      ...{ title: `${words.codes.target(target)}: ${words.codes.tell(code).title}`, code, message, names },
      since: home.since(words.duration(secondsBetween(since, at))),
      ...(advice === null ? {} : { advice }),
      ...(WAIT_FOR_APPROVAL.has(code) ? { link: APPROVALS } : {}),
    })),
    ...Object.entries(dead_letters.by_code)
      .sort(([, a], [, b]) => b - a)
      .map(([code, count]) => ({
        ...{ title: `${home.lettersOf(count)}: ${words.codes.tell(code).title}`, code },
        link: WAIT_FOR_APPROVAL.has(code) ? APPROVALS : `/console/letters?${new URLSearchParams({ code })}`,
      })),
    ...unread.map((source) => ({ title: home.unread(source), message: home.unreadText })),
    ...(old > 0 ? [{ title: home.oldHoles(old), message: home.oldHolesText }] : []),
    ...(hanging > 0 ? [{ title: home.oldResyncs(hanging), message: home.oldHolesText }] : []),
  ];
}

interface Budgets {
  readonly platform: PlatformBudget;
  /** What the answering worker alone has used. */
  readonly used: readonly Used[];
}

const PURPOSES_SHOWN_MAX = 6;

/** The budgets of the platform and of Google: how much is used, for what, and how many requests wait. */
function quotasTable({ quotas, at }: StatusReport, budgets: Budgets, words: Words): Markup {
  const { home } = words;
  return html`<div class="scroll"><table><thead><tr><th scope="col">${home.budget}</th><th scope="col">${home.spent}</th><th scope="col">${home.usedFor}</th><th scope="col" class="n">${home.waiting}</th></tr></thead><tbody>
${platformRow(budgets, words)}
${quotas.map((quota) => googleRow(quota, { at, budgets }, words))}
</tbody></table></div>
${quotas.length === 0 && html`<p class="muted spaced">${home.unused}</p>`}<p class="small spaced">${home.usedHere}</p>`;
}

function platformRow({ platform, used }: Budgets, words: Words): Markup {
  const { home } = words;
  const { limit, left, renewedInMs, pausedForMs } = platform;
  const rest = pausedForMs > 0 ? home.restsFor : home.renewedIn;
  const waitMs = Math.max(pausedForMs, renewedInMs);
  return html`<tr><th scope="row">${home.platform}</th>
<td data-label="${home.spent}">${limit === undefined ? home.untold : gauge(limit - (left ?? limit), limit, words)}${
    waitMs > 0 && html`<br><span class="small">${rest(words.duration(Math.ceil(waitMs / 1_000)))}</span>`
  }</td>
<td data-label="${home.usedFor}">${purposes('platform', used, words)}</td><td class="n" data-label="${home.waiting}">${home.none}</td></tr>`;
}

function googleRow(
  { name, target, spent, limit, admitted, waiting, paused_until }: QuotaReport,
  { at, budgets }: { readonly at: string; readonly budgets: Budgets },
  words: Words,
): Markup {
  const { home, number } = words;
  const [api = '', credential = ''] = name.split(':');
  return html`<tr><th scope="row">${home.budgets[api] ?? api} <span class="small code">${credential}</span>${target !== null && html` <span class="small">${target}</span>`}</th>
<td data-label="${home.spent}">${gauge(spent, limit, words)}${
    admitted < limit && html`<br><span class="small">${home.lowered(admitted)}</span>`
  }${paused_until !== null && html`<br><span class="small">${home.pausedUntil}${timeMarkup(paused_until, at)}</span>`}</td>
<td data-label="${home.usedFor}">${target === null ? purposes(name, budgets.used, words) : home.none}</td>
<td class="n" data-label="${home.waiting}">${number(waiting)}</td></tr>`;
}

function gauge(spent: number, limit: number, { home }: Words): Markup {
  return html`<meter min="0" max="${limit}" value="${Math.min(spent, limit)}">${home.spentOf(spent, limit)}</meter> ${home.spentOf(spent, limit)}`;
}

function purposes(name: string, used: readonly Used[], { home, number }: Words): Markup | string {
  const own = used.filter(({ budget }) => budget === name);
  if (own.length === 0) return home.none;
  const shown = own.slice(0, PURPOSES_SHOWN_MAX);
  return html`${shown.map(
    ({ purpose, requests }, nth) =>
      html`${nth > 0 && html`<br>`}<span class="small">${home.purposes[purpose] ?? purpose}: ${number(requests)}</span>`,
  )}${own.length > shown.length && html`<br><span class="small">${home.more(own.length - shown.length)}</span>`}`;
}
