import * as z from 'zod';

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

/** The organizer if it is not the calendar itself, in lower case; undefined for the calendar's own events, and if Google does not say. */
export function otherOrganizer(
  { organizer }: Pick<CalendarEvent, 'organizer'>,
  calendarId: string,
): string | undefined {
  const email = organizer?.email?.toLowerCase();
  return organizer?.self === true || email === calendarId.toLowerCase() ? undefined : email;
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
