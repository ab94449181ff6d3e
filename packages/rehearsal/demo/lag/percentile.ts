/** The nearest-rank percentile of unsorted samples, rounded; null for an empty list. */
export function percentile(samples: readonly number[], percent: number): number | null {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  return value === undefined ? null : Math.round(value);
}
