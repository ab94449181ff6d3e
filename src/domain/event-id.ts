import { createHash } from 'node:crypto';
import { classDigits, isClassId } from './class-slot.ts';
import type { EntityKey } from './entity.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DERIVED = /^s([bc])([0-9a-f]{32})(?:t[0-9a-f]{10})?(?:g[1-9]\d*)?$/;
const GENERATION = /g(\d+)$/;
/** What may follow the stem: the calendar's hash, if the id is for one calendar only, then the generation. */
const SUFFIX = /^(?:t[0-9a-f]{10})?(?:g[1-9]\d*)?$/;
/** Digits of a calendar's hash: enough to distinguish the calendars of one company. */
const CALENDAR_CHARS = 10;
const NOTE = /^sbnote([0-9a-f]{32})d(\d{4})(\d{2})(\d{2})t(\d{1,6})$/;

/**
 * The event id of an appointment or class in the calendars of its resources. It is the same at every attempt and after a loss of Redis. An
 * event that people drag to a colleague's calendar keeps it. With `onlyIn`: the id in a calendar for a branch, a service or everything.
 * That id differs per calendar, so a dragged event differs from the one already there.
 *
 * Generations above 0 replace ids that Google will not give back (a tombstone that may not be revived). Google accepts a to v and 0 to 9, 5
 * to 1,024 characters (Calendar API, Event.id). Hex digits and the letters used here are among them.
 */
export function eventIdOf(objectId: string, onlyIn?: string): string {
  const home = onlyIn === undefined ? '' : `t${hashOf(onlyIn.toLowerCase(), CALENDAR_CHARS)}`;
  return `${isClassId(objectId) ? `sc${classDigits(objectId)}` : `sb${stem(objectId)}`}${home}`;
}

/** The same id in another generation. Only for derived ids. */
export function inGeneration(eventId: string, generation: number): string {
  const first = eventId.replace(GENERATION, '');
  return generation === 0 ? first : `${first}g${generation}`;
}

/** Only for derived ids, in which a `g` can only begin the suffix. 0 for the first id. */
export function generationOf(eventId: string): number {
  return Number(GENERATION.exec(eventId)?.[1] ?? 0);
}

/** True for ids that the calendars of the appointment's resources share. */
export function isSharedId(eventId: string, appointmentId: string): boolean {
  return inGeneration(eventId, 0) === eventIdOf(appointmentId);
}

/** True when the id is one of this appointment's, in any calendar and generation. */
export function isEventIdOf(eventId: string, appointmentId: string): boolean {
  const own = eventIdOf(appointmentId);
  return eventId.startsWith(own) && SUFFIX.test(eventId.slice(own.length));
}

/**
 * The appointment that a derived id names, even if nothing about it is stored. An event dragged into another calendar keeps its id
 * (Calendar API, Events: move). Undefined for ids that the worker did not derive.
 */
export function appointmentOfEvent(eventId: string): string | undefined {
  const named = objectOf(eventId);
  return named?.kind === 'appointment' ? named.id : undefined;
}

/** The same as `appointmentOfEvent`, also for a class. */
export function objectOf(eventId: string): EntityKey | undefined {
  const [, letter, hex = ''] = DERIVED.exec(eventId) ?? [];
  if (letter === undefined) return undefined;
  if (letter === 'c') return { kind: 'class', id: `c${hex}` };
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return { kind: 'appointment', id: parts.join('-') };
}

/** The object whose event carries this id as its mark. */
export function markedObject(id: string): EntityKey {
  return { kind: isClassId(id) ? 'class' : 'appointment', id };
}

/** Identifies one of the worker's own notes: its owner, its day, and how many notes of that day were deleted before. */
export interface NoteName {
  /** Prefix of the Redis keys: two installations write two notes. */
  readonly installation: string;
  readonly calendarId: string;
  /** `2026-11-24`. */
  readonly date: string;
  readonly turn: number;
}

/** Event id of the note that a calendar is behind: the same at every attempt. No appointment's event id looks like it. */
export function noteIdOf({ installation, calendarId, date, turn }: NoteName): string {
  return `sbnote${noteStem(installation, calendarId)}d${date.replaceAll('-', '')}t${turn}`;
}

/** True for a note of any installation, in any calendar. */
export function isNoteId(eventId: string): boolean {
  return NOTE.test(eventId);
}

/** Day and turn of this installation's note in this calendar; undefined for any other event. */
export function noteNamed(
  eventId: string,
  { installation, calendarId }: Pick<NoteName, 'installation' | 'calendarId'>,
): Pick<NoteName, 'date' | 'turn'> | undefined {
  const [, seen, year, month, day, turn] = NOTE.exec(eventId) ?? [];
  if (seen !== noteStem(installation, calendarId)) return undefined;
  return { date: `${year}-${month}-${day}`, turn: Number(turn) };
}

/** Google ignores case in calendar ids. */
function noteStem(installation: string, calendarId: string): string {
  const whose = `${installation} ${calendarId.toLowerCase()}`;
  return createHash('sha256').update(whose).digest('hex').slice(0, 32);
}

function stem(appointmentId: string): string {
  if (UUID.test(appointmentId)) return appointmentId.replaceAll('-', '').toLowerCase();
  return hashOf(appointmentId, 40);
}

function hashOf(text: string, chars: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, chars);
}
