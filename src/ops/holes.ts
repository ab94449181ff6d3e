import type { HoleReport } from './status-report.ts';

/** A resync that has not ended for so long does not get on: it is refused, or nothing is at work. */
export const HOLE_AGE_MS_MAX = 24 * 3_600_000;

/** These stand among the holes until their resync has ended, and nothing was missed: somebody, or the schedule, asked for it. */
const ASKED_FOR: readonly string[] = ['operator', 'scheduled'];

export function isAskedFor({ cause }: Pick<HoleReport, 'cause'>): boolean {
  return ASKED_FOR.includes(cause);
}

/** What the feed cannot vouch for. */
export function realHoles(holes: readonly HoleReport[]): readonly HoleReport[] {
  return holes.filter((hole) => !isAskedFor(hole));
}

export function askedResyncs(holes: readonly HoleReport[]): readonly HoleReport[] {
  return holes.filter(isAskedFor);
}
