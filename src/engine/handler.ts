import type { Expectation } from './mirror.ts';
import type { EntityKind } from './object.ts';
import type { PlannedStep } from './planned.ts';
import type { Claim } from './work.ts';

/** The engine behind the dirty set: carries keys, guarantees nothing. */
export interface WorkQueue {
  /** Never rejects and never waits: the sweep adds what is not added here. */
  add(keys: readonly string[]): void;
  /**
   * Begins a turn of a key that is only about to change, if a handler is free. Resolves with whether the turn had something to do, false if
   * there was no turn. Never rejects.
   */
  begin?(key: string): Promise<boolean>;
}

/** A queue that also delivers a key later. */
export interface LaterQueue extends WorkQueue {
  /** The key is not held meanwhile: adding it gives it a turn immediately. */
  addLater(key: string, afterMs: number): void;
}

/** Backpressure of deliveries that wait for their answer: other work lets them go first, for a bounded time. */
export interface Backpressure {
  isOn(): boolean;
  /** Resolves when it is over, or at this caller's turn: turns go on under backpressure, one after another. Never rejects. */
  giveWay(): Promise<void>;
}

export const noBackpressure: Backpressure = { isOn: () => false, giveWay: () => Promise.resolve() };

/** Reads classes, which no single answer of the platform shows. */
export interface ClassReader {
  /** The claim of a class, with the snapshot from the platform's list as it is now (`ClassNow`). Rejects with the three error families. */
  read(claim: Claim): Promise<Claim>;
}

/** Does its part of one turn: brings its side to the state of one object. */
export interface Handler {
  readonly name: string;
  readonly from: EntityKind;
  /** Name under which an object must hold links to get a turn here. Absent: every object of the kind gets one. */
  readonly onlyLinkedAs?: string;
  /**
   * Makes the smallest write that closes the difference; repeating it changes nothing. The claim's snapshot is defined unless the object
   * was deleted before it was ever seen. Rejects with one of the three error families.
   *
   * A handler with several places skips those that still wait (`isResting`), reports each place that fails, and goes on with the others.
   * Without `failed` it rejects with the most hopeful failure.
   */
  reconcile(claim: Claim, failed?: FailedPlace): Promise<Action>;
  /**
   * When the object needs a turn although nothing happens to it, epoch milliseconds, later than `nowMs`. Called before `reconcile`, so that
   * no moment can fall between the two. Undefined or absent: never.
   */
  nextTurnAtMs?(claim: Claim, nowMs: number): number | undefined;
}

export interface MirrorTarget extends Handler {
  /** What `reconcile` would do, judged by local knowledge: writes nothing and calls no remote side. Rejects like `reconcile`. */
  preview(claim: Claim): Promise<Action>;
  /** The same for people: what would happen in each place, and what stays there. Writes nothing. Rejects like `reconcile`. */
  planned(claim: Claim): Promise<readonly PlannedStep[]>;
  /** What the mirror's places should hold of the object; places that are not named should hold nothing of it. Rejects like `reconcile`. */
  expected(claim: Claim): Promise<readonly Expectation[]>;
}

/** Called for each place that could not be brought to the object's state. */
export type FailedPlace = (place: string, error: unknown) => void;

export type Action = 'created' | 'updated' | 'moved' | 'removed' | 'queued' | 'nothing';
