import * as z from 'zod';
import { contentHash } from '../engine/domain/object.ts';

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

export interface EventMoment {
  /** RFC 3339 with offset. */
  readonly dateTime: string;
  /** IANA zone. */
  readonly timeZone: string;
  /** Null in a patch: a user may have made the event an all-day one, and Google refuses `date` together with `dateTime`. */
  readonly date?: null;
}
