import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 10;

/**
 * Makes changes evenly, the same number in each tenth of a second, until `seconds` have passed or the signal aborts. Returns how many it
 * made.
 */
export async function steadily(
  change: (nth: number) => void,
  how: { readonly perSecond: number; readonly seconds: number; readonly signal?: AbortSignal },
): Promise<number> {
  const startedAt = performance.now();
  let made = 0;
  for (let tick = 1; tick <= how.seconds * TICKS_PER_SECOND && how.signal?.aborted !== true; tick += 1) {
    while (made < (tick * how.perSecond) / TICKS_PER_SECOND) {
      change(made);
      made += 1;
    }
    await sleep(Math.max(0, startedAt + (tick * 1_000) / TICKS_PER_SECOND - performance.now()));
  }
  return made;
}
