// What people book and change outside, on its way to the platform and back.

import type { WorkerError } from '../domain/errors.ts';
import type { EndedRequest, IntentRecord, OpenRequest } from '../domain/intent.ts';
import type { EntityKey, Snapshot } from '../domain/object.ts';
import type {
  BookingAnswer,
  BookWish,
  Refusal,
  SeenBooking,
  SeenRowBooking,
  SheetBookings,
  Verdict,
  Wish,
} from '../domain/outside-booking.ts';
import type { CarriedField, RowEdit, RowNote, RowRefusal, SheetCarry } from '../domain/row-edit.ts';
import type { Claim } from '../domain/work.ts';

/**
 * Whether a live appointment with the mark of another origin belongs to this origin; `perhaps`: a person must decide. `isCustomers`: the
 * platform has it for the very customer to be booked.
 */
export type IsFormer = (
  mark: string,
  appointment: Snapshot,
  isCustomers: boolean,
) => Promise<boolean | 'perhaps'>;

/** Carries wishes to the platform, each exactly once. An open request ends before anything newer is sent. */
export interface BookingSubmitter {
  /**
   * Brings the wish to its verdict. The request is stored, body and key, before it leaves. An open request for this wish is sent again. One for
   * another wish ends first: if the platform shows its verdict, that is returned with `earlier`, else it is withdrawn. Rejects with
   * `RetryableError` or `DeferredError` while there is no verdict: call again.
   *
   * `isFormer`: whether an appointment made for another origin belongs to this one, whose place or name has changed since. Called for the
   * platform's appointments if nothing is known of a booking. `perhaps` ends in the refusal `perhaps-booked`.
   */
  submit(origin: string, wish: Wish, isFormer?: IsFormer): Promise<Verdict & { readonly earlier?: Wish }>;
  /**
   * The verdict of this origin's open request; `open` if the platform shows none yet, undefined without an open request. Sends nothing: people
   * may have taken the wish back. After `open`, `submit` the wish again or `withdraw` it.
   */
  finish(
    origin: string,
  ): Promise<((Verdict | { readonly outcome: 'open' }) & { readonly earlier: Wish }) | undefined>;
  /**
   * Withdraws the request that `finish` found open: it is never sent again. Rejects with `DeferredError` while it may be under way: then
   * call `finish` again. A booking's request stays open for a day, so that `finish` finds the appointment if the platform makes it later.
   */
  withdraw(origin: string): Promise<void>;
  /**
   * The appointment that this origin's last successful booking made, as far as the submitter remembers. Call it if your own record has
   * none: a verdict that was never recorded would otherwise leave an appointment that is never cancelled.
   */
  made(origin: string): Promise<string | undefined>;
  /** The live appointment that the platform shows as booked by this origin, as wished. Call it if the submitter may have forgotten. */
  find(origin: string, wish: BookWish): Promise<string | undefined>;
  /**
   * Free times of a day, for a user who has yet to choose one; nothing if there are none or they cannot be determined. Rejects with
   * `RetryableError` or `DeferredError` for a while if the platform does not answer: call again. `sinceMs`: when it was wished.
   */
  freeTimes(
    wished: { readonly serviceId: string; readonly branchId?: string; readonly resourceId?: string } & {
      readonly guests?: number;
      readonly durationMin?: number;
    },
    within: { readonly fromMs: number; readonly toMs: number; readonly sinceMs: number },
  ): Promise<Pick<Refusal, 'slots' | 'zone'>>;
}

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
}

/** Requests to the platform, per origin. Each call is one atomic step, durable when it resolves. */
export interface IntentStore {
  /** Random, and equal for all workers. After a loss of the store it is another one, so no key matches an old answer. */
  seed(): Promise<string>;
  /** Undefined if nothing is known of the origin: it is new, or the store was lost. */
  read(origin: string): Promise<IntentRecord | undefined>;
  /**
   * Stores the request as the open one. `open`: another one is already open, and nothing was stored. `stale`: a request with this
   * generation or a later one was stored since the record was read; read it again.
   */
  begin(
    origin: string,
    request: OpenRequest,
  ): Promise<{ outcome: 'begun' | 'open'; open: OpenRequest } | { outcome: 'stale' }>;
  /** Gives the open request another key and body, for the same wish. False if `key` is no longer the open one. */
  replace(origin: string, key: string, request: OpenRequest): Promise<boolean>;
  /** Closes the request with `end.key` and forgets its body. False if it was no longer open; then nothing changes. */
  settle(origin: string, end: EndedRequest): Promise<boolean>;
  /** As `settle`, if the open request is still exactly this one. False if it was sent again since it was read; then nothing changes. */
  withdraw(origin: string, end: EndedRequest, request: OpenRequest): Promise<boolean>;
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
  /** The caller has already stored what is about to be sent. Rejects with the error families while there is no verdict: call again. */
  carry(asked: CarriedCell): Promise<RowVerdict>;
  /** How an earlier request ended, if the platform shows it. Absent: such requests are not stored. */
  finish?(key: EntityKey): Promise<EndedRowWish | undefined>;
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
  readonly key: EntityKey;
  readonly edit: RowEdit;
  readonly carry: SheetCarry;
  readonly decision: RowEditDecision & { readonly type: 'carry' };
}

/** The object as it is now, or why not. `said`: the platform's own reason in words for people. */
export type RowVerdict =
  | { readonly object: Snapshot }
  | { readonly code: RowRefusal; readonly said?: string };

/** `asked`: the requested start in UTC, or `cancel`. It may have been requested elsewhere, as by an event that staff moved. */
export type EndedRowWish = RowVerdict & { readonly asked: string };
