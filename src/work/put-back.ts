import type { Clock } from '../ports/runtime.ts';

/** Less is what time servers correct, and nobody waits for long because of it. */
const PUT_BACK_MS_MIN = 30_000;

/** Tells whether the clock was put back since it was last asked, by one that nobody can set. `steadyMs`: milliseconds since any moment. */
export function putBackWatch(clock: Clock, steadyMs = () => performance.now()): () => boolean {
  let last = { toldMs: clock.now(), steadyMs: steadyMs() };
  return () => {
    const now = { toldMs: clock.now(), steadyMs: steadyMs() };
    const passedMs = now.steadyMs - last.steadyMs;
    const isPutBack = now.toldMs - last.toldMs < passedMs - PUT_BACK_MS_MIN;
    last = now;
    return isPutBack;
  };
}
