import type { QuotaReport, StatusReport } from '../../ops/status-report.ts';
import type { Used } from '../../ops/usage.ts';
import type { PlatformBudget } from '../../ports/quotas.ts';
import { html, type Markup } from '../html.ts';
import type { Words } from '../words/en.ts';
import { timeMarkup } from './times.ts';

export interface Budgets {
  readonly platform: PlatformBudget;
  /** What the answering worker alone has used. */
  readonly used: readonly Used[];
}

const PURPOSES_SHOWN_MAX = 6;

/** The budgets of the platform and of Google: how much is used, for what, and how many requests wait. */
export function quotasTable({ quotas, at }: StatusReport, budgets: Budgets, words: Words): Markup {
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
