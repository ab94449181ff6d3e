import type { EntityKind } from '../domain/entity.ts';
import type { Expectation } from '../domain/standing.ts';
import type { Claim } from '../domain/work.ts';

/** One mirror of the YAML, able to bring its side to the state of one object. */
export interface MirrorTarget {
  readonly name: string;
  readonly from: EntityKind;
  /**
   * Makes the smallest write that closes the difference; doing it again changes nothing. The claim's snapshot is defined
   * unless the object was deleted before it was ever seen. Rejects with one of the three error families.
   *
   * A target with several places leaves those alone that rest (`isResting`), tells of each place that fails, and goes on with the
   * others. Without anybody to tell it rejects with the most hopeful failure.
   */
  reconcile(claim: Claim, failed?: FailedPlace): Promise<MirrorAction>;
  /** What `reconcile` would do by what is known here; nothing is written, and nobody outside is asked. The same rejections. */
  preview(claim: Claim): Promise<MirrorAction>;
  /**
   * When the object has to have a turn although nothing happens to it, epoch milliseconds, later than `nowMs`. Asked before
   * `reconcile`, so that no moment can fall between the two. Undefined, and a target without it: never.
   */
  nextTurnAtMs?(claim: Claim, nowMs: number): number | undefined;
  /** What should stand for the object in the mirror's places; places that are not named should hold nothing of it. The same rejections. */
  expected(claim: Claim): Promise<readonly Expectation[]>;
}

/** Hears that one place could not be brought to the object's state. */
export type FailedPlace = (place: string, error: unknown) => void;

export type MirrorAction = 'created' | 'updated' | 'moved' | 'removed' | 'queued' | 'nothing';
