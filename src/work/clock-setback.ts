import type { Clock } from '../ports/runtime.ts';

/** Smallest clock setback that counts: time servers correct less, and that delays nothing for long. */
const PUT_BACK_MS_MIN = 30_000;

/**
 * Returns a function that says whether the clock was set back since its last call, judged by a clock that cannot be set. `steadyMs`:
 * milliseconds since any moment.
 */
export function clockSetbackWatch(clock: Clock, steadyMs = () => performance.now()): () => boolean {
  let last = { toldMs: clock.now(), steadyMs: steadyMs() };
  return () => {
    const now = { toldMs: clock.now(), steadyMs: steadyMs() };
    const passedMs = now.steadyMs - last.steadyMs;
    const isPutBack = now.toldMs - last.toldMs < passedMs - PUT_BACK_MS_MIN;
    last = now;
    return isPutBack;
  };
}
