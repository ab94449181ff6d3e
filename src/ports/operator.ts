// What operators are told, and what is counted for them.
import type { AlertBook } from '../domain/alert.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { Standing } from '../domain/standing.ts';
import type { Problem } from '../domain/work.ts';
import type { LeaseProof } from './leases.ts';

/** Every problem says what to do about it. */
export type RaisedProblem = Omit<Problem, 'sinceMs' | 'lastAtMs'> & { readonly advice: string };

/** What refuses everybody right now, shared by all processes and shown by `status`. */
export interface ProblemBoard {
  raise(problem: RaisedProblem): Promise<void>;
  clear(target: string): Promise<void>;
  list(): Promise<readonly Problem[]>;
  /**
   * `free`: the target has no problem. `turn`: this caller may see whether the problem has gone, one per target every 15 s. False: defer instead
   * of calling.
   */
  mayTry(target: string): Promise<'free' | 'turn' | false>;
  /** Whoever had the turn learnt nothing of the target: the next caller has it at once. */
  giveBack(target: string): Promise<void>;
}

/** Where the alerts keep what they remember, for all processes together. */
export interface AlertStore {
  read(): Promise<AlertBook>;
  /** False when a later holder of the lease has written already: the caller was overtaken and must stop. */
  save(book: AlertBook, lease: LeaseProof): Promise<boolean>;
}

/** Counts what happened lately, over all processes. */
export interface Tally {
  /** Notes `mark` under `name` once, however often it is told, and returns how many marks of the last `windowMs` there are. */
  count(name: string, mark: string, windowMs: number): Promise<number>;
  /** It did not happen after all. */
  forget(name: string, mark: string): Promise<void>;
  /** Nothing of it counts any more. */
  clear(name: string): Promise<void>;
}

/** What happened to single objects, for whoever asks why. What is seen is noted by the intake store in its own step. */
export interface History {
  /** Never rejects and is not waited for: a story that cannot be written must not stop the work. `key` is `formatKey`'s. */
  note(key: string, entry: HistoryEntry): void;
  /** Oldest first; bounded, and forgotten some weeks after the last entry. */
  of(key: string): Promise<readonly HistoryEntry[]>;
}

/** The places of one mirror, read as they are now. */
export interface MirrorPlaces {
  readonly mirror: string;
  /** Names of the places, `calendar:…` or `spreadsheet:…`. */
  readonly places: readonly string[];
  /** Those of them that the YAML names no more: what was over by then stands there still. */
  readonly former?: ReadonlySet<string>;
  /** Whether an error with this code means that the place is closed to the worker: of a former one nobody has to end that. */
  readonly isClosed?: (code: string) => boolean;
  /** All that stands in one of them for the worker's objects, a page at a time. Rejects with the three error families. */
  standing(place: string): AsyncIterable<Standing>;
}

/** A piece of what is stored: a key's own name, a field, a value, a member or an entry. */
export interface StoredText {
  /** Without the prefix of the installation. */
  readonly key: string;
  readonly text: string;
}

/** All that is stored, for questions that no index answers. Takes as long as there is much of it. */
export interface StateSearch {
  all(): AsyncIterable<StoredText>;
}

/** What a comparison of the platform with the places of the mirrors has read; the differences were told one by one. */
export interface AuditSummary {
  readonly objects: number;
  readonly standing: number;
  readonly standingIn: ReadonlyMap<string, number>;
  readonly unread: ReadonlyMap<string, string>;
  readonly unjudged: ReadonlyMap<string, string>;
}
