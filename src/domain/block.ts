// Blocks: appointments of a house contact that keep the time of somebody's private events unbookable. Nothing here holds a text of an event.
import type { EventRule } from './outside-booking.ts';
import type { Snapshot } from './snapshot.ts';

/** From `startMs` until before `endMs`, epoch milliseconds. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Weekday, 1 Monday to 7 Sunday, to spans of minutes of that day; 1440 is the midnight that ends it. */
export type WeekHours = Readonly<Record<number, readonly (readonly [fromMin: number, toMin: number])[]>>;

/** Which events take the time of their person. */
export interface BusyRule {
  /** Events that are shown as free. */
  readonly free: boolean;
  readonly declined: boolean;
  /** Events and answers that say maybe. */
  readonly tentative: boolean;
  /** Invitations by others that nobody has answered: anybody can send one. */
  readonly unanswered: boolean;
  readonly allDay: boolean;
  readonly outOfOffice: boolean;
  /** Shorter events make no block. */
  readonly shortestMs: number;
  /** Added before and after each event. */
  readonly paddingMs: number;
}

/** One entry of `blocks`. */
export interface BlockRule {
  readonly name: string;
  /** By name or id. */
  readonly service: string;
  readonly contactId: string;
  /** Resource, by name or id, and the calendars of that person. */
  readonly people: readonly { readonly resource: string; readonly calendars: readonly PrivateCalendar[] }[];
  /** When these people can be booked at all, in the zone of their branch. */
  readonly hours: WeekHours;
  readonly busy: BusyRule;
  readonly horizonMs: number;
  readonly everyMs: number;
  /** Nothing is booked and nothing is cancelled; `blocks clear` has a free hand. */
  readonly paused: boolean;
}

export interface PrivateCalendar {
  readonly calendarId: string;
  /** Name of the Google account that reads it; absent: the default one. */
  readonly account?: string;
}

/** What a rule needs of an event, as its calendar shows it. */
export interface BusyEvent {
  readonly id: string;
  /** Events of a series only: the id of the series. */
  readonly seriesId?: string;
  /** `dateTime` of an event with hours, RFC 3339; `date` of one of whole days, without a zone. */
  readonly start: BusyMoment;
  readonly end: BusyMoment;
  readonly type: string;
  readonly isFree: boolean;
  readonly isTentative: boolean;
  /** Somebody else's, to whom the calendar's owner is only invited. */
  readonly isInvitation: boolean;
  /** What the owner has answered: `needsAction`, `declined`, `tentative`, `accepted`; absent where there is nothing to answer. */
  readonly response?: string;
  /** It bears the worker's mark: a mirror put it there, or it is a copy of such an event. */
  readonly isMarked: boolean;
  /** Given only where people book in this calendar: an event that a rule of `bookings` takes is no private event. */
  readonly ruled?: {
    readonly title?: string | undefined;
    readonly creator?: string | undefined;
    readonly invitedBy?: string | undefined;
    readonly attendees?: readonly string[] | undefined;
    readonly properties?: Readonly<Record<string, string>> | undefined;
  };
}

export interface BusyMoment {
  readonly dateTime?: string | undefined;
  readonly date?: string | undefined;
}

/** The rules of `bookings` for one calendar. */
export type BookingRules = readonly EventRule[];

/** What is known of the calendars of one person: the snapshot of an object of the kind `block`. Times only. */
export interface SeenBusy extends Snapshot {
  /** The resource's id. */
  readonly id: string;
  /** Name of the entry of `blocks`. */
  readonly rule: string;
  readonly seen_at: string;
  readonly calendars: readonly SeenCalendar[];
}

export interface SeenCalendar {
  /** A hash: the id of a calendar is somebody's address. */
  readonly name: string;
  /** Null while the calendar could never be read. */
  readonly busy: readonly (readonly [startMs: number, endMs: number])[] | null;
}

/** In the memory: until when a person lets many cancellations of an entry happen at once, epoch milliseconds as text. */
export function blocksApproved(rule: string): string {
  return `approved-blocks:${rule}`;
}

/** In the memory, followed by the resource: what the last turn of its blocks came to, a `HeldBlocks` and more. */
export const BLOCK_REPORT = 'block-report ';

export interface HeldBlocks {
  readonly rule: string;
  readonly atMs: number;
  /** Cancellations that wait for a person. */
  readonly held: number;
  /** Calendars that have never been read: nothing is cancelled. */
  readonly unread: number;
}

const ORIGIN_PREFIX = 'block/';

/** Where a block comes from: names person and time, and nothing of any event. Stands in the `metadata` of its appointment. */
export function blockOrigin(resourceId: string, startMs: number): string {
  return `${ORIGIN_PREFIX}${resourceId}/${new Date(startMs).toISOString()}`;
}

export function isBlockOrigin(origin: unknown): origin is string {
  return typeof origin === 'string' && origin.startsWith(ORIGIN_PREFIX);
}
