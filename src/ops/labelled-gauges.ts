import { maskText } from './personal-data.ts';
import type { StatusReport } from './status-report.ts';

/** A gauge with one series per value of its label; values that disappear leave no series behind. */
export interface LabelledGauge {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly of: (report: StatusReport) => Iterable<readonly [string, number]>;
}

export const LABELLED_GAUGES: readonly LabelledGauge[] = [
  {
    name: 'slotbridge_source_coverage_age_seconds',
    help: 'Age of the last proof that a source, the event feed or a watched calendar, was read without a gap; +Inf before the first proof.',
    label: 'source',
    of: ({ coverage }) => [
      ['feed', coverage.feed.proved_ago_s ?? Number.POSITIVE_INFINITY],
      // A calendar's id may be a person's address, so it is masked as in the log; the same id always gets the same mask.
      ...coverage.calendars.map(
        ({ calendar, proved_ago_s }) =>
          [maskText(`calendar ${calendar}`), proved_ago_s ?? Number.POSITIVE_INFINITY] as const,
      ),
    ],
  },
  {
    name: 'slotbridge_dead_letters_by_code',
    help: 'Dead letters by the code of their first reason.',
    label: 'code',
    of: ({ dead_letters }) => Object.entries(dead_letters.by_code),
  },
  {
    name: 'slotbridge_problems_by_code',
    help: 'Known problems by code.',
    label: 'code',
    of: ({ problems }) => summed(problems.map(({ code }) => [code, 1])),
  },
  {
    name: 'slotbridge_quota_waits',
    help: 'Objects and spreadsheets that wait for a Google budget.',
    label: 'budget',
    of: ({ quotas }) => summed(quotas.map(({ name, waiting }) => [name.split(':')[0] ?? name, waiting])),
  },
];

function summed(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, amount] of pairs) sums.set(name, (sums.get(name) ?? 0) + amount);
  return sums;
}
