/** Newest lags that are kept: enough for a stable p99, few enough that an old burst does not distort the present. */
export const LAGS_KEPT_MAX = 2_000;

/** Confirmed writes to mirrors within one minute. */
export interface WrittenMinute {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly writes: number;
  /** The longest lag of these writes, in seconds. */
  readonly slowestS: number;
}

/** What one process wrote, and how late. */
export interface Written {
  readonly minutes: readonly WrittenMinute[];
  /** Seconds, the oldest first; at most `LAGS_KEPT_MAX`. */
  readonly lagsS: readonly number[];
}

export function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}
