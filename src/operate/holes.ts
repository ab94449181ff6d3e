import type { HoleReport } from './status-report.ts';

/** How long a resync may take; an older one makes no progress: it is refused, or no worker runs. */
export const HOLE_AGE_MS_MAX = 24 * 3_600_000;

/** Causes of resyncs that an operator or the schedule requested. They are listed among the holes until they end, but nothing was missed. */
const ASKED_FOR: readonly string[] = ['operator', 'scheduled'];

export function isAskedFor({ cause }: Pick<HoleReport, 'cause'>): boolean {
  return ASKED_FOR.includes(cause);
}

/** Holes in which the feed may have missed events. */
export function realHoles(holes: readonly HoleReport[]): readonly HoleReport[] {
  return holes.filter((hole) => !isAskedFor(hole));
}

export function askedResyncs(holes: readonly HoleReport[]): readonly HoleReport[] {
  return holes.filter(isAskedFor);
}
