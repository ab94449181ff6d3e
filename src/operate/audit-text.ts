import type { Difference } from '../engine/domain/difference.ts';
import { csv } from './csv.ts';

const SHOWN_MAX = 50;

/** Number of differences per kind and reason. */
export function countDifferences(differences: readonly Difference[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { what, why } of differences) {
    const name = `${what}, ${why}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** A table of the first differences, sorted by class, then the counts. `isWhole`: everything could be read and judged. */
export function formatDifferences(differences: readonly Difference[], isWhole: boolean): string {
  if (differences.length === 0)
    return isWhole ? 'No differences.' : 'No differences in what could be compared.';
  const sorted = [...differences].sort((a, b) => classOf(a).localeCompare(classOf(b)));
  const rows = sorted
    .slice(0, SHOWN_MAX)
    .map((each) => [
      each.what,
      each.why,
      each.key,
      each.mirror,
      each.name === undefined ? each.place : `${each.place}, ${each.name}`,
    ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  );
  const rest = differences.length - rows.length;
  const counts = Object.entries(countDifferences(differences)).map(([name, count]) => `  ${name}: ${count}`);
  return [
    ...lines,
    ...(rest > 0 ? [`  … and ${rest} more; --csv and --json have all`] : []),
    'Counts:',
    ...counts,
  ].join('\n');
}

/** Differences as CSV. */
export function toCsv(differences: readonly Difference[]): string {
  return csv(
    ['what', 'why', 'object', 'mirror', 'place', 'name'],
    differences.map(({ what, why, key, mirror, place, name }) => [what, why, key, mirror, place, name ?? '']),
  );
}

function classOf({ what, why, key }: Difference): string {
  return `${what} ${why} ${key}`;
}
