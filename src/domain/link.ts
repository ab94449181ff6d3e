import type { TextHashes } from './event-texts.ts';
import type { BookingRecord } from './outside-booking.ts';
import type { SheetSpot } from './sheet-row.ts';

/** One event in one calendar that mirrors one appointment. */
export interface CalendarLink {
  readonly calendarId: string;
  readonly eventId: string;
  /** Quoted, as Google sent it. */
  readonly etag: string;
  /** Hash of the owned fields last written. */
  readonly hash: string;
  /** Status of the appointment when the event was last written. */
  readonly status?: string;
  /** When an insert was about to be made of which no answer is known; epoch milliseconds. */
  readonly intendedAtMs?: number;
  /** The worker was about to take the event away, and no answer is known: that it is gone is nobody's wish. */
  readonly leaving?: true;
  /** The organizer was seen when the event was last written, and is nobody outside: until it changes it may be written unread. */
  readonly isOwn?: true;
  /** True while the event's colour was set by the mirror: it may take it away again. */
  readonly coloured: boolean;
  /** Start of the appointment when the event was last written, ISO 8601: from it is told who has moved it since. */
  readonly startsAt?: string;
  /** Resources of the appointment for which the event stands in this calendar. */
  readonly resourceIds?: readonly string[];
  /** Hash of what the event was made from, the mapping left aside: equal while only the YAML has changed. */
  readonly visitHash?: string;
  /** End of the appointment when the event was last written, ISO 8601: from it is told who has resized it since. */
  readonly endsAt?: string;
  /** Starts that were on their way to the event, and no answer came. An event that shows one of them was not moved by people. */
  readonly tried?: readonly string[];
  /** Since when a change that people made waits for its decision; epoch milliseconds. The mirror leaves the event alone meanwhile. */
  readonly editSeenAtMs?: number;
  /** By process: since when it knows of the deletion, by its own clock. The grace is counted by nobody else's. */
  readonly missedSinceMs?: Readonly<Record<string, number>>;
  /** By calendar: when it was asked for the missing event and did not show it; epoch milliseconds. */
  readonly looks?: Readonly<Record<string, number>>;
  /**
   * That the event is missing is nobody's wish. The worker has decided to put it back; or it took an event of the same id away elsewhere
   * while this one stood, and people may have moved it there before.
   */
  readonly doubled?: true;
  /** What was asked of the platform for it, and no verdict is recorded: a start, or `cancel`. */
  readonly asked?: string;
  /** The appointment's hour before the start that was asked for, unknown to its author. Events that show this hour get a note. */
  readonly overrules?: string;
  /** Texts of the event when it was last written, the note in them left aside: from it is told who has rewritten them since. */
  readonly shown?: TextHashes;
  /** What the event says to the people who look at it, beside what the mapping shows. */
  readonly note?: EventNote;
  /** People deleted or moved the event, and the mapping lets it be for as long as the appointment stands at this place (`placementOf`). */
  readonly leftAt?: string;
  /** People brought the event here from another calendar: wherever the appointment is not to stand here, it may be taken away. */
  readonly strayed?: true;
  /** A person has decided that the event may go where the mapping does not take the appointment any more. */
  readonly released?: true;
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
  /** Of `left`: the row was not there at the first try, either. Nobody has seen an answer in it. */
  readonly unshown?: true;
  /** Header to the pattern that its cell was last given; absent where there was none. */
  readonly formats?: Readonly<Record<string, string>>;
  /** `filterHash` of the object when the row was last put: from it is told whether the object or the YAML has changed since. */
  readonly standing?: string;
  /** Where the row stood before it moved here, and may stand still: it is emptied there. */
  readonly former?: SheetSpot & { readonly forced?: true };
  /** Where the row is about to move: it may stand there already, though nobody has seen it. */
  readonly bound?: SheetSpot;
  /** People have cells of their own beside the row, so it is not moved before this is over; epoch milliseconds. */
  readonly staysUntilMs?: number;
  /** A person has decided that the row may go where the mapping does not take the object any more. */
  readonly released?: true;
}

/** What one mirror holds of one object. Written right after the remote write. */
export interface MirrorLinks {
  readonly calendars?: readonly CalendarLink[];
  readonly sheet?: SheetLink;
  /** Of an outside booking: what was decided about it. */
  readonly booking?: BookingRecord;
}

/** Per mirror name. */
export type ObjectLinks = Readonly<Record<string, MirrorLinks>>;
