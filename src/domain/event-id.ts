import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DERIVED = /^sb([0-9a-f]{32})(?:t[0-9a-f]{10})?(?:g[1-9]\d*)?$/;
const GENERATION = /g(\d+)$/;
/** Behind the stem: of an event of one calendar only the calendar, then the generation. */
const SUFFIX = /^(?:t[0-9a-f]{10})?(?:g[1-9]\d*)?$/;
/** Of the hash of a calendar: enough to tell the calendars of one company apart. */
const CALENDAR_CHARS = 10;

/**
 * The event id of an appointment in the calendars of its resources, the same at every attempt and after Redis was lost: people who drag the event to
 * a colleague's calendar take the id along. With `onlyIn`, the id in a calendar for a branch, a service or everything. It is another one in each
 * calendar, so that a drag from or to a colleague's calendar can be told from the event that stands there anyway.
 *
 * Generations above 0 are for ids that Google will not give back (a tombstone that may not be revived). Google takes a to v and 0 to 9, 5 to
 * 1,024 characters (Calendar API, Event.id); a UUID's hex digits and the letters used here are among them.
 */
export function eventIdOf(appointmentId: string, onlyIn?: string): string {
  const home = onlyIn === undefined ? '' : `t${hashOf(onlyIn.toLowerCase(), CALENDAR_CHARS)}`;
  return `sb${stem(appointmentId)}${home}`;
}

/** The same id in another generation. Only for derived ids. */
export function inGeneration(eventId: string, generation: number): string {
  const first = eventId.replace(GENERATION, '');
  return generation === 0 ? first : `${first}g${generation}`;
}

/** 0 for the first id and for ids of other makers. All else in a derived id is hex and a `t`, so a `g` can only begin the suffix. */
export function generationOf(eventId: string): number {
  return Number(GENERATION.exec(eventId)?.[1] ?? 0);
}

/** True for the ids that the calendars of the appointment's resources share. */
export function isSharedId(eventId: string, appointmentId: string): boolean {
  return inGeneration(eventId, 0) === eventIdOf(appointmentId);
}

/** True when the id is one of this appointment's, in any calendar and generation. */
export function isEventIdOf(eventId: string, appointmentId: string): boolean {
  const own = eventIdOf(appointmentId);
  return eventId.startsWith(own) && SUFFIX.test(eventId.slice(own.length));
}

/**
 * The appointment that a derived id names, even when nothing is stored of it: an event that was dragged into another calendar keeps
 * its id (Calendar API, Events: move). Undefined for ids of other makers.
 */
export function appointmentOf(eventId: string): string | undefined {
  const hex = DERIVED.exec(eventId)?.[1];
  if (hex === undefined) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function stem(appointmentId: string): string {
  if (UUID.test(appointmentId)) return appointmentId.replaceAll('-', '').toLowerCase();
  return hashOf(appointmentId, 40);
}

function hashOf(text: string, chars: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, chars);
}
