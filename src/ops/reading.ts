// How a source stands that people want read: a proof that is fresh, a reading that will end by itself, or one that needs somebody. Pure.

import { FORMATION_MS } from '../domain/coverage.ts';
import { awayMs } from '../domain/moments.ts';

/**
 * `proved`: its proof is fresh. Without a fresh one, `begun`: the worker has not run for long enough to have read it once. `walking`: a walk of
 * many pages gets on. `limited`: Google limits it, or all that is asked of Google, for now. `unread`: nobody reads it.
 */
export type Reading = 'proved' | 'begun' | 'walking' | 'limited' | 'unread';

export interface ReadSource {
  readonly isFresh: boolean;
  /** How old a fresh proof may be. */
  readonly freshForMs: number;
  readonly coveredUntilMs: number | undefined;
  /** When the walk that is open took its last page; undefined: none is open, or it is at its first. */
  readonly pageAtMs: number | undefined;
  /** Since when the worker runs; undefined: it does not. */
  readonly startedAtMs: number | undefined;
  readonly isLimited: boolean;
}

/**
 * For a first walk, or the next page of one. A failing walk is tried again, and becomes a hole by then (`FAILING_FOR_MS` of the feed walk).
 * Any other has ended, or shows its pages: 200,000 missed events take less than a minute (docs/bench.md).
 */
const BEGIN_MS_MIN = 5 * 60_000;
/**
 * The feed goes back for 30 days, which no walk takes a day for: one that still gets on then begins again and again. And the longest of
 * Google's quotas is that of a day.
 */
export const CATCH_UP_MS_MAX = 24 * 3_600_000;

export function readingOf(source: ReadSource, nowMs: number): Reading {
  const { isFresh, freshForMs, pageAtMs, startedAtMs, isLimited } = source;
  if (isFresh) return 'proved';
  if (startedAtMs === undefined) return 'unread';
  const isWithin = (ms: number, atMs: number) => awayMs(atMs, nowMs) <= ms;
  if (!isWithin(CATCH_UP_MS_MAX, unprovedSince(source, nowMs))) return 'unread';
  if (isLimited) return 'limited';
  // A failed first walk is tried again at the next round.
  const patienceMs = Math.max(BEGIN_MS_MIN, freshForMs);
  if (pageAtMs !== undefined && isWithin(patienceMs, pageAtMs)) return 'walking';
  return isWithin(patienceMs, startedAtMs) && !isProvedSince(startedAtMs, source, nowMs) ? 'begun' : 'unread';
}

/** What has worked since the start and does not any more has had its time. */
function isProvedSince(startedAtMs: number, { coveredUntilMs = 0 }: ReadSource, nowMs: number): boolean {
  return coveredUntilMs <= nowMs && coveredUntilMs + FORMATION_MS >= startedAtMs;
}

/** While no worker ran nobody could prove anything. */
function unprovedSince({ coveredUntilMs = 0, startedAtMs = 0 }: ReadSource, nowMs: number): number {
  return coveredUntilMs > nowMs ? startedAtMs : Math.max(coveredUntilMs, startedAtMs);
}
