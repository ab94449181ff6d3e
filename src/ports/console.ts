// Who may use the web console, and what they did there.
import type { Hole, ResyncRequest } from '../domain/coverage.ts';
import type { EntityKey } from '../domain/entity.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { Act, Visitor } from '../domain/role.ts';

/** Links and sessions. Codes and tokens are secrets: only their hashes are kept. */
export interface ConsoleAccess {
  /** A code that signs in once, within `forMs`. */
  offer(visitor: Visitor, forMs: number): Promise<string>;
  /** The code is used up and a session begins, in one step. Undefined when it is unknown, used or too old. */
  enter(code: string, forMs: number): Promise<Entered | undefined>;
  /** Undefined when it has ended. */
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

/** What people did in the console; bounded, and forgotten after `ACTS_KEPT_MS`. */
export interface ActLog {
  /** Noting an act again, by its id, replaces it: it is noted before it is done, and again with its end. */
  note(act: Act): Promise<void>;
  /** Newest first. */
  newest(limit: number): Promise<readonly Act[]>;
}

/** What happened to some object. Ids and codes only. */
export interface Change {
  readonly at: ChangeAt;
  /** `formatKey`'s. */
  readonly key: string;
  readonly entry: HistoryEntry;
}

export interface ChangeAt {
  /** Id in the Redis stream: milliseconds and a number, `1763900000000-0`. */
  readonly id: string;
  /** One more than that of the change before it, so that a gap can be counted. */
  readonly nth: number;
}

/** What happened lately to any object, over all processes; about the last thousand. */
export interface Changes {
  /** Oldest first. */
  newest(limit: number): Promise<readonly Change[]>;
  after(id: string): Promise<readonly Change[]>;
}

/** What was typed; all of it has to match. Digits are of a phone number, words of a name or an e-mail address in lower case. */
export interface PersonAsked {
  readonly digits?: string;
  readonly words?: readonly string[];
  /** On which the appointment begins, on the clock of its branch: 2026-11-24. */
  readonly day?: string;
}

/** A row as people count them, from 1. Without a tab: of any that the worker knows. */
export interface RowAsked {
  readonly tab?: string;
  readonly row: number;
}

export interface RowPlace {
  readonly spreadsheetId: string;
  readonly sheetId: number;
  readonly row: number;
}

/** Rows of the tabs of the mapping, as they stand now. Rejects with the three error families. */
export interface RowLookup {
  /** The objects whose ids stand there. */
  at(asked: RowAsked): Promise<readonly EntityKey[]>;
  /** Undefined when no tab of the mirror, or of the entry of `bookings`, has a row of it. */
  placeOf(key: EntityKey, name: string): Promise<RowPlace | undefined>;
}

/** Objects that name a person. */
export interface PeopleSearch {
  /** At most so many; which of more is left to chance. */
  search(asked: PersonAsked, limit: number): Promise<readonly EntityKey[]>;
  /** Somebody may search soon. Resolves when that will be fast. */
  prepare(): Promise<void>;
}

/** A worker process that has said that it is there. */
export interface WorkerSeen {
  readonly pid: number;
  readonly version: string | undefined;
  /** When it last said so, epoch milliseconds. */
  readonly atMs: number;
  /** The one that answers. */
  readonly isThis: boolean;
}

/** Objects that are looked at again because somebody asked for it, some at a time. There is one such run at a time. */
export interface ReplayRuns {
  /** The one that is open, else the last one that ended. */
  current(): Promise<ReplayRun | undefined>;
  /** Notes the act and begins. `busy`: another one is open, and nothing was noted. */
  start(keys: readonly EntityKey[], note: () => Promise<Act>): Promise<'started' | 'busy'>;
  /** What was handed over stays so. False when there was nothing to stop. */
  stop(): Promise<boolean>;
}

export interface ReplayRun {
  /** Who asked for it, and when. */
  readonly who: string;
  readonly atMs: number;
  readonly objects: number;
  /** How many have been given a turn so far. */
  readonly handed: number;
  /** How many are not known any more. */
  readonly unknown: number;
  /** The next batch. */
  readonly batch: number;
  /** Absent while it goes on. */
  readonly endedAtMs?: number;
  readonly isStopped?: boolean;
}

/** Bull-board over the queues, to be read only. Loaded when it is opened. */
export interface QueueBoard {
  page(language: 'en' | 'ru'): string;
  /** What a page asks for, by its path below the board (`/api/queues`); undefined where there is nothing to be read. */
  read(
    path: string,
    query: URLSearchParams,
  ): Promise<{ readonly status: number; readonly body: unknown } | undefined>;
  /** One of its files, by its path below `static/`. */
  file(path: string): Promise<{ readonly type: string; readonly bytes: Buffer } | undefined>;
}

/** Walks through the platform's lists that people ask for. */
export interface Resyncs {
  /** `isKnown`: the same one is asked for already, and goes on. Undefined: others ask at the same time. */
  request(request: ResyncRequest): Promise<{ readonly id: string; readonly isKnown: boolean } | undefined>;
  progress(): Promise<ResyncProgress>;
  /** Those that somebody asked for and that have not ended. */
  asked(): Promise<readonly Hole[]>;
}

export interface ResyncProgress {
  /** Ids of all holes that wait for a resync or are in one. */
  readonly open: readonly string[];
  readonly walk?: { readonly holes: readonly string[]; readonly kind: string; readonly objects: number };
  readonly ended?: { readonly holes: readonly string[]; readonly objects: number };
}
