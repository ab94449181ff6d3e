// What operators see, and what is counted for them.

import type { Actual } from '../domain/actual.ts';
import type { AlertBook } from '../domain/alert.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { Problem } from '../domain/work.ts';
import type { LeaseProof } from './leases.ts';

/** Every problem says what to do about it. */
export type RaisedProblem = Omit<Problem, 'sinceMs' | 'lastAtMs'> & { readonly advice: string };

/** What refuses every call right now, shared by all processes and shown by `status`. */
export interface ProblemBoard {
  raise(problem: RaisedProblem): Promise<void>;
  clear(target: string): Promise<void>;
  list(): Promise<readonly Problem[]>;
  /**
   * `free`: the target has no problem. `turn`: this caller may probe whether the problem is gone, one per target every 15 s. False: defer
   * instead of calling.
   */
  mayTry(target: string): Promise<'free' | 'turn' | false>;
  /** The caller with the turn learned nothing about the target: the next caller gets the turn immediately. */
  giveBack(target: string): Promise<void>;
}

/** Stores what the alerts remember, for all processes together. */
export interface AlertStore {
  read(): Promise<AlertBook>;
  /** False if a later holder of the lease has already written: the caller was overtaken and must stop. */
  save(book: AlertBook, lease: LeaseProof): Promise<boolean>;
}

/** Counts what happened lately, over all processes. */
export interface Tally {
  /** Notes `mark` under `name` once, however often it is called. Returns how many marks there are of the last `windowMs`. */
  count(name: string, mark: string, windowMs: number): Promise<number>;
  /** Notes `mark`, unless `max` others were noted within the window: then false. A known mark is true without a look at the others. */
  admit(
    name: string,
    mark: string,
    bound: { readonly max: number; readonly windowMs: number },
  ): Promise<boolean>;
  /** It did not happen after all: takes the mark back. */
  forget(name: string, mark: string): Promise<void>;
  /** Resets the count. */
  clear(name: string): Promise<void>;
}

/** What happened to single objects, for people who ask why. The intake store notes what is seen, in its own step. */
export interface History {
  /** Never rejects and is not awaited: a note that fails must not stop the work. `key` is from `formatKey`. */
  note(key: string, entry: HistoryEntry): void;
  /** Oldest first; bounded, and forgotten some weeks after the last entry. */
  of(key: string): Promise<readonly HistoryEntry[]>;
}

/** The places of one mirror, read as they are now. */
export interface MirrorPlaces {
  readonly mirror: string;
  /** Names of the places, `calendar:…` or `spreadsheet:…`. */
  readonly places: readonly string[];
  /** Places that the YAML no longer names. They still hold what was over by then. */
  readonly former?: ReadonlySet<string>;
  /** Whether an error with this code means that the place is closed to the worker. For a former place, this requires no action. */
  readonly isClosed?: (code: string) => boolean;
  /** Everything that one of them holds for the worker's objects, a page at a time. Rejects with the three error families. */
  standing(place: string): AsyncIterable<Actual>;
}

/** A piece of the stored state: a key's own name, a field, a value, a member or an entry. */
export interface StoredText {
  /** Without the prefix of the installation. */
  readonly key: string;
  readonly text: string;
}

/** Everything that is stored, for questions that no index answers. Its duration grows with the amount. */
export interface StateSearch {
  all(): AsyncIterable<StoredText>;
}

/** What an audit has read; it reported the differences one by one. */
export interface AuditSummary {
  readonly objects: number;
  readonly standing: number;
  readonly standingIn: ReadonlyMap<string, number>;
  readonly unread: ReadonlyMap<string, string>;
  readonly unjudged: ReadonlyMap<string, string>;
}
