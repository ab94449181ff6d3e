import { createHash } from 'node:crypto';

// Names of the places where bookings are made outside of the platform. They stand in keys, and in the `metadata` of appointments, where
// people may read them. So they are hashed: the id of a calendar is somebody's address.

/** Hex digits of a hashed name: 128 bits. */
const HASH_CHARS = 32;
/** Hex digits for the calendar: enough to tell one company's calendars apart. */
const CALENDAR_CHARS = 16;
const CALENDAR_ORIGIN = 'calendar/';
const ROW_ORIGIN = 'row/';

/** Origin of a calendar event. It holds the event's id: the appointment finds its event after all else is lost. */
export function calendarOrigin(calendarId: string, eventId: string): string {
  return `${CALENDAR_ORIGIN}${calendarName(calendarId)}/${eventId}`;
}

/** Origin of a row, by the id that the worker has written into it. */
export function rowOrigin(rowId: string): string {
  return `${ROW_ORIGIN}${rowId}`;
}

/** The row id that the origin names; undefined when it names no row. */
export function rowOfOrigin(origin: unknown): string | undefined {
  if (typeof origin !== 'string' || !origin.startsWith(ROW_ORIGIN)) return undefined;
  return origin.slice(ROW_ORIGIN.length);
}

/** The event in this calendar that the origin names; undefined when it names none there. */
export function eventOfOrigin(origin: unknown, calendarId: string): string | undefined {
  const beginning = `${CALENDAR_ORIGIN}${calendarName(calendarId)}/`;
  if (typeof origin !== 'string' || !origin.startsWith(beginning)) return undefined;
  const eventId = origin.slice(beginning.length);
  return eventId === '' ? undefined : eventId;
}

/** The event that the origin names, whichever calendar it was in; undefined for other origins. */
export function eventIdInOrigin(origin: unknown): string | undefined {
  if (typeof origin !== 'string' || !origin.startsWith(CALENDAR_ORIGIN)) return undefined;
  return /^[^/]+\/(.+)$/.exec(origin.slice(CALENDAR_ORIGIN.length))?.[1];
}

/** Id of the booking in the worker's own state. Ids of calendar events are free of personal data only as far as their makers wish. */
export function bookingIdOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex').slice(0, HASH_CHARS);
}

/** Ids of calendars are addresses, in which case means nothing. */
function calendarName(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, CALENDAR_CHARS);
}
