import * as z from 'zod';
import { APPOINTMENT_MARK } from '../engine/event-texts.ts';
import { isEventIdOf, seriesOfInstance } from '../engine/ids.ts';
import { contentHash } from '../engine/object.ts';

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const MOMENT = z.object({ dateTime: text, date: text, timeZone: text }).optional().catch(undefined);
const PERSON = z.object({ email: text, displayName: text, self: flag }).optional().catch(undefined);
const ATTENDEE = z.object({
  email: text,
  displayName: text,
  self: flag,
  organizer: flag,
  resource: flag,
  optional: flag,
  responseStatus: text,
});

/** Attendees of one event that are read: Google allows no more with answers, and a list of thousands is no appointment. */
export const ATTENDEES_READ_MAX = 500;

/**
 * The part of Google's Event that the worker reads. A tombstone may hold only `id` and `status`. A field of an unexpected shape counts as
 * absent: one odd event must not stop the reading of its calendar.
 */
export const CALENDAR_EVENT = z.object({
  id: z.string(),
  etag: z.string().catch(''),
  status: z.string().catch('confirmed'),
  summary: text,
  description: text,
  location: text,
  colorId: text,
  /** A label of people. Google shows its colour instead of `colorId` (Events resource, `eventLabelId`). */
  eventLabelId: text,
  start: MOMENT,
  end: MOMENT,
  /** RFC 3339. Changing reminders does not update it (Events resource, `updated`). */
  updated: text,
  created: text,
  iCalUID: text,
  /** `default`, `outOfOffice`, `focusTime`, `workingLocation`, `fromGmail`, `birthday`, or a new type. Absent counts as default. */
  eventType: text,
  transparency: text,
  visibility: text,
  /** RRULE, EXDATE and other lines of a series' master. */
  recurrence: z.array(z.string()).optional().catch(undefined),
  /** Only on instances and exceptions of a series: the master's id, and the start by its rule. */
  recurringEventId: text,
  originalStartTime: MOMENT,
  creator: PERSON,
  organizer: PERSON,
  attendees: z.array(ATTENDEE).optional().catch(undefined),
  /** Whether guests may change the event for everybody. Google omits it for false. */
  guestsCanModify: flag,
  /** True when Google does not return all attendees. */
  attendeesOmitted: flag,
  extendedProperties: z
    .object({ private: z.record(z.string(), z.string()).optional() })
    .optional()
    .catch(undefined),
});

/** An event as Google shows it (Calendar API, Events resource). */
export type CalendarEvent = z.infer<typeof CALENDAR_EVENT>;

/** An event with the fields that only people give. They are never interpreted, only looked for and copied. */
export const WHOLE_EVENT = CALENDAR_EVENT.extend({
  attachments: z.array(z.unknown()).optional().catch(undefined),
  conferenceData: z.record(z.string(), z.unknown()).optional().catch(undefined),
  reminders: z
    .object({ useDefault: flag, overrides: z.array(z.unknown()).optional() })
    .optional()
    .catch(undefined),
});

export type WholeEvent = z.infer<typeof WHOLE_EVENT>;

/** Fields that people give to an event, and that a copy can have. */
export type PeoplesFields = Partial<
  Pick<
    WholeEvent,
    | 'attachments'
    | 'attendees'
    | 'colorId'
    | 'conferenceData'
    | 'description'
    | 'guestsCanModify'
    | 'location'
    | 'reminders'
    | 'transparency'
    | 'visibility'
  >
>;

/** The organizer if it is not the calendar itself, in lower case; undefined for the calendar's own events, and if Google does not say. */
export function otherOrganizer(
  { organizer }: Pick<CalendarEvent, 'organizer'>,
  calendarId: string,
): string | undefined {
  const email = organizer?.email?.toLowerCase();
  return organizer?.self === true || email === calendarId.toLowerCase() ? undefined : email;
}

/** Whether a live event has the mark and the hour of the appointment, under an id that the worker does not give. */
export function isCopyOf(
  { id: eventId, status, start, extendedProperties }: CalendarEvent,
  { id, startMs }: { readonly id: string; readonly startMs: number },
): boolean {
  const isMarked = extendedProperties?.private?.[APPOINTMENT_MARK] === id && !isEventIdOf(eventId, id);
  return isMarked && status !== 'cancelled' && Date.parse(start?.dateTime ?? '') === startMs;
}

/**
 * Hash of all that the worker reads of a live event of a series, except its version; undefined for any other event. A series and its
 * exceptions have one version, so a new etag alone says nothing about a single one of them.
 */
export function contentInSeries(event: CalendarEvent): string | undefined {
  if (event.recurringEventId === undefined || event.status === 'cancelled') return undefined;
  const { status, summary, description, location, colorId, recurrence, organizer } = event;
  const { visibility = 'default', transparency = 'opaque' } = event;
  return contentHash({
    ...{ status, summary, description, location, colorId, recurrence, visibility, transparency },
    ...{ start: instantOf(event.start), end: instantOf(event.end) },
    organizer: organizer?.email?.toLowerCase(),
    marks: event.extendedProperties?.private ?? {},
  });
}

/** Google writes the same moment in the zone of whoever asks. */
function instantOf(moment: CalendarEvent['start']): number | string | undefined {
  return moment?.dateTime === undefined ? moment?.date : Date.parse(moment.dateTime);
}

/**
 * Addresses of the people who are invited. Google's list also holds rooms and the calendar itself, a room often first: two bookings by one
 * room's address would be one customer.
 */
export function invitedPeople(
  { attendees = [], organizer }: Pick<CalendarEvent, 'attendees' | 'organizer'>,
  calendarId: string,
): readonly string[] {
  const own = new Set([calendarId.toLowerCase(), organizer?.email?.toLowerCase()]);
  return attendees
    .slice(0, ATTENDEES_READ_MAX)
    .flatMap(({ email, self, organizer: isOrganizer, resource }) => {
      const isPerson = email !== undefined && self !== true && isOrganizer !== true && resource !== true;
      return isPerson && !own.has(email.toLowerCase()) && !isCalendar(email) ? [email] : [];
    });
}

/** Rooms and secondary calendars have addresses of their own kind (Calendar API, Calendars). */
function isCalendar(address: string): boolean {
  return /@(?:resource|group)\.calendar\.google\.com$/i.test(address);
}

/** One page of `events.list`; it may be empty although more pages follow. */
export const EVENT_PAGE = z.object({
  items: z.array(CALENDAR_EVENT).default([]),
  nextPageToken: z.string().optional(),
});

/** What the worker writes to an event. A patch leaves all other fields as they are, and null removes a field. */
export interface EventBody {
  readonly summary: string;
  readonly description?: string;
  readonly location?: string;
  readonly start: EventMoment;
  readonly end: EventMoment;
  readonly status: 'confirmed' | 'tentative';
  readonly colorId?: string | null;
  readonly visibility?: 'default' | 'private';
  /** `transparent` events do not block time. */
  readonly transparency?: 'opaque' | 'transparent';
  readonly extendedProperties: { readonly private: Readonly<Record<string, string>> };
  /** Null in a patch: people made a series of the event, but an appointment happens once. */
  readonly recurrence?: null;
}

/** Null removes a property, too. */
export type EventPatch = Omit<EventBody, 'extendedProperties'> & {
  readonly extendedProperties: { readonly private: Readonly<Record<string, string | null>> };
};

/** An all-day event that blocks no time and has no reminders. */
export interface NoteBody {
  readonly summary: string;
  readonly description: string;
  /** Dates; the end is exclusive. */
  readonly start: { readonly date: string };
  readonly end: { readonly date: string };
  readonly status: 'confirmed';
  readonly transparency: 'transparent';
  readonly reminders: { readonly useDefault: false };
  readonly extendedProperties: { readonly private: Readonly<Record<string, string>> };
}

/** What an insert takes. `after`: the request leaves once this has resolved; if it rejects, so does the call. */
export type EventInsert = readonly [
  calendarId: string,
  id: string,
  body: EventBody | NoteBody,
  after?: Promise<unknown>,
];

/** What a patch takes; `after` as above. */
export type EventPatching = readonly [
  calendarId: string,
  event: { readonly id: string; readonly etag?: string },
  body: Partial<EventPatch>,
  after?: Promise<unknown>,
];

export interface EventMoment {
  /** RFC 3339 with offset. */
  readonly dateTime: string;
  /** IANA zone. */
  readonly timeZone: string;
  /** Null in a patch: a user may have made the event an all-day one, and Google refuses `date` together with `dateTime`. */
  readonly date?: null;
}

/** Largest number of events kept: all handlers of a process together use fewer. */
const EVENTS_MAX = 100;

/**
 * Events that were just read, so that the code that decides and the code that writes share one read. A write sends the etag that was read,
 * so Google refuses it if the event has changed since.
 */
export class RecentEvents {
  /** Those of series, which share one version. */
  readonly series = new SeriesEvents();
  readonly #events = new Map<string, CalendarEvent>();

  keep(calendarId: string, event: CalendarEvent): void {
    const key = eventKey(calendarId, event.id);
    this.#events.delete(key);
    // A deleted event may carry nothing but its id.
    if (event.status === 'cancelled' || event.etag === '') return;
    this.#events.set(key, event);
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= EVENTS_MAX) break;
      this.#events.delete(oldest);
    }
  }

  /** Returns an event once; a second caller must read again. Undefined when the event was not read, or was last read in another state. */
  take(calendarId: string, eventId: string, etag: string): CalendarEvent | undefined {
    const key = eventKey(calendarId, eventId);
    const event = this.#events.get(key);
    this.#events.delete(key);
    return event?.etag === etag ? event : undefined;
  }
}

function eventKey(calendarId: string, eventId: string): string {
  return `${calendarId} ${eventId}`;
}

/** Series that are remembered: those at which the handlers of a process work. */
const SERIES_MAX = 40;
/** Events of one series that are remembered. */
const SERIES_EVENTS_MAX = 250;
/** Own writes of one series through which an etag is followed. */
const SERIES_WRITES_MAX = 1_000;

/** One series with its exceptions and the parts split from it, in one calendar. */
interface Series {
  readonly events: Map<string, { readonly event: CalendarEvent; readonly atMs: number }>;
  /** By the etag that a write of ours replaced: the new etag, and the event that was written. */
  readonly writes: Map<string, { readonly etag: string; readonly id: string; readonly nth: number }>;
  /** By the new etag: the event that was written. */
  readonly written: Map<string, string>;
  /** The last write in the line. */
  turn: Promise<unknown>;
}

/**
 * What this process knows of the events of series. Google gives a series and its exceptions one version, so each own write makes the etags
 * of all siblings stale. Own writes of one series therefore take turns, and an etag is followed through them. A write that Google accepted
 * under an etag proves that nobody else changed the series before it. The next reading shows whether Google really shares the version.
 */
export class SeriesEvents {
  readonly #series = new Map<string, Series>();
  #writes = 0;
  #areVersionsShared = true;

  /** A number that grows with each own write: taken before a reading, it tells what the reading must show. */
  get writes(): number {
    return this.#writes;
  }

  /** Remembers an event that was read at this moment, if it belongs to a series. `asOf`: `writes` before the reading. */
  keep(
    calendarId: string,
    event: CalendarEvent,
    read: { readonly atMs: number; readonly asOf: number },
  ): void {
    if (event.recurringEventId === undefined) return;
    const series = this.#seriesOf(calendarId, event.id);
    if (series === undefined) return;
    series.events.delete(event.id);
    if (event.status === 'cancelled' || event.etag === '') return;
    const replaced = series.writes.get(event.etag);
    if (replaced !== undefined && replaced.id !== event.id && replaced.nth <= read.asOf)
      this.#areVersionsShared = false;
    const written = series.written.get(event.etag);
    if (written !== undefined && written !== event.id) this.#areVersionsShared = true;
    series.events.set(event.id, { event, atMs: read.atMs });
    trim(series.events, SERIES_EVENTS_MAX);
  }

  /** The event as it was read since this moment, with its etag of now. */
  since(calendarId: string, eventId: string, fromMs: number): CalendarEvent | undefined {
    const kept = this.#seriesOf(calendarId, eventId)?.events.get(eventId);
    if (kept === undefined || kept.atMs < fromMs) return undefined;
    return { ...kept.event, etag: this.etagNow(calendarId, eventId, kept.event.etag) };
  }

  /** The master of the event, as it was last read. */
  masterOf(calendarId: string, eventId: string): string | undefined {
    const kept = this.#seriesOf(calendarId, eventId)?.events.get(eventId);
    return kept?.event.recurringEventId ?? seriesOfInstance(eventId);
  }

  /** The etag of the event's known state, after the own writes of its siblings. */
  etagNow(calendarId: string, eventId: string, etag: string): string {
    const series = this.#seriesOf(calendarId, eventId);
    if (series === undefined || !this.#areVersionsShared) return etag;
    let now = etag;
    for (let next = series.writes.get(now); next !== undefined; next = series.writes.get(now)) {
      // The event itself was written since: its known state is no longer the last one.
      if (next.id === eventId) return etag;
      now = next.etag;
    }
    return now;
  }

  /** Performs a write when the earlier ones of the same series have ended. Other events have no line. */
  async inTurn<T>(calendarId: string, eventId: string, write: () => Promise<T>): Promise<T> {
    const series = this.#seriesOf(calendarId, eventId);
    if (series === undefined) return write();
    const mine = series.turn.then(write, write);
    series.turn = mine.catch(() => undefined);
    return mine;
  }

  /** Google has replaced this state of the event by another. */
  wrote(
    calendarId: string,
    former: { readonly id: string; readonly etag: string },
    now: CalendarEvent,
  ): void {
    const series = this.#seriesOf(calendarId, former.id);
    if (series === undefined) return;
    this.#writes += 1;
    series.events.delete(former.id);
    if (former.etag === '' || now.etag === '') return;
    series.writes.set(former.etag, { etag: now.etag, id: former.id, nth: this.#writes });
    series.written.set(now.etag, former.id);
    for (const all of [series.writes, series.written]) trim(all, SERIES_WRITES_MAX);
  }

  /** Somebody else changed the series, or a write has an unknown outcome: what was read of it may be old. */
  forget(calendarId: string, eventId: string): void {
    this.#seriesOf(calendarId, eventId)?.events.clear();
  }

  #seriesOf(calendarId: string, eventId: string): Series | undefined {
    const base = seriesOfInstance(eventId);
    if (base === undefined) return undefined;
    const key = `${calendarId} ${base}`;
    const known = this.#series.get(key) ?? {
      events: new Map(),
      writes: new Map(),
      written: new Map(),
      turn: Promise.resolve(),
    };
    this.#series.delete(key);
    this.#series.set(key, known);
    trim(this.#series, SERIES_MAX);
    return known;
  }
}

/** Drops the oldest entries. */
function trim(entries: Map<string, unknown>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
