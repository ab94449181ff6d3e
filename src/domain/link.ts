import type { ClassMove } from './class-move.ts';
import type { ClassSplit } from './class-slot.ts';
import type { TextHashes } from './event-texts.ts';
import type { BookingRecord } from './outside-booking.ts';
import type { ShownCells } from './row-edit.ts';
import type { SheetSpot } from './sheet-row.ts';
import { calendarPlace, sheetPlace } from './standing.ts';

/**
 * One event in one calendar that mirrors one appointment. It says what is known of the event, what its absence would mean, and whether
 * people's change of it waits for a decision. All else is true of it, or absent.
 */
export interface CalendarLink {
  readonly calendarId: string;
  readonly eventId: string;
  /** True while the event's colour was set by the mirror: it may take it away again. */
  readonly coloured: boolean;
  readonly event: LinkedEvent;
  /** The event named the guests of a class when it was last written: what is not to name them any more has to be rewritten. */
  readonly namesGuests?: true;
  /**
   * - `wish`: people have deleted it.
   * - `leaving`: the worker was about to take it away, and no answer is known.
   * - `doubled`: the worker has decided to put it back. Or it removed an event of the same id elsewhere while this one stood; people may
   * have moved it there before.
   */
  readonly absence: 'wish' | 'leaving' | 'doubled';
  readonly edit: EditState;
  /** Resources of the appointment for which the event stands in this calendar. */
  readonly resourceIds?: readonly string[];
  /** Hash of what the event was made from, the mapping left aside: equal while only the YAML has changed. */
  readonly sourceHash?: string;
  /** The content lines of `where` that took the appointment when the event was last right: what they refuse now has changed itself. */
  readonly takenBy?: string;
  /** What the event says to the people who look at it, beside what the mapping shows. */
  readonly note?: EventNote;
  /** People deleted or moved the event, and the mapping lets it be for as long as the appointment stands at this place (`placementOf`). */
  readonly leftAt?: string;
  /** A person has decided that the event may go where the mapping does not take the appointment any more. */
  readonly released?: true;
}

/**
 * What is known of an event.
 *
 * | `is` | written by the worker | what it says | leaves by |
 * |---|---|---|---|
 * | `intended` | perhaps: an insert left, and no answer came | in doubt | `written`, or the link goes |
 * | `found` | nobody remembers: adopted, claimed, brought back | in doubt | `written` |
 * | `strayed` | no: people brought it here from another calendar | in doubt | `found`, or the link goes |
 * | `written` | yes | `hash` | `doubtful` |
 * | `doubtful` | yes; a write is under way, or it is to be put right | in doubt | `written` |
 *
 * What is in doubt is read before it is written.
 */
export type LinkedEvent =
  /** `sinceMs`: when the insert was about to leave; epoch milliseconds. */
  | (Seen & { readonly is: 'intended'; readonly sinceMs: number })
  | (Seen & { readonly is: 'found' })
  /** Wherever the appointment is not to stand here, the event may be taken away. */
  | (Seen & { readonly is: 'strayed' })
  | (Seen & Wrote & { readonly is: 'doubtful' })
  /** `hash`: of the owned fields last written. */
  | (Seen & Wrote & { readonly is: 'written'; readonly hash: string });

interface Seen {
  /** Quoted, as Google sent it; empty as long as nobody has seen the event. */
  readonly etag: string;
  readonly hour: KnownHour;
}

/** From it is told who has moved or resized the event since. */
export interface KnownHour {
  /** Start of the appointment when the event was last written, or on which both sides have agreed; ISO 8601. */
  readonly startsAt?: string;
  /** End of the appointment when the event was last written, ISO 8601. */
  readonly endsAt?: string;
  /** Starts that were on their way to the event, and no answer came. An event that shows one of them was not moved by people. */
  readonly tried?: readonly string[];
}

/** What was noted when the event was last written. Version 0.1.0 noted nothing of it, and 0.2.0 the status alone. */
interface Wrote {
  /** The appointment's status. */
  readonly status?: string;
  /**
   * The texts, the note in them left aside: from it is told who has rewritten them since. Where it is known, so is that nobody outside organizes
   * the event: until its etag changes it may be written unread.
   */
  readonly shown?: TextHashes;
}

/**
 * What becomes of a change that people made.
 *
 * | `is` | waits for | the mirror |
 * |---|---|---|
 * | `settled` | nothing | writes what differs |
 * | `open` | a decision | leaves the event alone |
 * | `asked` | the platform's verdict, to be recorded | leaves the event alone |
 * | `dropped` | nothing: Google shut the calendar while the verdict was awaited | writes what differs |
 */
export type EditState =
  | { readonly is: 'settled' }
  | (OpenEdit & { readonly is: 'open' })
  | (OpenEdit & { readonly is: 'asked'; readonly wish: AskedWish })
  | { readonly is: 'dropped'; readonly wish: AskedWish };

export interface OpenEdit {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** By machine: since when it knows of the deletion, by its own clock. The grace is counted by nobody else's. */
  readonly missedSinceMs: Readonly<Record<string, number>>;
  /** By calendar: when it was asked for the missing event and did not show it; epoch milliseconds. */
  readonly looks: Readonly<Record<string, number>>;
}

/** What was asked of the platform for a changed event. */
export interface AskedWish {
  /** A start, ISO 8601; or `cancel`. */
  readonly for: string;
  /** The appointment's hour before the start that was asked for, unknown to its author. Events that show this hour get a note. */
  readonly overrules?: string;
  /** Class events only: how far each appointment of the class got. */
  readonly classMove?: ClassMove;
}

/** A link to an event of which nothing is known but where it is, and perhaps its hour. */
export function linkTo(
  at: { readonly calendarId: string; readonly eventId: string },
  known: { readonly etag?: string; readonly coloured?: boolean; readonly hour?: KnownHour } = {},
): CalendarLink & { readonly event: { readonly is: 'found' } } {
  const { calendarId, eventId } = at;
  const { etag = '', coloured = false, hour = {} } = known;
  const event = { is: 'found', etag, hour } as const;
  return { calendarId, eventId, coloured, event, absence: 'wish', edit: { is: 'settled' } };
}

/** What it says is in doubt from now on. */
export function doubted(event: LinkedEvent): LinkedEvent {
  if (event.is !== 'written') return event;
  const { hash: _, ...known } = event;
  return { ...known, is: 'doubtful' };
}

/** Undefined while nobody remembers that the worker wrote the event. */
export function writtenAs({ event }: CalendarLink): Wrote | undefined {
  return event.is === 'written' || event.is === 'doubtful' ? event : undefined;
}

/** Starts that the worker has written, or has tried to. */
export function startsOf({ event: { hour } }: CalendarLink): readonly string[] {
  return hour.startsAt === undefined ? triedOf(hour) : [hour.startsAt, ...triedOf(hour)];
}

export function triedOf({ tried = [] }: KnownHour): readonly string[] {
  return tried;
}

/** Undefined while nothing that people did waits for its decision. */
export function openEdit({ edit }: CalendarLink): OpenEdit | undefined {
  return edit.is === 'open' || edit.is === 'asked' ? edit : undefined;
}

/** Undefined when nothing was asked of the platform, or its verdict is recorded. */
export function askedWish({ edit }: CalendarLink): AskedWish | undefined {
  return edit.is === 'asked' || edit.is === 'dropped' ? edit.wish : undefined;
}

/** A change of it waits for its decision; since then, when it did already. */
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
  /** `standingOf` the appointment when it was said. */
  readonly of: string;
}

/** One row in one tab that mirrors one object. */
export interface SheetLink {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** Hash of the cells last confirmed. `cleared` when the row was taken away, `left` when it was not there and shall stay away. */
  readonly hash: string;
  /** With `left`: the first try did not find the row, either. Nobody has seen an answer in it. */
  readonly unshown?: true;
  /** Header to the pattern that its cell was last given; absent where there was none. */
  readonly formats?: Readonly<Record<string, string>>;
  /** `filterMark` of the object when the row was last put: from it is told whether the object or the YAML has changed since. */
  readonly standing?: string;
  /** Where the row stood before it moved here, and may stand still: it is emptied there. */
  readonly former?: SheetSpot & { readonly forced?: true };
  /** Where the row is about to move: it may stand there already, though nobody has seen it. */
  readonly bound?: SheetSpot;
  /** What the cells that people may change said when the row was last confirmed. */
  readonly shown?: ShownCells;
  /** People have cells of their own beside the row, so it is not moved before this is over; epoch milliseconds. */
  readonly staysUntilMs?: number;
  /** A person has decided that the row may go where the mapping does not take the object any more. */
  readonly released?: true;
}

/** What one mirror holds of one object. Written right after the remote write. */
export interface MirrorLinks {
  readonly calendars?: readonly CalendarLink[];
  readonly sheet?: SheetLink;
  /** Outside bookings only: what was decided. */
  readonly booking?: BookingRecord;
  /** Appointments only: the classes that have to hear when it changes, as `classSlotText`. */
  readonly slots?: readonly string[];
  /** Appointments only: the revision that these classes have heard of. */
  readonly rung?: number;
  /** Classes only: ids of appointments that were told that the class shows them. */
  readonly told?: readonly string[];
  /** Classes only: the class was to be moved `to` this start, was refused, and these appointments could not be moved back. */
  readonly split?: ClassSplit;
}

/** Per mirror name. */
export type ObjectLinks = Readonly<Record<string, MirrorLinks>>;

/** Where something stands for an object, by mirror. */
export function spotsOf(links: ObjectLinks): readonly { readonly mirror: string; readonly place: string }[] {
  return Object.entries(links).flatMap(([mirror, { calendars = [], sheet }]) => [
    ...calendars.map(({ calendarId }) => ({ mirror, place: calendarPlace(calendarId) })),
    ...(sheet === undefined || sheet.hash === 'cleared' ? [] : [{ mirror, place: sheetPlace(sheet) }]),
  ]);
}
