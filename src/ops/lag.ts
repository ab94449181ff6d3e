/** How far the mirrors are behind the platform, in seconds; null before the first measurement. */
export interface Lag {
  readonly p50: number | null;
  readonly p99: number | null;
  /** Number of measurements behind both percentiles. */
  readonly samples: number;
}

/** Number of lags kept: enough for a stable p99, few enough that a burst an hour ago does not distort the present. */
const SAMPLES_MAX = 2_000;

/** The newest 2,000 lags of this process. */
export class RecentLags {
  readonly #samples: number[] = [];
  #next = 0;

  add(seconds: number): void {
    this.#samples[this.#next] = seconds;
    this.#next = (this.#next + 1) % SAMPLES_MAX;
  }

  read(): Lag {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), samples: sorted.length };
  }
}

/** Nearest rank: always a measured value. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
