// Charts and a table by mirror: what was written, what failed and how late it was, for the last hour, day or month.

import { firstStepMs, type MirrorStep, SPANS, type Span } from '../operate/process-reports.ts';
import { html, type Markup } from './html.ts';
import type { ConsoleParts } from './parts.ts';
import type { Answer, Visit } from './visit.ts';

/** Most mirrors with a line of their own; the others are in the table alone. */
const LINES_MAX = 16;

/** `GET /console/charts?span=hour|day|month&mirror=…` */
export async function answerCharts(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const span = SPAN_NAMES.find((each) => each === visit.query.get('span')) ?? 'hour';
  const counted = await parts.mirrorPace.read(span, visit.nowMs);
  // Those that the YAML no longer names may still have figures.
  const names = [...new Set([...parts.mirrors, ...counted.map(({ mirror }) => mirror)])];
  const mirror = names.find((each) => each === visit.query.get('mirror'));
  const all = names
    .filter((name) => mirror === undefined || name === mirror)
    .map((name) => figuresOf(name, counted, { span, nowMs: visit.nowMs }));
  return chartsPage({ span, mirror, names, all }, visit);
}

const SPAN_NAMES = Object.keys(SPANS) as readonly Span[];

/** The figures of one mirror, one for each step. Null where nothing was written, so that no lag is shown. */
interface Figures {
  readonly mirror: string;
  readonly writes: readonly number[];
  readonly failures: readonly number[];
  readonly lag: readonly (number | null)[];
}

function figuresOf(
  mirror: string,
  counted: readonly MirrorStep[],
  { span, nowMs }: { readonly span: Span; readonly nowMs: number },
): Figures {
  const { steps, stepMs } = SPANS[span];
  const writes = Array.from({ length: steps }, () => 0);
  const failures = [...writes];
  const lag = Array.from({ length: steps }, (): number | null => null);
  for (const step of counted) {
    if (step.mirror !== mirror) continue;
    const at = Math.round((step.atMs - firstStepMs(span, nowMs)) / stepMs);
    writes[at] = step.writes;
    failures[at] = step.failures;
    if (step.writes > 0) lag[at] = step.slowestS;
  }
  return { mirror, writes, failures, lag };
}

interface Shown {
  readonly span: Span;
  readonly mirror: string | undefined;
  readonly names: readonly string[];
  readonly all: readonly Figures[];
}

function chartsPage(shown: Shown, visit: Visit): Answer {
  const { charts } = visit.words;
  const { span, mirror, names } = shown;
  const query = (of: Span) => new URLSearchParams({ span: of, ...(mirror !== undefined && { mirror }) });
  return {
    title: charts.title,
    menu: 'charts',
    live: 'about=all',
    hasCharts: true,
    body: html`<h1>${charts.title}</h1><p class="lead">${charts.lead}</p>
<div class="row"><nav aria-label="${charts.span}"><ul>${SPAN_NAMES.map(
      (each) =>
        html`<li><a href="/console/charts?${query(each).toString()}"${each === span && html` aria-current="true"`}>${charts.spans[each]}</a></li>`,
    )}</ul></nav>
<form method="get" action="/console/charts" class="row"><input type="hidden" name="span" value="${span}"><label>${charts.mirror} <select name="mirror"><option value="">${charts.all}</option>${names.map(
      (name) =>
        html`<option value="${name}"${name === mirror && html` selected`}>${nameOf(name, visit)}</option>`,
    )}</select></label><button type="submit" class="second">${charts.show}</button></form></div>
${(['writes', 'failures', 'lag'] as const).map(
  (name) =>
    html`<figure class="panel plot"><figcaption>${charts.plots[name]} <span class="small">${charts.each[span]}</span></figcaption><div data-plot="${name}" data-unit="${name === 'lag' ? charts.unit : ''}" role="img" aria-label="${charts.plots[name]}. ${charts.below}"></div></figure>`,
)}
<div data-region="figures">${data(shown, visit)}${table(shown, visit)}</div>`,
  };
}

/** Read by `charts.js`. */
function data({ span, all }: Shown, visit: Visit): Markup {
  const { steps, stepMs } = SPANS[span];
  const firstS = firstStepMs(span, visit.nowMs) / 1_000;
  const figures = {
    at: Array.from({ length: steps }, (_, at) => firstS + (at * stepMs) / 1_000),
    mirrors: all.slice(0, LINES_MAX).map((each) => ({ ...each, mirror: nameOf(each.mirror, visit) })),
    when: visit.words.charts.when,
    isLong: span === 'month',
  };
  return html`<div hidden data-figures="${JSON.stringify(figures)}"></div>`;
}

function table({ all, span }: Shown, visit: Visit): Markup {
  const { charts, number, seconds, home } = visit.words;
  const sum = (values: readonly number[]) => number(values.reduce((total, value) => total + value, 0));
  const slowest = (lag: Figures['lag']) => {
    const known = lag.filter((value) => value !== null);
    return known.length === 0 ? home.none : seconds(Math.max(...known));
  };
  return html`<h2>${charts.spans[span]}</h2><div class="scroll"><table><thead><tr><th scope="col">${charts.mirror}</th><th scope="col" class="n">${charts.plots.writes}</th><th scope="col" class="n">${charts.plots.failures}</th><th scope="col" class="n">${charts.plots.lag}</th></tr></thead><tbody>
${all.map(
  ({ mirror, writes, failures, lag }) =>
    html`<tr><th scope="row">${nameOf(mirror, visit)}</th><td class="n" data-label="${charts.plots.writes}">${sum(writes)}</td><td class="n" data-label="${charts.plots.failures}">${sum(failures)}</td><td class="n" data-label="${charts.plots.lag}">${slowest(lag)}</td></tr>`,
)}
</tbody></table></div>`;
}

function nameOf(mirror: string, { words }: Visit): string {
  return mirror === '*' ? words.charts.before : mirror;
}
