// What people book and change outside, on its way to the platform and back.

import type { WorkerError } from './errors.ts';
import type { Sender } from './intent.ts';
import type { EntityKey, Snapshot } from './object.ts';
import type { BookingAnswer, SeenBooking, SeenRowBooking, SheetBookings } from './outside-booking.ts';
import type { CarriedField, RowEdit, RowNote, RowRefusal, SentEdit, SheetCarry } from './row-edit.ts';
import type { Claim } from './work.ts';

/**
 * Whether a live appointment with the mark of another origin belongs to this origin; `perhaps`: a person must decide. `isCustomers`: the
 * platform has it for the very customer to be booked.
 */
export type IsFormer = (
  mark: string,
  appointment: Snapshot,
  isCustomers: boolean,
) => Promise<boolean | 'perhaps'>;

/** What to book, and where, without its start. */
export interface WishedPlace {
  readonly serviceId: string;
  readonly branchId?: string;
  readonly resourceId?: string;
  readonly guests?: number;
  readonly durationMin?: number;
}

/** Free times for rows without a start. Advice: the verdict is the platform's. */
export interface RowTimes {
  /** Undefined if the row does not say it, or has no wish. */
  placeOf(mapping: SheetBookings, seen: SeenRowBooking): WishedPlace | undefined;
  /**
   * In epoch milliseconds, the earliest first; of one day, or the next ones. Rejects with `TerminalError` if the platform can never answer
   * this, else with the other two families.
   */
  free(place: WishedPlace, day?: DayAsked): Promise<readonly number[]>;
}

/** Epoch milliseconds of a day, which may have 23 or 25 hours. */
export interface DayAsked {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Renders the templates of one entry of `bookings`. */
export interface BookingTemplates {
  /** Trimmed; empty if it renders nothing. Throws `TerminalError` (`template-failed`) if it cannot be rendered for what was seen. */
  text(source: string, fields: Readonly<Record<string, unknown>>): string;
}

/** Where an outside booking was made, and where its author looks for the answer. */
export interface AnswerPlace {
  /** Called before booking: rejects with `DeferredError` while nothing may be written there. Absent: known otherwise. */
  assertWritable?(seen: SeenBooking): Promise<void>;
  /**
   * Makes the place show this answer and no older one; what people wrote stays. An empty text removes the answer. Repeating it changes
   * nothing. Writes nothing if the `claim` was overtaken. `gone`: the place no longer exists. Rejects with the error families.
   */
  answer(seen: SeenBooking, answer: BookingAnswer, claim: Claim): Promise<'answered' | 'gone'>;
  /** Rows only: how many of the entry's appointments are still to come. */
  upcoming?(): Promise<number>;
}

/** From the calendars back to the platform: judges people's changes to an object's events before the mirrors write. */
export interface EditCarrier {
  /**
   * Decides every sighting of the claim and records the decision in the links. What the mapping allows goes to the platform. Repeating it
   * changes nothing. Rejects only if another handler has taken the object over (`fenced`) or the store is unavailable.
   */
  carry(claim: Claim): Promise<Carried>;
}

export interface Carried {
  /** With the links and the snapshot as they are now. */
  readonly claim: Claim;
  /** What could not be decided yet, or requires a person. The affected events are left alone meanwhile. */
  readonly failures: readonly {
    readonly mirror: string;
    readonly place?: string;
    readonly error: WorkerError;
  }[];
}

/** How changed cells in the rows of one kind of object are judged and carried to the platform. */
export interface RowEditRules {
  /** Equal for changes that say the same. */
  hashOf(edit: RowEdit, carry: SheetCarry): string;
  /** Pure. */
  decide(facts: RowEditFacts): RowEditDecision;
  /** The object is as this request asked. */
  isDone(sent: SentEdit, carry: SheetCarry, object: Snapshot): boolean;
  /** The caller has already stored what is about to be sent. Rejects with the error families while there is no verdict: call again. */
  carry(asked: CarriedCell): Promise<RowVerdict>;
  /** How an earlier request ended, if the platform shows it. Absent: only the object shows it. */
  finish?(key: EntityKey): Promise<EndedRowWish | undefined>;
  /** A request that was stored to be sent is over. `isDone`: the object is as it asked. Call before that is stored; repeating it changes nothing. */
  ended?(
    key: EntityKey,
    sent: SentEdit,
    about: { readonly mirror: string; readonly isDone: boolean },
  ): Promise<void>;
  /** Withdraws wishes, named as in `EndedRowWish`: they are never sent again. Rejects while one may be under way: call `finish` again. */
  withdraw?(key: EntityKey, asked: readonly string[]): Promise<void>;
}

export interface RowEditFacts {
  readonly edit: RowEdit;
  readonly carry: SheetCarry;
  /** Undefined: the platform does not show the object. */
  readonly object: Snapshot | undefined;
  readonly note: RowNote;
  readonly nowMs: number;
}

export type RowEditDecision =
  /** It was answered before, or the mapping no longer carries the column. */
  | { readonly type: 'nothing' }
  /** The platform already has this value. `isOurs`: the worker requested it. */
  | { readonly type: 'agreed'; readonly isOurs: boolean }
  /** `over`: hash of what the platform has now. */
  | {
      readonly type: 'carry';
      readonly field: CarriedField;
      readonly value: string;
      readonly over: string;
    }
  | { readonly type: 'refuse'; readonly code: RowRefusal }
  /** It waits for a person. Rules never decide this. */
  | { readonly type: 'wait' };

export interface CarriedCell {
  readonly claim: Sender;
  readonly edit: RowEdit;
  readonly carry: SheetCarry;
  readonly decision: RowEditDecision & { readonly type: 'carry' };
  /** By which this was decided. */
  readonly object?: Snapshot | undefined;
}

/** The object as it is now, or why not. `said`: the platform's own reason in words for people. */
export type RowVerdict =
  | { readonly object: Snapshot }
  | { readonly code: RowRefusal; readonly said?: string };

/** `asked`: the requested start in UTC, or `cancel`. It may have been requested elsewhere, as by an event that staff moved. */
export type EndedRowWish = RowVerdict & { readonly asked: string };
