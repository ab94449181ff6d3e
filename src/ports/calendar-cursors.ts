import type { CalendarCursor, OpenSync } from '../domain/calendar-cursor.ts';
import type { LeaseProof } from './leases.ts';

/** How far each calendar has been read. Writes carry the lease they are made under; a stale holder's is refused (false). */
export interface CalendarCursors {
  read(calendarId: string): Promise<CalendarCursor>;
  saveSync(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean>;
  /** Forgets the sync token, which is worth nothing any more, and begins to list everything. */
  startOver(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean>;
  /** The effects of all pages are durable: keeps the new sync token, and forgets the open sync. */
  close(calendarId: string, proof: SyncProof, lease: LeaseProof): Promise<boolean>;
  /** Google has pinged for it. Asks for no lease: it says nothing of what was read. */
  pinged(calendarId: string, atMs: number): Promise<void>;
  /** Remembers which linked events a full list has shown. `list` is the start of that list. */
  markShown(list: ListOf, eventIds: readonly string[]): Promise<void>;
  /** Those of the events that the full list has shown. */
  shown(list: ListOf, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ListOf {
  readonly calendarId: string;
  readonly startedAtMs: number;
}

export interface SyncProof {
  readonly syncToken: string;
  readonly coveredUntilMs: number;
  readonly provedAtMs: number;
  /** Given after a full list. */
  readonly listedAtMs?: number;
  /** Given when something had changed. */
  readonly changedAtMs?: number;
  /** Given when no ping had told of it. */
  readonly missedAtMs?: number;
}
