// What has to be done, and who does it.
import type { EntityKey, EntityKind } from '../domain/entity.ts';
import type { Claim, DeadLetter, Fetched, Waits } from '../domain/work.ts';

/** The truth about pending work. All commits are made under the fence of the claim. */
export interface WorkStore {
  /** Takes the next fence. Undefined when nothing is known of the object. */
  claim(key: EntityKey): Promise<Claim | undefined>;
  /** Records what a GET said, unless something newer came in meanwhile, and returns the claim as it is then. Undefined when fenced off. */
  refresh(claim: Claim, fetched: Fetched): Promise<Claim | undefined>;
  /**
   * The mirrors are at the claim's revision. `dirty` when a newer one waits already, `fenced` when another handler took over.
   * `nextTurnAtMs`: when the object has a turn by itself; it replaces what was set before, and undefined takes that away.
   */
  settle(claim: Claim, nextTurnAtMs?: number): Promise<'settled' | 'dirty' | 'fenced'>;
  /**
   * Some places are behind: still dirty, with a turn at `untilMs`. `dirty` when a newer revision waits already, which keeps its own
   * time; `fenced` when another handler took over.
   */
  postpone(
    claim: Claim,
    put: { readonly waits: Waits; readonly untilMs: number },
  ): Promise<'postponed' | 'dirty' | 'fenced'>;
  /** Not dirty any more, but a dead letter, unless a newer revision waits. `nextTurnAtMs` as in `settle`. */
  deadLetter(claim: Claim, letter: DeadLetter, nextTurnAtMs?: number): Promise<void>;
  /** Keys (`formatKey`) that are dirty and whose next attempt is due, oldest first. */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
  /** Dirty keys whose next attempt comes after `nowMs`, but not after `untilMs`; earliest first. */
  upcoming(
    span: { readonly nowMs: number; readonly untilMs: number },
    limit: number,
  ): Promise<readonly { readonly key: string; readonly atMs: number }[]>;
}

/** The engine behind the dirty set: carries keys, promises nothing by itself. */
export interface WorkQueue {
  /** Never rejects and never waits: what is not added here is added by the sweep. */
  add(keys: readonly string[]): void;
}

/** A queue that also brings a key later. */
export interface LaterQueue extends WorkQueue {
  /** The key is not held meanwhile: whoever adds it gets it a turn at once. */
  addLater(key: string, afterMs: number): void;
}

/** A crowd of deliveries that wait for their answer: other work lets them go first, for a bounded time. */
export interface Rush {
  isOn(): boolean;
  /** Resolves when the rush is over, or when this caller's turn has come: turns go on during a rush, one after another. Never rejects. */
  giveWay(): Promise<void>;
}

export const noRush: Rush = { isOn: () => false, giveWay: () => Promise.resolve() };

/** Objects that have to have a turn at a moment although nothing happens to them. `WorkStore.settle` sets the moments. */
export interface LaterTurns {
  /** Gives a turn to those whose moment has come, the earliest first, at most `limit`; each once. Returns their keys (`formatKey`). */
  wake(nowMs: number, limit: number): Promise<readonly string[]>;
}

/** Objects that are dirty and were put off to a moment of the clock. */
export interface PutOffTurns {
  /** Makes those due at `nowMs` that were put off to a moment after `beyondMs`. Returns how many. */
  recall(nowMs: number, beyondMs: number): Promise<number>;
}

/** Gives objects a turn without news of them. */
export interface DirtyMarks {
  /**
   * Marks the objects dirty. With `read`, they are read from the platform before anything is written, so that an old state cannot
   * come back. Returns those that are not known here: nothing was done for them.
   */
  markDirty(keys: readonly EntityKey[], options: { readonly read: boolean }): Promise<readonly EntityKey[]>;
  /**
   * A person has decided that what stands for these objects in a mirror may go, if the mapping does not take them any more. They get a
   * turn. An edit of the YAML alone takes nothing away.
   */
  release(keys: readonly EntityKey[], mirror: string): Promise<void>;
  /** What stands in the mirror for these objects is not what was remembered: it is looked at, and written again where it differs. */
  doubt(keys: readonly EntityKey[], mirror: string): Promise<void>;
}

/** A dead letter as it is kept: an object's own, or that of one mirror's row of it. */
export interface KeptLetter extends DeadLetter {
  /** `appointment/<id>`, or `<mirror> appointment/<id>` for a row that Google refuses. Unique. */
  readonly name: string;
}

/** What an operator does about dead letters. */
export interface DeadLetters {
  /** Newest first. */
  all(): Promise<readonly KeptLetter[]>;
  /** The object has a turn again, from its first attempt. False when the letter was gone already. */
  retry(letter: KeptLetter): Promise<boolean>;
  /** Given up for good, with a word why, which stays in the object's history. The object's next change begins again. */
  discard(letter: KeptLetter, why: string): Promise<boolean>;
}

/** What is kept for a time only, and does not go by itself. */
export interface Retention {
  /**
   * Takes the content of objects that had no turn for long and can be read again, and forgets appointments that are long over. Nothing
   * that waits for a turn, a row or a person is touched.
   */
  ageObjects(): Promise<Retained>;
  /** At most 1,000 at a time. Returns how many went. */
  trimQuarantine(): Promise<number>;
  /** What Redis has deleted stands in its append-only file until that is written again. Never rejects. */
  rewriteFile(): Promise<void>;
  /** Dead letters from before this moment are not waited for any more; epoch milliseconds. */
  lettersBeforeMs(): number;
}

/** Objects whose content went, and objects that were forgotten. */
export interface Retained {
  readonly emptied: number;
  readonly forgotten: number;
}

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

/** What no single answer of the platform shows. */
export interface ClassReader {
  /** The claim of a class, its snapshot as the platform's list has it now (`ClassNow`). Rejects with the three error families. */
  read(claim: Claim): Promise<Claim>;
}

/** Objects whose mirrors are behind, for those who only want to look. */
export interface PendingObjects {
  /** Those that are behind since before this moment, the oldest first, at most `limit`. Epoch milliseconds. */
  pendingBefore(beforeMs: number, limit: number): Promise<readonly Claim[]>;
}

/** Which appointments a filter has judged by their contact: they have another turn when the contact changes. */
export interface CustomerAppointments {
  note(contactId: string, appointmentId: string): Promise<void>;
  of(contactId: string): Promise<readonly string[]>;
  forget(contactId: string, appointmentIds: readonly string[]): Promise<void>;
}

/** All objects of which something is stored here, read some at a time. One may come twice. */
export interface KnownObjects {
  count(kind: EntityKind): Promise<number>;
  /** Objects as a handler would see them, without taking their fences. */
  each(kind: EntityKind, tell: (objects: readonly Claim[]) => Promise<void>): Promise<void>;
  /**
   * Calls `tell` with the objects that a walk through the whole list has not shown, except deleted ones and those made since it began.
   * Returns how many are known and how many were missed.
   */
  missed(
    kind: EntityKind,
    walk: { readonly id: string; readonly startedAtMs: number },
    tell: (ids: readonly string[]) => Promise<void>,
  ): Promise<{ readonly known: number; readonly missed: number }>;
}
