// Who may use the web console, and what they did there.
import type { Hole, ResyncRequest } from '../domain/coverage.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { EntityKey } from '../domain/object.ts';
import type { Act, Visitor } from '../domain/role.ts';

/** Links and sessions. Codes and tokens are secrets: only their hashes are stored. */
export interface ConsoleAccess {
  /** A code that signs in once, within `forMs`. */
  offer(visitor: Visitor, forMs: number): Promise<string>;
  /** Uses up the code and begins a session, in one step. Undefined if the code is unknown, used or too old. */
  enter(code: string, forMs: number): Promise<Entered | undefined>;
  /** Undefined if it has ended. */
  session(token: string): Promise<ConsoleSession | undefined>;
  leave(token: string): Promise<void>;
  /** Ends all sessions and links, or those of one person. Returns how many. */
  revoke(who?: string): Promise<number>;
}

export interface ConsoleSession extends Visitor {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface Entered {
  readonly token: string;
  readonly session: ConsoleSession;
}

/** What users did in the console; bounded, and forgotten after `ACTS_KEPT_MS`. */
export interface ActLog {
  /** Noting an act again, by its id, replaces it: it is noted before it is done, and again with its result. */
  note(act: Act): Promise<void>;
  /** Newest first. */
  newest(limit: number): Promise<readonly Act[]>;
}

/** What happened to an object. Ids and codes only. */
export interface Change {
  readonly at: ChangeAt;
  /** `formatKey`'s. */
  readonly key: string;
  readonly entry: HistoryEntry;
}

export interface ChangeAt {
  /** Id in the Redis stream: milliseconds and a number, `1763900000000-0`. */
  readonly id: string;
  /** One more than that of the previous change, so that a gap can be counted. */
  readonly nth: number;
}

/** Recent changes to any object, over all processes; about the last thousand. */
export interface Changes {
  /** Oldest first. */
  newest(limit: number): Promise<readonly Change[]>;
  after(id: string): Promise<readonly Change[]>;
}

/** What a user typed; all of it must match. Digits belong to a phone number. Words belong to a name or an e-mail address, in lower case. */
export interface PersonAsked {
  readonly digits?: string;
  readonly words?: readonly string[];
  /** Day on which the appointment begins, on the clock of its branch: 2026-11-24. */
  readonly day?: string;
}

/** A row as people count, from 1. Without a tab: a row of any tab that the worker knows. */
export interface RowAsked {
  readonly tab?: string;
  readonly row: number;
}

export interface RowPlace {
  readonly spreadsheetId: string;
  readonly sheetId: number;
  readonly row: number;
}

/** Rows of the tabs of the mapping, as they are now. Rejects with the three error families. */
export interface RowLookup {
  /** The objects whose ids are in that row. */
  at(asked: RowAsked): Promise<readonly EntityKey[]>;
  /** Undefined if no tab of the mirror, or of the `bookings` entry, has a row of it. */
  placeOf(key: EntityKey, name: string): Promise<RowPlace | undefined>;
}

/** Objects that name a person. */
export interface PeopleSearch {
  /** At most `limit` objects; if there are more, the choice is arbitrary. */
  search(asked: PersonAsked, limit: number): Promise<readonly EntityKey[]>;
  /** A search may follow soon. Resolves when it will be fast. */
  prepare(): Promise<void>;
}

/** A worker process that has reported itself. */
export interface WorkerSeen {
  readonly pid: number;
  readonly version: string | undefined;
  /** Its last report, epoch milliseconds. */
  readonly atMs: number;
  /** The process that answers this request. */
  readonly isThis: boolean;
}

/** Gives chosen objects a turn at a user's request, in batches. One such run at a time. */
export interface ReplayRuns {
  /** The open run, else the last one that ended. */
  current(): Promise<ReplayRun | undefined>;
  /** Notes the act and begins. `busy`: another run is open, and nothing was noted. */
  start(keys: readonly EntityKey[], note: () => Promise<Act>): Promise<'started' | 'busy'>;
  /** Objects already handed over keep their turn. False if there was nothing to stop. */
  stop(): Promise<boolean>;
}

export interface ReplayRun {
  /** Who requested it, and when. */
  readonly who: string;
  readonly atMs: number;
  readonly objects: number;
  /** Objects given a turn so far. */
  readonly handed: number;
  /** Objects that are no longer known. */
  readonly unknown: number;
  /** The next batch. */
  readonly batch: number;
  /** Absent while it runs. */
  readonly endedAtMs?: number;
  readonly isStopped?: boolean;
}

/** Walks through the platform's lists at a user's request. */
export interface Resyncs {
  /** `isKnown`: the same walk was requested before and still runs. Undefined: others request one at the same time. */
  request(request: ResyncRequest): Promise<{ readonly id: string; readonly isKnown: boolean } | undefined>;
  progress(): Promise<ResyncProgress>;
  /** The requested walks that have not ended. */
  asked(): Promise<readonly Hole[]>;
}

export interface ResyncProgress {
  /** Ids of all holes that wait for a resync or are in one. */
  readonly open: readonly string[];
  readonly walk?: { readonly holes: readonly string[]; readonly kind: string; readonly objects: number };
  readonly ended?: { readonly holes: readonly string[]; readonly objects: number };
}
