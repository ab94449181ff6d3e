/** One event in one calendar that mirrors one appointment. */
export interface CalendarLink {
  readonly calendarId: string;
  readonly eventId: string;
  /** Quoted, as Google sent it. */
  readonly etag: string;
  /** Hash of the owned fields last written. */
  readonly hash: string;
  /** Status of the visit when the event was last written. */
  readonly status?: string;
  /** When an insert was about to be made of which no answer is known; epoch milliseconds. */
  readonly intendedAtMs?: number;
  /** True while the event's colour was set by the mirror: it may take it away again. */
  readonly coloured: boolean;
  /** Start of the visit when the event was last written, ISO 8601: from it is told who has moved it since. */
  readonly startsAt?: string;
  /** Resources of the visit for which the event stands in this calendar. */
  readonly resourceIds?: readonly string[];
  /** Hash of what the event was made from, the mapping left aside: equal while only the YAML has changed. */
  readonly visitHash?: string;
}

/** One row in one tab that mirrors one object. */
export interface SheetLink {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** Hash of the cells last confirmed. `cleared` when the row was taken away. */
  readonly hash: string;
  /** Header to the pattern that its cell was last given; absent where there was none. */
  readonly formats?: Readonly<Record<string, string>>;
}

/** What one mirror holds of one object. Written right after the remote write. */
export interface MirrorLinks {
  readonly calendars?: readonly CalendarLink[];
  readonly sheet?: SheetLink;
}

/** Per mirror name. */
export type ObjectLinks = Readonly<Record<string, MirrorLinks>>;
