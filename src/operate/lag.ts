/** How far the mirrors are behind the platform, in seconds; null before the first measurement. */
export interface Lag {
  readonly p50: number | null;
  readonly p99: number | null;
  /** Number of measurements behind both percentiles. */
  readonly samples: number;
}

export function lagOf(lagsS: readonly number[]): Lag {
  const sorted = lagsS.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), samples: sorted.length };
}

/** Nearest rank: always a measured value. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
