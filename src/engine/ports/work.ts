// What must be done, and who does it.
import type { EntityKey, EntityKind } from '../domain/object.ts';
import type { Claim, DeadLetter, FailureReason, Fetched, Waits } from '../domain/work.ts';

/** The truth about pending work. Every commit is made under the fence of the claim. */
export interface WorkStore {
  /** Takes the next fence. Undefined if nothing is known of the object. */
  claim(key: EntityKey): Promise<Claim | undefined>;
  /**
   * Records the result of a GET, unless something newer arrived meanwhile, and returns the claim as it is then. Undefined if fenced off.
   */
  refresh(claim: Claim, fetched: Fetched): Promise<Claim | undefined>;
  /**
   * The mirrors are at the claim's revision. `dirty` if a newer one already waits, `fenced` if another handler took over. `nextTurnAtMs`:
   * when the object gets a turn automatically; it replaces the earlier moment, and undefined removes it.
   */
  settle(claim: Claim, nextTurnAtMs?: number): Promise<'settled' | 'dirty' | 'fenced'>;
  /**
   * Some places are behind: still dirty, with a turn at `untilMs`. `dirty` if a newer revision already waits, which keeps its own time;
   * `fenced` if another handler took over.
   */
  postpone(
    claim: Claim,
    put: { readonly waits: Waits; readonly untilMs: number },
  ): Promise<'postponed' | 'dirty' | 'fenced'>;
  /**
   * Stores the dead letter. `dirty` if a newer revision waits, which keeps its turn; `fenced`, with nothing stored, if another handler took
   * over. `nextTurnAtMs` as in `settle`.
   */
  deadLetter(claim: Claim, letter: DeadLetter, nextTurnAtMs?: number): Promise<'buried' | 'dirty' | 'fenced'>;
  /** Dirty keys (`formatKey`) whose next attempt is due, oldest first. */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
  /** Dirty keys whose next attempt is after `nowMs`, but not after `untilMs`; earliest first. */
  upcoming(
    span: { readonly nowMs: number; readonly untilMs: number },
    limit: number,
  ): Promise<readonly { readonly key: string; readonly atMs: number }[]>;
}

/** The engine behind the dirty set: carries keys, guarantees nothing. */
export interface WorkQueue {
  /** Never rejects and never waits: the sweep adds what is not added here. */
  add(keys: readonly string[]): void;
}

/** A queue that also delivers a key later. */
export interface LaterQueue extends WorkQueue {
  /** The key is not held meanwhile: adding it gives it a turn immediately. */
  addLater(key: string, afterMs: number): void;
}

/** A rush of deliveries that wait for their answer: other work lets them go first, for a bounded time. */
export interface Rush {
  isOn(): boolean;
  /** Resolves when the rush is over, or at this caller's turn: turns go on during a rush, one after another. Never rejects. */
  giveWay(): Promise<void>;
}

export const noRush: Rush = { isOn: () => false, giveWay: () => Promise.resolve() };

/** Objects that need a turn at a set moment although nothing happens to them. `WorkStore.settle` sets the moments. */
export interface LaterTurns {
  /** Gives a turn to those whose moment has come, earliest first, at most `limit`, each once. Returns their keys (`formatKey`). */
  wake(nowMs: number, limit: number): Promise<readonly string[]>;
}

/** Dirty objects that were put off to a moment of the clock. */
export interface PutOffTurns {
  /** Makes those put off to a moment after `beyondMs` due at `nowMs`. Returns how many. */
  recall(nowMs: number, beyondMs: number): Promise<number>;
  /** Until when the engine that keeps its delayed jobs there delays one at most. Undefined: it delays none. */
  delayedUntilMs(delayedKey: string): Promise<number | undefined>;
}

/** Gives objects a turn without news of them. */
export interface DirtyMarks {
  /**
   * Marks the objects dirty. With `read`, they are read from the platform before anything is written, so that an old state cannot come
   * back. A booking cannot be read: what was decided about it no longer counts. Returns the unknown objects: nothing was done for them.
   */
  markDirty(keys: readonly EntityKey[], options: { readonly read: boolean }): Promise<readonly EntityKey[]>;
  /**
   * A person has approved that what a mirror holds of these objects may go, if the mapping no longer takes them. Gives them a turn, which
   * reads them from the platform first. An edit of the YAML alone removes nothing.
   */
  release(keys: readonly EntityKey[], mirror: string): Promise<void>;
  /**
   * What the mirror holds of these objects is not what was remembered: the next turn compares it, and rewrites what differs. It reads the
   * objects from the platform first.
   */
  doubt(keys: readonly EntityKey[], mirror: string): Promise<void>;
}

/** A stored dead letter: an object's own, or that of one mirror's row of it. */
export interface KeptLetter extends DeadLetter {
  /** `appointment/<id>`, or `<mirror> appointment/<id>` for a row that Google refuses. Unique. */
  readonly name: string;
}

/** Letters with the same reasons: code, mirror and place of each, in their order. */
export interface LetterCause {
  readonly id: string;
  readonly reasons: readonly Pick<FailureReason, 'code' | 'mirror' | 'target'>[];
  /** Letters not after the moment that was asked for. */
  readonly count: number;
  /** Name of the newest of these letters. */
  readonly newest: string;
  /** Epoch milliseconds. */
  readonly newestAtMs: number;
  readonly oldestAtMs: number;
}

/** Which letters are meant: of these causes, written not after this moment. */
export interface LettersMeant {
  readonly causes: readonly LetterCause[];
  readonly untilMs?: number;
}

/** What an operator does about dead letters. Only `all` holds all letters at once; use it outside the worker. */
export interface DeadLetters {
  /** Newest first. */
  all(): Promise<readonly KeptLetter[]>;
  /** Costs the same for few letters and many. `untilMs`: epoch milliseconds. */
  causes(untilMs?: number): Promise<readonly LetterCause[]>;
  /** The newest of the letters that are meant, at most `limit`. */
  newest(meant: LettersMeant, limit: number): Promise<readonly KeptLetter[]>;
  /** All letters that are meant, in parts and in no order. Letters may be ended meanwhile. */
  each(meant: LettersMeant): AsyncIterable<readonly KeptLetter[]>;
  /** Those of these names that still stand. */
  named(names: readonly string[]): Promise<readonly KeptLetter[]>;
  /** Its own, and those of its rows; newest first. */
  ofObject(key: string): Promise<readonly KeptLetter[]>;
  /** Names of all letters. */
  names(): Promise<ReadonlySet<string>>;
  /** Gives the object a turn again, from its first attempt. False if the letter was already gone. */
  retry(letter: KeptLetter): Promise<boolean>;
  /** Gives up for good, with a reason that stays in the object's history. The object's next change starts again. */
  discard(letter: KeptLetter, why: string): Promise<boolean>;
}

/** Data kept for a limited time that does not expire automatically. */
export interface Retention {
  /**
   * Removes the content of objects that had no turn for long and can be read again, and forgets appointments that are long over. Touches
   * nothing that waits for a turn, a row or a person.
   */
  ageObjects(): Promise<Retained>;
  /** Gives intents without an expiry one: earlier versions kept a request without an answer forever. */
  boundIntents(): Promise<void>;
  /** Removes at most 1,000 at a time. Returns how many. */
  trimQuarantine(): Promise<number>;
  /** Rewrites Redis's append-only file, which otherwise still contains deleted data. Never rejects. */
  rewriteFile(): Promise<void>;
  /** Retention discards dead letters from before this moment; epoch milliseconds. */
  lettersBeforeMs(): number;
}

/** Objects whose content was removed, and objects that were forgotten. */
export interface Retained {
  readonly emptied: number;
  readonly forgotten: number;
  /** Objects whose stored state cannot be read; they stay unchanged. */
  readonly damaged?: readonly string[];
}

/** What is pending, dead or quarantined. Read-only. */
export interface Ledger {
  /** Objects whose mirrors are behind, since when the oldest of them is, and when the first turn of one of them is due. */
  pending(): Promise<{
    readonly objects: number;
    readonly oldestSinceMs: number | undefined;
    readonly dueSinceMs?: number;
  }>;
  /** Newest first, at most `limit`; `codes` counts all of them by the code of their first reason. */
  deadLetters(limit: number): Promise<{
    readonly count: number;
    readonly letters: readonly DeadLetter[];
    readonly codes: Readonly<Record<string, number>>;
  }>;
  quarantined(): Promise<number>;
}

/** The state of single objects. Read-only. */
export interface ObjectView {
  /** As a handler would see it, without taking its fence; undefined if nothing is known of it. */
  peek(key: EntityKey): Promise<Claim | undefined>;
  /** When its next attempt is due; undefined if the object is not dirty. Epoch milliseconds. */
  dueAt(key: EntityKey): Promise<number | undefined>;
}

/** Reads classes, which no single answer of the platform shows. */
export interface ClassReader {
  /** The claim of a class, with the snapshot from the platform's list as it is now (`ClassNow`). Rejects with the three error families. */
  read(claim: Claim): Promise<Claim>;
}

/** Objects whose mirrors are behind. Read-only. */
export interface PendingObjects {
  /** Objects that are behind since before this moment, oldest first, at most `limit`. Epoch milliseconds. */
  pendingBefore(beforeMs: number, limit: number): Promise<readonly Claim[]>;
}

/** Which appointments a filter has judged by their contact: they get another turn when the contact changes. */
export interface CustomerAppointments {
  note(contactId: string, appointmentId: string): Promise<void>;
  of(contactId: string): Promise<readonly string[]>;
  /** Forgets those of them that are not known here now. */
  forgetUnknown(contactId: string, appointmentIds: readonly string[]): Promise<void>;
}

/** All objects with stored state, read in batches. One may appear twice. */
export interface KnownObjects {
  count(kind: EntityKind): Promise<number>;
  /** Objects as a handler would see them, without taking their fences. */
  each(kind: EntityKind, tell: (objects: readonly Claim[]) => Promise<void>): Promise<void>;
  /**
   * Calls `tell` with the objects that a full list walk did not return, except deleted ones and those made since it began. Returns how many
   * are known and how many were missed.
   */
  missed(
    kind: EntityKind,
    walk: { readonly id: string; readonly startedAtMs: number },
    tell: (ids: readonly string[]) => Promise<void>,
  ): Promise<{ readonly known: number; readonly missed: number }>;
}
