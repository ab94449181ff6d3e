// Classifies how a source is being read: its proof is fresh, the reading will complete without help, or a person must act. Pure.

import { FORMATION_MS } from '../engine/domain/coverage.ts';
import { distanceMs } from '../engine/domain/moments.ts';

/**
 * `proved`: its proof is fresh. The others have no fresh proof. `begun`: the worker has not run long enough to read the source once.
 * `walking`: a walk of many pages makes progress. `limited`: Google currently limits the source, or all calls to Google. `unread`: nothing
 * reads it.
 */
export type Reading = 'proved' | 'begun' | 'walking' | 'limited' | 'unread';

export interface ReadSource {
  readonly isFresh: boolean;
  /** How old a proof may be to count as fresh. */
  readonly freshForMs: number;
  readonly coveredUntilMs: number | undefined;
  /** When the open walk took its last page; undefined when no walk is open, or it is at its first page. */
  readonly pageAtMs: number | undefined;
  /** When the worker started; undefined when it does not run. */
  readonly startedAtMs: number | undefined;
  readonly isLimited: boolean;
}

/**
 * Shortest time allowed for a first walk, or for the next page of one. A failing walk is retried, and has become a hole by then
 * (`FAILING_FOR_MS` of the feed walk). Any other walk has ended or shows progress: 200,000 missed events take less than a minute
 * (docs/bench.md).
 */
const BEGIN_MS_MIN = 5 * 60_000;
/**
 * Longest time to catch up. The feed goes back 30 days and no walk needs a day for that, so a walk that still makes progress then keeps
 * restarting. Google's longest quota also lasts a day.
 */
export const CATCH_UP_MS_MAX = 24 * 3_600_000;

export function readingOf(source: ReadSource, nowMs: number): Reading {
  const { isFresh, freshForMs, pageAtMs, startedAtMs, isLimited } = source;
  if (isFresh) return 'proved';
  if (startedAtMs === undefined) return 'unread';
  const isWithin = (ms: number, atMs: number) => distanceMs(atMs, nowMs) <= ms;
  if (!isWithin(CATCH_UP_MS_MAX, unprovedSince(source, nowMs))) return 'unread';
  if (isLimited) return 'limited';
  // A failed first walk is retried in the next round.
  const patienceMs = Math.max(BEGIN_MS_MIN, freshForMs);
  if (pageAtMs !== undefined && isWithin(patienceMs, pageAtMs)) return 'walking';
  return isWithin(patienceMs, startedAtMs) && !isProvedSince(startedAtMs, source, nowMs) ? 'begun' : 'unread';
}

/** True when the source was proved after the start: it worked, so it gets no more time for a first walk. */
function isProvedSince(startedAtMs: number, { coveredUntilMs = 0 }: ReadSource, nowMs: number): boolean {
  return coveredUntilMs <= nowMs && coveredUntilMs + FORMATION_MS >= startedAtMs;
}

/** Not before the worker's start, because nothing can be proved without a worker. */
function unprovedSince({ coveredUntilMs = 0, startedAtMs = 0 }: ReadSource, nowMs: number): number {
  return coveredUntilMs > nowMs ? startedAtMs : Math.max(coveredUntilMs, startedAtMs);
}
