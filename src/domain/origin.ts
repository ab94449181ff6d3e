import { createHash } from 'node:crypto';

// Names of the places outside the platform where bookings are made. Keys contain them, and so does the `metadata` of appointments, where
// people may read them. So they are hashed: the id of a calendar is a person's address.

/** Hex digits of a booking's hashed id: 128 bits. */
const HASH_CHARS = 32;
/** Hex digits of a calendar's hashed id: enough to distinguish one company's calendars. */
const CALENDAR_CHARS = 16;
const CALENDAR_ORIGIN = 'calendar/';
const ROW_ORIGIN = 'row/';

/** Origin of a calendar event. It contains the event's id, so the appointment leads to its event even after everything else is lost. */
export function calendarOrigin(calendarId: string, eventId: string): string {
  return `${CALENDAR_ORIGIN}${calendarName(calendarId)}/${eventId}`;
}

/** Origin of a row, by the id that the worker wrote into it. */
export function rowOrigin(rowId: string): string {
  return `${ROW_ORIGIN}${rowId}`;
}

/** The row id in the origin; undefined if it names no row. */
export function rowOfOrigin(origin: unknown): string | undefined {
  if (typeof origin !== 'string' || !origin.startsWith(ROW_ORIGIN)) return undefined;
  return origin.slice(ROW_ORIGIN.length);
}

/** The event in this calendar that the origin names; undefined if it names none there. */
export function eventOfOrigin(origin: unknown, calendarId: string): string | undefined {
  const beginning = `${CALENDAR_ORIGIN}${calendarName(calendarId)}/`;
  if (typeof origin !== 'string' || !origin.startsWith(beginning)) return undefined;
  const eventId = origin.slice(beginning.length);
  return eventId === '' ? undefined : eventId;
}

/** The event that the origin names, in any calendar; undefined for other origins. */
export function eventIdInOrigin(origin: unknown): string | undefined {
  if (typeof origin !== 'string' || !origin.startsWith(CALENDAR_ORIGIN)) return undefined;
  return /^[^/]+\/(.+)$/.exec(origin.slice(CALENDAR_ORIGIN.length))?.[1];
}

/** Id of the booking in the worker's own state. It is a hash, because the makers of event ids may put personal data into them. */
export function bookingIdOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex').slice(0, HASH_CHARS);
}

/** Calendar ids are addresses, so case means nothing. */
function calendarName(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, CALENDAR_CHARS);
}
