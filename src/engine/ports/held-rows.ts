import type { HeldObject } from '../domain/parked.ts';

export interface HeldWish {
  /** Hash of what people typed. */
  readonly of: string;
  /** The object's own record says that it is held. */
  readonly isHeld: boolean;
  /** Objects of this place that may pass within an hour without a person; 0: this one may not. */
  readonly perHour: number;
}

/** `isParked`: there is a fact to `release` once the outcome is stored. */
export interface HoldVerdict {
  readonly verdict: 'pass' | 'wait' | 'declined';
  readonly isParked: boolean;
}

/** Holds back what people type in bulk, until a person has approved or declined it. */
export interface RowHolds {
  /** Counts an object once an hour, however often it is judged. What waits is never released by waiting alone. */
  judge(object: HeldObject, wish: HeldWish): Promise<HoldVerdict>;
  /** It waits no longer, and what became of it is stored. */
  release(object: HeldObject): Promise<void>;
  /** Nothing new was made of it, so it does not count. */
  discount(object: HeldObject): Promise<void>;
}
