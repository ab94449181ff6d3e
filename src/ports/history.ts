import type { HistoryEntry } from '../domain/history.ts';

/** What happened to single objects, for whoever asks why. What is seen is noted by the intake store in its own step. */
export interface History {
  /** Never rejects and is not waited for: a story that cannot be written must not stop the work. `key` is `formatKey`'s. */
  note(key: string, entry: HistoryEntry): void;
  /** Oldest first; bounded, and forgotten some weeks after the last entry. */
  of(key: string): Promise<readonly HistoryEntry[]>;
}
