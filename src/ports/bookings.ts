// What people book and change outside, on its way to the platform and back.
import type { BookWish, Refusal, Verdict, Wish } from '../domain/booking.ts';
import type { EntityKey } from '../domain/entity.ts';
import type { WorkerError } from '../domain/errors.ts';
import type { EndedRequest, IntentRecord, OpenRequest } from '../domain/intent.ts';
import type { BookingAnswer, SeenBooking, SeenRowBooking, SheetBookings } from '../domain/outside-booking.ts';
import type { CarriedField, RowEdit, RowNote, RowRefusal, SheetCarry } from '../domain/row-edit.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Claim } from '../domain/work.ts';

/**
 * Whether a live appointment that bears the mark of another origin is this one's; `perhaps`: a person has to say. `isCustomers`: the
 * platform has it for the very customer who is to be booked.
 */
export type IsFormer = (
  mark: string,
  appointment: Snapshot,
  isCustomers: boolean,
) => Promise<boolean | 'perhaps'>;

/** Carries wishes to the platform, each exactly once: what was begun is finished before anything newer is looked at. */
export interface BookingSubmitter {
  /**
   * Brings the wish to its verdict. The request is stored, body and key, before it leaves. An earlier request of this origin without an
   * answer is finished first; its verdict is returned with `earlier`. Rejects with `RetryableError` or `DeferredError` while there is no
   * verdict: call again.
   *
   * `isFormer`: whether an appointment that was made for another origin is this one's, which has changed its place or its name since. Asked
   * when nothing is known of a booking, of what the platform shows. `perhaps` ends in the refusal `perhaps-booked`.
   */
  submit(origin: string, wish: Wish, isFormer?: IsFormer): Promise<Verdict & { readonly earlier?: Wish }>;
  /** Finishes what was begun for this origin; undefined when nothing is open. */
  finish(origin: string): Promise<(Verdict & { readonly earlier: Wish }) | undefined>;
  /**
   * The appointment that this origin's last successful booking made, as far as the submitter remembers. Ask when your own record knows none:
   * a verdict that was reached and not taken home would otherwise leave an appointment that nobody cancels.
   */
  made(origin: string): Promise<string | undefined>;
  /** The live appointment that the platform shows as booked by this origin, as it was wished. Ask where the submitter may have forgotten. */
  find(origin: string, wish: BookWish): Promise<string | undefined>;
  /**
   * Free times of a day, for somebody who has yet to choose one; nothing where there are none, or none can be told. Rejects with
   * `RetryableError` or `DeferredError` for a while when the platform cannot be asked: call again. `sinceMs`: when it was wished.
   */
  freeTimes(
    wished: { readonly serviceId: string; readonly branchId?: string; readonly resourceId?: string } & {
      readonly guests?: number;
      readonly durationMin?: number;
    },
    within: { readonly fromMs: number; readonly toMs: number; readonly sinceMs: number },
  ): Promise<Pick<Refusal, 'slots' | 'zone'>>;
}

/** What is booked, and where, but for its hour. */
export interface WishedPlace {
  readonly serviceId: string;
  readonly branchId?: string;
  readonly resourceId?: string;
  readonly guests?: number;
  readonly durationMin?: number;
}

/** Free times for rows that have yet to get their hour. Advice: the verdict is the platform's. */
export interface RowTimes {
  /** Undefined when it cannot be told from the row, or the row has no wish. */
  placeOf(mapping: SheetBookings, seen: SeenRowBooking): WishedPlace | undefined;
  /**
   * In epoch milliseconds, the earliest first; of a day, or the next ones. Rejects with `TerminalError` when this can never be asked, else
   * with the other two families.
   */
  free(place: WishedPlace, day?: DayAsked): Promise<readonly number[]>;
}

/** Epoch milliseconds; of a day, so that it may have 23 or 25 hours. */
export interface DayAsked {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Renders the templates of one entry of `bookings`. */
export interface BookingTemplates {
  /** Trimmed; empty where nothing is there. Throws `TerminalError` (`template-failed`) when it cannot be rendered for what was seen. */
  text(source: string, fields: Readonly<Record<string, unknown>>): string;
}

/** Where an outside booking was made, and where its author looks for the answer. */
export interface AnswerPlace {
  /** Asked before anything is booked: rejects with `DeferredError` for as long as nothing may be written there. Absent: that is known otherwise. */
  assertWritable?(seen: SeenBooking): Promise<void>;
  /**
   * Makes the place say this and nothing older of the worker's own; what people wrote there stays. An empty text takes the answer away.
   * Saying the same again changes nothing; what a handler says whose `claim` was overtaken is not said. `gone`: the place is not there any more. Rejects with the error families.
   */
  answer(seen: SeenBooking, answer: BookingAnswer, claim: Claim): Promise<'answered' | 'gone'>;
}

/** What was begun on the platform, per origin. Each call is one atomic step, durable when it resolves. */
export interface IntentStore {
  /** Undefined when nothing is known of the origin: it is new, or the store was lost. */
  read(origin: string): Promise<IntentRecord | undefined>;
  /**
   * Stores the request as the open one. `open`: another one is open already, and nothing was stored. `stale`: a request with this
   * generation or a later one has been there since the record was read; read it again.
   */
  begin(
    origin: string,
    request: OpenRequest,
  ): Promise<{ outcome: 'begun' | 'open'; open: OpenRequest } | { outcome: 'stale' }>;
  /** The open request takes another key and body, for the same wish. False when `key` is not the open one any more. */
  replace(origin: string, key: string, request: OpenRequest): Promise<boolean>;
  /** Closes the request with `end.key`, its body is forgotten. False when it was not open any more; then nothing is changed. */
  settle(origin: string, end: EndedRequest): Promise<boolean>;
}

/** From the calendars back to the platform: looks at what people did to the events of an object, before the mirrors write. */
export interface EditCarrier {
  /**
   * Decides about every sighting of the claim and records the decision in the links; what the mapping allows goes to the platform.
   * Doing it again changes nothing. Rejects only when another handler has taken the object over (`fenced`) or the store is away.
   */
  carry(claim: Claim): Promise<Carried>;
}

export interface Carried {
  /** With the links, and the snapshot, as they are now. */
  readonly claim: Claim;
  /** What could not be decided yet, or not without a person. Events that are concerned are left alone meanwhile. */
  readonly failures: readonly {
    readonly mirror: string;
    readonly place?: string;
    readonly error: WorkerError;
  }[];
}

/** How changed cells in the rows of one kind of object are judged, and carried to the platform. */
export interface RowEditRules {
  /** Equal for changes that say the same. */
  hashOf(edit: RowEdit, carry: SheetCarry): string;
  /** Pure. */
  decide(facts: RowEditFacts): RowEditDecision;
  /** The caller has stored before what is about to be sent. Rejects with the error families while there is no verdict: call again. */
  carry(asked: CarriedCell): Promise<RowVerdict>;
  /** The end of what was begun earlier; undefined when nothing is open. Absent: nothing of it is kept anywhere. */
  finish?(key: EntityKey): Promise<EndedRowWish | undefined>;
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
  /** It was answered before, or the mapping does not carry the column any more. */
  | { readonly type: 'nothing' }
  /** The platform has it so. `isOurs`: the worker asked for it. */
  | { readonly type: 'agreed'; readonly isOurs: boolean }
  /** `over`: hash of what the platform has now. */
  | {
      readonly type: 'carry';
      readonly field: CarriedField;
      readonly value: string;
      readonly over: string;
    }
  | { readonly type: 'refuse'; readonly code: RowRefusal };

export interface CarriedCell {
  readonly key: EntityKey;
  readonly edit: RowEdit;
  readonly carry: SheetCarry;
  readonly decision: RowEditDecision & { readonly type: 'carry' };
}

/** The object as it is now; or why not, in words for people where the platform gave a reason of its own. */
export type RowVerdict =
  | { readonly object: Snapshot }
  | { readonly code: RowRefusal; readonly said?: string };

/** `asked`: the start that was asked for, in UTC, or `cancel`. It may have been asked for elsewhere, as by an event that staff moved. */
export type EndedRowWish = RowVerdict & { readonly asked: string };
