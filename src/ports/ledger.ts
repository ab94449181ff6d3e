import type { DeadLetter } from '../domain/work.ts';

/** What is pending, dead or quarantined, for those who only want to look. */
export interface Ledger {
  /** Objects whose mirrors are behind, and since when the oldest of them is. */
  pending(): Promise<{ readonly objects: number; readonly oldestSinceMs: number | undefined }>;
  deadLetters(limit: number): Promise<{ readonly count: number; readonly letters: readonly DeadLetter[] }>;
  quarantined(): Promise<number>;
}
