import { type Clock, steadyClock } from '../ports/runtime.ts';

const MINUTE_MS = 60_000;
/** One day, in minutes. */
const MINUTES_KEPT = 24 * 60;

/** Several minutes together. */
export interface PaceStep {
  /** Confirmed writes to mirrors. */
  readonly writes: number;
  /** The longest lag of these writes in seconds; null without writes. */
  readonly slowestS: number | null;
}

interface Minute {
  at: number;
  writes: number;
  slowestS: number;
}

/** How much this process wrote in each minute of the last day, and with what lag. */
export class Pace {
  readonly #clock: Clock;
  readonly #minutes: Minute[] = Array.from({ length: MINUTES_KEPT }, () => ({
    at: -1,
    writes: 0,
    slowestS: 0,
  }));

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  add(lagS: number): void {
    const at = this.#now();
    const minute = this.#minutes[at % MINUTES_KEPT];
    if (minute === undefined) return;
    if (minute.at !== at) Object.assign(minute, { at, writes: 0, slowestS: 0 });
    minute.writes += 1;
    minute.slowestS = Math.max(minute.slowestS, lagS);
  }

  /** `steps` entries of `minutesEach` minutes, the oldest first; the last one ends with the current minute. */
  read(steps: number, minutesEach: number): readonly PaceStep[] {
    const now = this.#now();
    const sums = Array.from({ length: steps }, () => ({ writes: 0, slowestS: null as number | null }));
    for (const { at, writes, slowestS } of this.#minutes) {
      const sum = at < 0 ? undefined : sums[steps - 1 - Math.floor((now - at) / minutesEach)];
      if (sum === undefined) continue;
      sum.writes += writes;
      sum.slowestS = Math.max(sum.slowestS ?? 0, slowestS);
    }
    return sums;
  }

  #now(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS);
  }
}
