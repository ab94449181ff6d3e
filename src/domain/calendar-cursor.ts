/** How far one calendar has been read. */
export interface CalendarCursor {
  /** What changed after it was given is not read yet; undefined: everything has to be listed. */
  readonly syncToken: string | undefined;
  readonly open: OpenSync | undefined;
  /** Every change before this moment has been taken in. Epoch milliseconds. */
  readonly coveredUntilMs: number | undefined;
  /** When the last sync came to its end. */
  readonly provedAtMs: number | undefined;
  /** When everything was listed the last time. */
  readonly listedAtMs: number | undefined;
  /** When a sync last found a change, made by whomever; of one that was never seen to change, when it was first read. */
  readonly changedAtMs: number | undefined;
  /** When Google last pinged for it. */
  readonly pingedAtMs: number | undefined;
  /** When a poll last found a change for which no ping had come. */
  readonly missedAtMs: number | undefined;
}

/** A sync under way, resumable between its pages. */
export interface OpenSync {
  readonly startedAtMs: number;
  /** Undefined before the second page. */
  readonly pageToken: string | undefined;
  /** Lists everything, and then compares it with the links. */
  readonly isFull: boolean;
  readonly pages: number;
  /** When the last of them had been taken in; absent before. */
  readonly pageAtMs?: number;
}
