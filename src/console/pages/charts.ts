import type { PaceStep } from '../../ops/pace.ts';
import { html, type Markup } from '../html.ts';
import type { Words } from '../words/en.ts';

/** What this worker wrote within the last hour and the last day, and how late. */
export interface Charted {
  readonly hour: readonly PaceStep[];
  readonly day: readonly PaceStep[];
}

const WIDTH = 240;
const HEIGHT = 44;

export function charts({ hour, day }: Charted, words: Words): Markup {
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
