// How much all workers write in each minute, and how late. A process counts in memory and adds its counts to Redis in batches.
import { LAGS_KEPT_MAX, minuteOf, type Written, type WrittenMinute } from '../engine/domain/pace.ts';
import type { Clock } from '../engine/ports/runtime.ts';

const MINUTE_MS = 60_000;
/** Minutes kept while Redis takes no counts: one day. */
const MINUTES_WAITING_MAX = 24 * 60;

/** Several minutes together. */
export interface PaceStep {
  /** Confirmed writes to mirrors. */
  readonly writes: number;
  /** The longest lag of these writes in seconds; null without writes. */
  readonly slowestS: number | null;
}

/** What this process has written and not yet added to Redis. */
export class Pace {
  readonly #clock: Clock;
  #minutes = new Map<number, WrittenMinute>();
  #lagsS: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(lagS: number): void {
    this.#count({ minute: Math.floor(this.#clock.now() / MINUTE_MS), writes: 1, slowestS: lagS });
    this.#lagsS.push(lagS);
    // Cut rarely: each cut copies the list.
    if (this.#lagsS.length > 2 * LAGS_KEPT_MAX) this.#lagsS = this.#lagsS.slice(-LAGS_KEPT_MAX);
  }

  /** Hands over what was counted since the last call. What is not taken is kept; if its answer was lost, it may be counted twice. */
  async flush(add: (written: Written) => Promise<void>): Promise<void> {
    if (this.#minutes.size === 0) return;
    const written = { minutes: [...this.#minutes.values()], lagsS: this.#lagsS.slice(-LAGS_KEPT_MAX) };
    this.#minutes = new Map();
    this.#lagsS = [];
    try {
      await add(written);
    } catch (error) {
      for (const minute of written.minutes) this.#count(minute);
      this.#lagsS = [...written.lagsS, ...this.#lagsS];
      throw error;
    }
  }

  #count({ minute, writes, slowestS }: WrittenMinute): void {
    const known = this.#minutes.get(minute) ?? { writes: 0, slowestS: 0 };
    this.#minutes.set(minute, {
      minute,
      writes: known.writes + writes,
      slowestS: Math.max(known.slowestS, slowestS),
    });
    if (this.#minutes.size > MINUTES_WAITING_MAX) this.#minutes.delete(Math.min(...this.#minutes.keys()));
  }
}

/** `steps` entries of `minutesEach` minutes, the oldest first; the last one ends with the current minute. */
export function paceSteps(
  minutes: readonly WrittenMinute[],
  {
    nowMs,
    steps,
    minutesEach,
  }: { readonly nowMs: number; readonly steps: number; readonly minutesEach: number },
): readonly PaceStep[] {
  const now = minuteOf(nowMs);
  const sums = Array.from({ length: steps }, () => ({ writes: 0, slowestS: null as number | null }));
  for (const { minute, writes, slowestS } of minutes) {
    const sum = sums[steps - 1 - Math.floor((now - minute) / minutesEach)];
    if (sum === undefined) continue;
    sum.writes += writes;
    sum.slowestS = Math.max(sum.slowestS ?? 0, slowestS);
  }
  return sums;
}
