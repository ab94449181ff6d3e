import { createHash } from 'node:crypto';
import type { ClassMove } from './class-move.ts';
import type { ClassSplit } from './class-slot.ts';
import { type TextHashes, WRITTEN_MARK } from './event-texts.ts';
import { calendarPlace, sheetPlace } from './mirror.ts';
import type { BookingRecord } from './outside-booking.ts';
import type { ShownCells } from './row-edit.ts';
import type { SheetSpot } from './sheet-row.ts';

/**
 * One event in one calendar that mirrors one appointment. The link says what is known of the event, what its absence would mean, and
 * whether a change by people waits for a decision. All other fields are facts about it, or absent.
 */
export interface CalendarLink {
  readonly calendarId: string;
  readonly eventId: string;
  /** True while the event has a colour that the mirror set: the mirror may remove it again. */
  readonly coloured: boolean;
  readonly event: LinkedEvent;
  /** The event named the guests of a class when it was last written: it must be rewritten if it may no longer name them. */
  readonly namesGuests?: true;
  /**
   * - `wish`: people have deleted it.
   * - `leaving`: the worker was about to delete it, and no answer is known.
   * - `doubled`: the worker has decided to put it back. Or the worker deleted an event of the same id elsewhere while this one existed;
   * people may have moved it there before.
   */
  readonly absence: 'wish' | 'leaving' | 'doubled';
  readonly edit: EditState;
  /** Resources of the appointment for which the event is in this calendar. */
  readonly resourceIds?: readonly string[];
  /** Hash of what the event was made from, without the mapping: unchanged while only the YAML has changed. */
  readonly sourceHash?: string;
  /**
   * Hash of the content lines of `where` that took the appointment when the event was last right. If they now refuse it, the appointment
   * itself has changed.
   */
  readonly takenBy?: string;
  /** What the event says to its readers, in addition to what the mapping shows. */
  readonly note?: EventNote;
  /** People deleted or moved the event, and the mapping leaves it so while the appointment keeps this placement (`placementOf`). */
  readonly leftAt?: string;
  /** Start of the event, ISO 8601, when people's change was let be. While it shows this start, that decision stands under any mapping. */
  readonly letBe?: string;
  /** A person has approved that the event may go if the mapping no longer takes the appointment there. */
  readonly released?: true;
}

/**
 * What is known of an event.
 *
 * | `is` | written by the worker | what it says | leaves by |
 * |---|---|---|---|
 * | `intended` | perhaps: an insert left, and no answer arrived | in doubt | `written`, or the link is removed |
 * | `found` | unknown: adopted, claimed, brought back | in doubt | `written` |
 * | `strayed` | no: people brought it here from another calendar | in doubt | `found`, or the link is removed |
 * | `written` | yes | `hash` | `doubtful` |
 * | `doubtful` | yes; a write is under way, or it is to be put right | in doubt | `written` |
 *
 * The worker reads an event in doubt before it writes it.
 */
export type LinkedEvent =
  /** `sinceMs`: when the insert was about to leave; epoch milliseconds. */
  | (Seen & { readonly is: 'intended'; readonly sinceMs: number })
  | (Seen & { readonly is: 'found' })
  /** The worker may delete the event if the appointment does not belong in this calendar. */
  | (Seen & { readonly is: 'strayed' })
  | (Seen & Wrote & { readonly is: 'doubtful' })
  /**
   * `hash`: of the owned fields last written. `content`: hash of what an event of a series says in this state. A change of another event
   * of the series changes its etag, too.
   */
  | (Seen & Wrote & { readonly is: 'written'; readonly hash: string; readonly content?: string });

interface Seen {
  /** Quoted, as Google sent it; empty until the event has been seen. */
  readonly etag: string;
  readonly hour: KnownTimes;
}

/** Shows who has moved or resized the event since. */
export interface KnownTimes {
  /** Start of the appointment when the event was last written, or when both sides last agreed; ISO 8601. */
  readonly startsAt?: string;
  /** End of the appointment when the event was last written, ISO 8601. */
  readonly endsAt?: string;
  /** Starts whose write to the event got no answer. An event that shows one of them was not moved by people. */
  readonly tried?: readonly string[];
}

/** What was recorded when the event was last written. Version 0.1.0 recorded none of it, and 0.2.0 only the status. */
interface Wrote {
  /** The appointment's status. */
  readonly status?: string;
  /**
   * Hashes of the texts without the note: they show who has rewritten them since. If present, no one outside organizes the event, so the
   * worker may write it unread until its etag changes.
   */
  readonly shown?: TextHashes;
}

/**
 * What happens to a change that people made.
 *
 * | `is` | waits for | the mirror |
 * |---|---|---|
 * | `settled` | nothing | writes what differs |
 * | `open` | a decision | leaves the event alone |
 * | `asked` | the platform's verdict, to be recorded | leaves the event alone |
 * | `dropped` | nothing: Google closed the calendar to the worker before the verdict | writes what differs |
 */
export type EditState =
  | { readonly is: 'settled' }
  | (OpenEdit & { readonly is: 'open' })
  | (OpenEdit & { readonly is: 'asked'; readonly wish: AskedWish })
  | { readonly is: 'dropped'; readonly wish: AskedWish };

export interface OpenEdit {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** By machine: since when it knows of the deletion, by its own clock. A machine counts the grace only by its own entry. */
  readonly missedSinceMs: Readonly<Record<string, number>>;
  /** By calendar: when a search for the missing event did not find it there; epoch milliseconds. */
  readonly looks: Readonly<Record<string, number>>;
}

/** What the worker requested from the platform for a changed event. */
export interface AskedWish {
  /** A start, ISO 8601; or `cancel`. */
  readonly for: string;
  /** The appointment's start before the requested one, unknown to the author of the change. Events that show it get a note. */
  readonly overrules?: string;
  /** Class events only: how far each appointment of the class got. */
  readonly classMove?: ClassMove;
}

/** A link that knows only where the event is, and perhaps its start and end. */
export function linkTo(
  at: { readonly calendarId: string; readonly eventId: string },
  known: { readonly etag?: string; readonly coloured?: boolean; readonly hour?: KnownTimes } = {},
): CalendarLink & { readonly event: { readonly is: 'found' } } {
  const { calendarId, eventId } = at;
  const { etag = '', coloured = false, hour = {} } = known;
  const event = { is: 'found', etag, hour } as const;
  return { calendarId, eventId, coloured, event, absence: 'wish', edit: { is: 'settled' } };
}

/** Puts the event's content in doubt from now on. */
export function doubted(event: LinkedEvent): LinkedEvent {
  if (event.is !== 'written') return event;
  const { hash: _, content: __, ...known } = event;
  return { ...known, is: 'doubtful' };
}

/** Undefined if it is unknown whether the worker wrote the event. */
export function writtenAs({ event }: CalendarLink): Wrote | undefined {
  return event.is === 'written' || event.is === 'doubtful' ? event : undefined;
}

/** Starts that the worker has written or tried to write. */
export function startsOf({ event: { hour } }: CalendarLink): readonly string[] {
  return hour.startsAt === undefined ? triedOf(hour) : [hour.startsAt, ...triedOf(hour)];
}

export function triedOf({ tried = [] }: KnownTimes): readonly string[] {
  return tried;
}

/** Undefined while no change by people waits for a decision. */
export function openEdit({ edit }: CalendarLink): OpenEdit | undefined {
  return edit.is === 'open' || edit.is === 'asked' ? edit : undefined;
}

/** Undefined if nothing was requested from the platform, or its verdict is recorded. */
export function askedWish({ edit }: CalendarLink): AskedWish | undefined {
  return edit.is === 'asked' || edit.is === 'dropped' ? edit.wish : undefined;
}

/** The link with a change that waits for a decision: since now, or since an earlier change. */
export function opened(link: CalendarLink, nowMs: number, more: Partial<OpenEdit> = {}): CalendarLink {
  const wish = askedWish(link);
  const known = openEdit(link) ?? { sinceMs: nowMs, missedSinceMs: {}, looks: {} };
  const { sinceMs, missedSinceMs, looks } = { ...known, ...more };
  const open = { sinceMs, missedSinceMs, looks };
  return { ...link, edit: wish === undefined ? { is: 'open', ...open } : { is: 'asked', ...open, wish } };
}

/** A sentence in an event, until the appointment changes. */
export interface EventNote {
  /** `slot-unavailable`, `past`, …: for logs and operators. */
  readonly code: string;
  /** Plain text for people. */
  readonly text: string;
  /** `visibleState` of the appointment when the note was written. */
  readonly of: string;
}

/** One row in one tab that mirrors one object. */
export interface SheetLink {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** Hash of the last confirmed cells. `cleared`: the row was removed. `left`: the row was not there and must stay away. */
  readonly hash: string;
  /** With `left`: even the first write did not find the row, so no one has seen an answer in it. */
  readonly unshown?: true;
  /** Header to the number format last given to its cell; absent if there was none. */
  readonly formats?: Readonly<Record<string, string>>;
  /** `filterMark` of the object when the row was last put. It shows whether the object or the YAML has changed since. */
  readonly standing?: string;
  /** The row's place before it moved here. The row may still be there, and is emptied there. */
  readonly former?: SheetSpot & { readonly forced?: true };
  /** The row's next place. The row may already be there, although no one has seen it. */
  readonly bound?: SheetSpot;
  /** Content of the cells that people may change, as last confirmed. */
  readonly shown?: ShownCells;
  /** People have cells of their own beside the row, so it does not move before this moment; epoch milliseconds. */
  readonly staysUntilMs?: number;
  /** A person has approved that the row may go if the mapping no longer takes the object there. */
  readonly released?: true;
}

/** What one mirror holds of one object. Stored before an insert, and right after every other remote write. */
export interface MirrorLinks {
  readonly calendars?: readonly CalendarLink[];
  readonly sheet?: SheetLink;
  /** Outside bookings only: the decision. */
  readonly booking?: BookingRecord;
  /** Appointments only: the classes to notify when it changes, as `classSlotText`. */
  readonly slots?: readonly string[];
  /** Appointments only: the revision about which these classes were notified. */
  readonly rung?: number;
  /** Classes only: ids of the appointments notified that the class shows them. */
  readonly told?: readonly string[];
  /** Classes only: the appointments that could not be moved back after a move of the class was refused. */
  readonly split?: ClassSplit;
}

/** Per mirror name. */
export type ObjectLinks = Readonly<Record<string, MirrorLinks>>;

/** The places that hold something of an object, by mirror. */
export function spotsOf(links: ObjectLinks): readonly { readonly mirror: string; readonly place: string }[] {
  return Object.entries(links).flatMap(([mirror, { calendars = [], sheet }]) => [
    ...calendars.map(({ calendarId }) => ({ mirror, place: calendarPlace(calendarId) })),
    ...(sheet === undefined || sheet.hash === 'cleared' ? [] : [{ mirror, place: sheetPlace(sheet) }]),
  ]);
}

/** Enough to distinguish the calendars of one company. */
const HASH_CHARS = 16;
const WRITTEN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([0-9a-f]{16})$/;

/** Where the worker last wrote an event, by the event itself. */
interface WrittenPlace {
  /** ISO 8601, UTC. */
  readonly startsAt: string;
  readonly calendarId: string;
}

/** The mark of an event that is written now. A copy or a dragged event keeps it. */
export function writtenMark({ startsAt, calendarId }: WrittenPlace): Readonly<Record<string, string>> {
  return { [WRITTEN_MARK]: `${startsAt} ${hashOf(calendarId)}` };
}

/** Undefined for an event of an earlier version, or if it was written in none of these calendars. */
export function writtenPlace(
  marks: Readonly<Record<string, string | null>>,
  calendarIds: Iterable<string>,
): WrittenPlace | undefined {
  const [, startsAt, hash] = WRITTEN.exec(marks[WRITTEN_MARK] ?? '') ?? [];
  if (startsAt === undefined || Number.isNaN(Date.parse(startsAt))) return undefined;
  for (const calendarId of calendarIds) if (hashOf(calendarId) === hash) return { startsAt, calendarId };
  return undefined;
}

function hashOf(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, HASH_CHARS);
}

/** An event as its calendar shows it. */
interface Shown {
  readonly calendarId: string;
  readonly eventId: string;
  readonly etag: string;
  readonly coloured: boolean;
  /** Epoch milliseconds; undefined for an all-day event. */
  readonly startMs: number | undefined;
}

/**
 * The link to where the worker wrote the event. If people have moved it since, that change is open. An event of the past is moved no more,
 * so nothing is said about it.
 */
export function linkAsWritten(shown: Shown, written: WrittenPlace, nowMs: number): CalendarLink | undefined {
  const startMs = Date.parse(written.startsAt);
  if (startMs <= nowMs) return undefined;
  const { calendarId, eventId, etag, coloured } = shown;
  const hour = { startsAt: written.startsAt };
  if (written.calendarId === calendarId && startMs === shown.startMs)
    return linkTo({ calendarId, eventId }, { etag, coloured, hour });
  return opened(linkTo({ calendarId: written.calendarId, eventId }, { coloured, hour }), nowMs);
}
