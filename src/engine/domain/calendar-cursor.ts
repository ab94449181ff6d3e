/** How far one calendar has been read. */
export interface CalendarCursor {
  /** Google returns the changes since this token; undefined: everything must be listed. */
  readonly syncToken: string | undefined;
  readonly open: OpenSync | undefined;
  /** Every change before this moment has been taken in. Epoch milliseconds. */
  readonly coveredUntilMs: number | undefined;
  /** When the last sync finished. */
  readonly provedAtMs: number | undefined;
  /** When the worker last listed everything. */
  readonly listedAtMs: number | undefined;
  /** When a sync last found a change, made by anyone. If none ever did, when the calendar was first read. */
  readonly changedAtMs: number | undefined;
  /** When Google last pinged about it. */
  readonly pingedAtMs: number | undefined;
  /** Number of pings so far. It orders them even if the clocks of the processes that took them differ. */
  readonly pings: number;
  /** Number of pings when the last finished sync began: that sync has read what they reported. Undefined: unknown. */
  readonly coveredPings: number | undefined;
  /** When a poll last found a change without a ping. */
  readonly missedAtMs: number | undefined;
}

/** An unfinished sync, resumable between its pages. */
export interface OpenSync {
  readonly startedAtMs: number;
  /** Number of pings when it began; absent if an older version began it. */
  readonly pings?: number;
  /** Undefined before the second page. */
  readonly pageToken: string | undefined;
  /** Lists everything, then compares it with the links. */
  readonly isFull: boolean;
  readonly pages: number;
  /** When the last page was taken in; absent before the first. */
  readonly pageAtMs?: number;
}
