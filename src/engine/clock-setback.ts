import type { Clock } from './ports/runtime.ts';

/** Smallest clock setback that counts: time servers correct less, and that delays nothing for long. */
const PUT_BACK_MS_MIN = 30_000;
/** Longest retry delay. A quota may delay longer, but an early turn costs it nothing. */
const PUT_OFF_MS_MAX = 10 * 60_000;
/** How often what lies further ahead is recalled. Another host whose clock was ahead may have put it off. */
const RECALL_EVERY_MS = 10 * 60_000;

export interface WatchedClock extends Clock {
  /** Whether the clock was set back since the last call. */
  wasSetBack(): boolean;
}

/**
 * Judges each reading by a clock that cannot be set. So a clock that was ahead for a moment is noticed if anybody read it meanwhile.
 * `steadyMs`: milliseconds since any moment.
 */
export function watchedClock(clock: Clock, steadyMs = () => performance.now()): WatchedClock {
  let aheadMs = clock.now() - steadyMs();
  let isSetBack = false;
  const now = (): number => {
    const nowMs = clock.now();
    const before = aheadMs;
    aheadMs = nowMs - steadyMs();
    if (aheadMs < before - PUT_BACK_MS_MIN) isSetBack = true;
    return nowMs;
  };
  return {
    now,
    wasSetBack() {
      now();
      const was = isSetBack;
      isSetBack = false;
      return was;
    },
  };
}

/**
 * Returns a function that says from how far ahead on, in milliseconds, what was put off has its turn now. Infinity: nothing has.
 */
export function recallRule(wasSetBack: () => boolean, steadyMs = () => performance.now()): () => number {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const isTime = steadyMs() >= nextAtMs;
    if (isTime) nextAtMs = steadyMs() + RECALL_EVERY_MS;
    if (wasSetBack()) return 0;
    return isTime ? PUT_OFF_MS_MAX : Number.POSITIVE_INFINITY;
  };
}
