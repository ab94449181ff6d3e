import type { CoverageReport, StatusReport } from '../../ops/status-report.ts';
import { html, type Markup } from '../html.ts';
import type { Words } from '../words/en.ts';
import { timeMarkup } from './times.ts';

/** Most calendars and sheets shown; those read longest ago are first. */
const SOURCES_SHOWN_MAX = 25;

type Source = Pick<CoverageReport, 'covered_until' | 'proved_ago_s' | 'reading'> & { readonly name: string };

/** Up to when each source was read, and how old the proof is. */
export function sourcesTable({ coverage, at }: StatusReport, words: Words): Markup {
  const { home } = words;
  const oldest = (source: Source) => source.proved_ago_s ?? Number.POSITIVE_INFINITY;
  const beside: readonly Source[] = [
    ...coverage.calendars.map((each) => ({ ...each, name: each.calendar })),
    ...coverage.intake_sheets.map((each) => ({ ...each, name: each.entry })),
  ].sort((a, b) => oldest(b) - oldest(a));
  const shown: readonly Source[] = [
    { ...coverage.feed, name: home.feed },
    ...beside.slice(0, SOURCES_SHOWN_MAX),
  ];
  const rest = beside.length + 1 - shown.length;
  return html`<div class="scroll"><table><thead><tr><th scope="col">${home.source}</th><th scope="col">${home.state}</th><th scope="col">${home.until}</th><th scope="col">${home.provedAgo}</th></tr></thead><tbody>
${shown.map(
  ({ name, reading, covered_until, proved_ago_s }) =>
    html`<tr><th scope="row">${name}</th><td><span class="badge ${reading}">${home.readings[reading]}</span></td><td data-label="${home.until}">${
      covered_until === null ? home.never : timeMarkup(covered_until, at)
    }</td><td data-label="${home.provedAgo}">${proved_ago_s === null ? home.never : words.ago(proved_ago_s)}</td></tr>`,
)}
</tbody></table></div>${rest > 0 && html`<p class="small">${home.more(rest)}</p>`}`;
}
