import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EntityKey } from './object.ts';

const CLASS_ID = /^c([0-9a-f]{32})$/;

/** True for the id of a class. No platform id looks like one. */
export function isClassId(id: string): boolean {
  return CLASS_ID.test(id);
}

export function classDigits(classId: string): string {
  return CLASS_ID.exec(classId)?.[1] ?? '';
}

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

// Ids that Google gives to events of series. An instance is `<master>_<start>`. "This and following events" with an unchanged start makes a
// second master `<master>_R<start>`, whose instances keep the ids of the first.

/** The first master of the series that has this instance (`<master>_20260501T080000Z`, or a day); undefined for any other id. */
export function seriesOfInstance(eventId: string): string | undefined {
  return /^(.+)_\d{8}(?:T\d{6}Z)?$/.exec(eventId)?.[1];
}

/** For a master that continues a series: its first master, and the instance at which it begins. Undefined for any other id. */
export function continuedSeries(
  masterId: string,
): { readonly first: string; readonly instance: string } | undefined {
  const [, first, day, time = ''] = /^(.+)_R(\d{8})(T\d{6})?$/.exec(masterId) ?? [];
  if (first === undefined) return undefined;
  return { first, instance: `${first}_${day}${time === '' ? '' : `${time}Z`}` };
}

/** When a rule ends, as its UNTIL says; epoch milliseconds. Undefined if it has none. */
export function ruleEndMs(recurrence: readonly string[]): number | undefined {
  const [, day = '', time] = /UNTIL=(\d{8})(?:T(\d{6}))?/.exec(recurrence.join('\n')) ?? [];
  const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  const at = time === undefined ? '23:59:59' : `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`;
  const untilMs = Date.parse(`${iso}T${at}Z`);
  return Number.isNaN(untilMs) ? undefined : untilMs;
}

// The id that the worker writes into a row of a booking sheet. It looks like a UUID and carries its own proof. So a reader knows without
// any memory whether the worker made it for this spreadsheet. Otherwise someone typed it, or brought the row from another spreadsheet.

/** Bytes before the proof (about 74 of their bits are derived), and hex digits of the proof. */
const DERIVED_BYTES = 10;
const PROOF_CHARS = 12;
/** Position of the digit after the version; it is 0 if a person said that the row is new. */
const SAID_AT = 15;

export interface RowSeen {
  readonly spreadsheetId: string;
  /** Random text of the installation: strangers cannot guess the id of a row that they typed. */
  readonly seed: string;
  /** Name of the entry of `bookings`. */
  readonly entry: string;
  /** Hash of what the row said when it first counted. */
  readonly print: string;
  /** Counts the ids that rows of this content got before. */
  readonly nth: number;
  /** A person said that the row is a new booking. The id records this, so no loss makes the worker ask again. */
  readonly isSaidNew: boolean;
}

/**
 * The id of a row without one. It is derived, so that two workers that cannot see each other's state give the same row the same id. It must
 * be in its row before the worker does anything about the row.
 */
export function newRowId({ spreadsheetId, seed, entry, print, nth, isSaidNew }: RowSeen): string {
  const parts = JSON.stringify([seed, spreadsheetId, entry, print, nth, isSaidNew]);
  const bytes = createHash('sha256').update(parts).digest().subarray(0, DERIVED_BYTES);
  // Version 8 (custom ids) and the variant of RFC 9562.
  bytes[6] = 0x80 | (isSaidNew ? 0 : 1 + ((bytes[6] ?? 0) % 15));
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  const derived = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}`;
  return `${derived}-${proofOf(derived, spreadsheetId)}`;
}

export function isSaidNew(rowId: string): boolean {
  return rowId[SAID_AT] === '0';
}

/** Whether the worker made this id for one of the spreadsheets. */
export function isRowId(text: string, ...spreadsheetIds: readonly string[]): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)) return false;
  const end = text.length - PROOF_CHARS;
  return spreadsheetIds.some((each) => text.slice(end) === proofOf(text.slice(0, end - 1), each));
}

function proofOf(derived: string, spreadsheetId: string): string {
  return createHash('sha256').update(`${spreadsheetId} ${derived}`).digest('hex').slice(0, PROOF_CHARS);
}

// Names of the places outside the platform where bookings are made. Keys contain them, and so does the `metadata` of appointments, where
// people may read them. So they are hashed: the id of a calendar is a person's address.

/** Hex digits of a booking's hashed id: 128 bits. */
const HASH_CHARS = 32;
/** Hex digits of a calendar's hashed id: enough to distinguish one company's calendars. */
const ORIGIN_CALENDAR_CHARS = 16;
const CALENDAR_ORIGIN = 'calendar/';
const ROW_ORIGIN = 'row/';

/** Origin of a calendar event. It contains the event's id, so the appointment leads to its event even after everything else is lost. */
export function calendarOrigin(calendarId: string, eventId: string): string {
  return `${CALENDAR_ORIGIN}${calendarMark(calendarId)}/${eventId}`;
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
  const beginning = `${CALENDAR_ORIGIN}${calendarMark(calendarId)}/`;
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

/** A calendar in marks and origins. Calendar ids are addresses, so case means nothing. */
export function calendarMark(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, ORIGIN_CALENDAR_CHARS);
}

/** What the platform accepts as a key (platform API, Idempotency): 1 to 64 letters, digits and `_ - : .`. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9_\-:.]{1,64}$/;

/**
 * The same key for the same parts, another key for others. The parts are hashed, because an iCalUID contains `@` and is longer than 64.
 * The key has 46 characters. Name the operation, the origin and the attempt's generation among the parts. A move A to B to A is three
 * decisions, and a key remembers its first answer.
 */
export function idempotencyKey(parts: readonly string[]): string {
  // JSON, so that ['ab', 'c'] and ['a', 'bc'] differ.
  return `sb-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

/** One spelling for each path: people and servers write `@` and `%40`. */
export function pathSpelled(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      try {
        return encodeURIComponent(decodeURIComponent(segment));
      } catch {
        return segment;
      }
    })
    .join('/');
}

export function calendarPlace(calendarId: string): string {
  return `calendar:${calendarId}`;
}

export function sheetPlace(sheet: { readonly spreadsheetId: string; readonly tab: string }): string {
  return `spreadsheet:${sheet.spreadsheetId}/${sheet.tab}`;
}

/** A column as people call it: 0 is A, 26 is AA. */
export function lettersOf(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

/** 256 random bits: 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a secret, an address or a name. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Takes the same time wherever two texts of the same length differ. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Google lets the caller choose a tab id of 31 bits. A derived id finds the tab again after a lost Redis or a rename, and one request can add
 * the tab and fill it.
 */
export function tabIdOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) >>> 1;
}
