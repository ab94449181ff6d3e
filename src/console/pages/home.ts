// Whether everything is mirrored, up to when, and when that was proved. Also what needs a person, each with its remedy.

import { realHoles } from '../../ops/holes.ts';
import type { StatusReport } from '../../ops/status-report.ts';
import { statusVerdict } from '../../ops/verdict.ts';
import type { WorkerSeen } from '../../ports/console.ts';
import { html, type Markup } from '../html.ts';
import type { Page, Visit } from '../visit.ts';
import type { Words } from '../words/en.ts';
import { adviceText } from './advice.ts';
import { type Charted, charts } from './charts.ts';
import { needsOf } from './needs.ts';
import { type Budgets, quotasTable } from './quotas.ts';
import { sourcesTable } from './sources.ts';
import { ago, secondsBetween, timeMarkup } from './times.ts';

export function homePage(
  report: StatusReport,
  about: { readonly workers: readonly WorkerSeen[]; readonly charted: Charted; readonly budgets: Budgets },
  { words }: Visit,
): Page {
  const { home } = words;
  const { workers, charted, budgets } = about;
  const { mood } = statusVerdict(report);
  return {
    title: home[mood],
    menu: 'home',
    live: 'about=all',
    body: html`<div data-region="home">
<section class="hero ${mood}"><h1>${home[mood]}</h1><p>${covered(report, words)}</p></section>
${needs(report, words)}
<section aria-labelledby="now"><h2 id="now">${home.now}</h2>${tiles(report, words)}${charts(charted, words)}</section>
<section aria-labelledby="sources"><h2 id="sources">${home.sources}</h2>${sourcesTable(report, words)}</section>
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
  (need) => html`<li class="card wrong"><h3>${need.title}</h3>
${need.since !== undefined && html`<p class="small">${need.since}</p>`}
${need.message !== undefined && html`<p lang="${need.lang ?? words.code}">${need.message}</p>`}
${need.advice !== undefined && adviceText(need.advice)}
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
