// Blocks: appointments of a house contact that keep the time of a person's private events unbookable. Nothing here holds text of an event.

import type { Snapshot } from './object.ts';
import type { EventRule } from './outside-booking.ts';

/** From `startMs` up to, but not including, `endMs`; epoch milliseconds. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Weekday (1 Monday to 7 Sunday) to spans of minutes of that day; 1440 is the midnight at its end. */
export type WeekHours = Readonly<Record<number, readonly (readonly [fromMin: number, toMin: number])[]>>;

/** Which events make their person busy. */
export interface BusyRule {
  /** Events shown as free. */
  readonly free: boolean;
  readonly declined: boolean;
  /** Tentative events, and events with a tentative response. */
  readonly tentative: boolean;
  /** Invitations by others without a response: anyone can send one. */
  readonly unanswered: boolean;
  readonly allDay: boolean;
  readonly outOfOffice: boolean;
  /** Shorter events make no block. */
  readonly shortestMs: number;
  /** Added before and after each event. */
  readonly paddingMs: number;
}

export interface BlockRule {
  readonly name: string;
  /** Name or id. */
  readonly service: string;
  readonly contactId: string;
  /** Each resource, by name or id, with that person's calendars. */
  readonly people: readonly { readonly resource: string; readonly calendars: readonly PrivateCalendar[] }[];
  /** When these people are bookable at all, in the time zone of their branch. */
  readonly hours: WeekHours;
  readonly busy: BusyRule;
  readonly horizonMs: number;
  readonly everyMs: number;
  /** The worker books and cancels nothing, so that `blocks clear` can work undisturbed. */
  readonly paused: boolean;
}

export interface PrivateCalendar {
  readonly calendarId: string;
  /** Name of the Google account that reads it; absent: the default account. */
  readonly account?: string;
}

/** The parts of a calendar event that a rule needs. */
export interface BusyEvent {
  readonly id: string;
  /** Id of the series; only for events of a series. */
  readonly seriesId?: string;
  /** A timed event has `dateTime`, RFC 3339. An all-day event has `date`, without a zone. */
  readonly start: BusyMoment;
  readonly end: BusyMoment;
  readonly type: string;
  readonly isFree: boolean;
  readonly isTentative: boolean;
  /** Someone else's event, to which the calendar's owner is only invited. */
  readonly isInvitation: boolean;
  /** The owner's response: `needsAction`, `declined`, `tentative`, `accepted`; absent if the event requires none. */
  readonly response?: string;
  /** It carries the worker's mark: a mirror wrote it, or it is a copy of such an event. */
  readonly isMarked: boolean;
  /** Present only if people book in this calendar: an event that a rule of `bookings` takes is not a private event. */
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

/** What is known of one person's calendars: the snapshot of a `block` object. Times only. */
export interface SeenBusy extends Snapshot {
  /** The resource's id. */
  readonly id: string;
  /** Name of the `blocks` entry. */
  readonly rule: string;
  readonly seen_at: string;
  readonly calendars: readonly SeenCalendar[];
}

export interface SeenCalendar {
  /** A hash, because the id of a calendar is a person's address. */
  readonly name: string;
  /** Null until the calendar has been read once. */
  readonly busy: readonly (readonly [startMs: number, endMs: number])[] | null;
}

/** Memory key: until when a person allows mass cancellations for an entry, epoch milliseconds as text. */
export function blocksApproved(rule: string): string {
  return `approved-blocks:${rule}`;
}

/** Prefix of memory keys; the resource's id follows. The value is the result of its last block turn, a `HeldBlocks` and more. */
export const BLOCK_REPORT = 'block-report ';

export interface HeldBlocks {
  readonly rule: string;
  readonly atMs: number;
  /** Cancellations that wait for a person. */
  readonly held: number;
  /** Calendars that have never been read. While there are any, the worker cancels nothing. */
  readonly unread: number;
}

/** How the origin of every block begins. */
export const ORIGIN_PREFIX = 'block/';

/** Origin of a block, stored in the `metadata` of its appointment. It names the person and the time, and nothing of any event. */
export function blockOrigin(resourceId: string, startMs: number): string {
  return `${ORIGIN_PREFIX}${resourceId}/${new Date(startMs).toISOString()}`;
}

export function isBlockOrigin(origin: unknown): origin is string {
  return typeof origin === 'string' && origin.startsWith(ORIGIN_PREFIX);
}
