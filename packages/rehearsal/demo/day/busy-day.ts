import { setTimeout as sleep } from 'node:timers/promises';
import { ACTS } from './acts.ts';
import type { Act, Cast } from './cast.ts';

/** Changes per second: each second stands for an hour of a busy clinic. */
const CHANGES_PER_SECOND = 70;

export interface DayOptions {
  /** The minimum number of changes. */
  readonly changes: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
  /** Called once, when half of the changes are made. The day continues meanwhile. */
  readonly atHalf: () => void;
}

/** Plays the day. The seed alone determines the sequence of acts. Returns the number of changes made on the platform. */
export async function playDay(cast: Cast, options: DayOptions): Promise<number> {
  const { platform, random } = cast;
  const before = platform.stats().changes;
  const startedAtMs = performance.now();
  let isPastHalf = false;
  for (let done = 0; done < options.changes; done = platform.stats().changes - before) {
    options.signal.throwIfAborted();
    options.onProgress(done);
    if (!isPastHalf && done >= options.changes / 2) {
      isPastHalf = true;
      options.atHalf();
    }
    const dueMs = startedAtMs + (done / CHANGES_PER_SECOND) * 1_000;
    await sleep(Math.max(0, dueMs - performance.now()));
    await someAct(random.next())(cast);
  }
  return platform.stats().changes - before;
}

const SHARES = ACTS.reduce((sum, [share]) => sum + share, 0);

function someAct(dice: number): Act {
  let left = dice * SHARES;
  for (const [share, act] of ACTS) {
    left -= share;
    if (left < 0) return act;
  }
  throw new RangeError('the dice shows 0 to 1');
}
