import type { EntityKey } from '../domain/entity.ts';
import type { Claim, DeadLetter } from '../domain/work.ts';

/** What is pending, dead or quarantined, for those who only want to look. */
export interface Ledger {
  /** Objects whose mirrors are behind, and since when the oldest of them is. */
  pending(): Promise<{ readonly objects: number; readonly oldestSinceMs: number | undefined }>;
  /** Newest first, at most `limit`; `codes` counts all of them by the code of their first reason. */
  deadLetters(limit: number): Promise<{
    readonly count: number;
    readonly letters: readonly DeadLetter[];
    readonly codes: Readonly<Record<string, number>>;
  }>;
  quarantined(): Promise<number>;
}

/** The state of single objects, for those who only want to look. */
export interface ObjectView {
  /** As a handler would see it, without taking its fence; undefined when nothing is known of it. */
  peek(key: EntityKey): Promise<Claim | undefined>;
  /** When its next attempt is due; undefined when the object is not dirty. Epoch milliseconds. */
  dueAt(key: EntityKey): Promise<number | undefined>;
}
