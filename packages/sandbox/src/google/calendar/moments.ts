// Times of events. An instant is in milliseconds since 1970. An all-day date has no instant until a zone is chosen; for windows and
// order, Google uses the calendar's zone.

import { isZone, localAt, readLocal } from '../../zones/local.ts';
import { type JsonObject, stringOf } from '../json.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';

/** The checked start or end of an event. */
export interface Moment {
  ms: number;
  isAllDay: boolean;
  /** The stored form: `{date}` or `{dateTime, timeZone}` with the instant in UTC. */
  kept: { date: string } | { dateTime: string; timeZone: string | undefined };
}

/** Reads `start` or `end` of a body. Throws Calendar's 400 with the message for that side. */
export function readMoment(side: 'start' | 'end', value: JsonObject, calendarZone: string): Moment {
  const date = stringOf(value['date']);
  const dateTime = stringOf(value['dateTime']);
  const timeZone = stringOf(value['timeZone']);
  if (date === undefined && dateTime === undefined) {
    throw calendarRefusal(400, { reason: 'required', message: `Missing ${side} time.` });
  }
  // Exactly one of the two is allowed. A patch that adds `date` and keeps `dateTime` fails here.
  if (date !== undefined && dateTime !== undefined) throw invalidValue(`Invalid ${side} time.`);
  if (timeZone !== undefined && !isZone(timeZone))
    throw invalidValue(`Invalid time zone definition for ${side} time.`);
  if (date !== undefined) return { ms: startOfDay(date, calendarZone, side), isAllDay: true, kept: { date } };
  const ms = readDateTime(dateTime ?? '', timeZone, side);
  return { ms, isAllDay: false, kept: { dateTime: new Date(ms).toISOString(), timeZone } };
}

/** An RFC 3339 timestamp with an offset, in milliseconds; undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const ms = Date.parse(text.toUpperCase());
  if (Number.isNaN(ms) || !isDay(text.slice(0, 10))) return undefined;
  // Google accepts milliseconds but ignores them.
  return Math.floor(ms / 1000) * 1000;
}

/** The instant as Google shows it: local time of the zone with its offset, no fractions. */
export function showInstant(ms: number, zone: string): string {
  return localAt(ms, zone).toISO({ suppressMilliseconds: true }) ?? new Date(ms).toISOString();
}

/** Midnight of a date in a zone. */
export function dayStart(date: string, zone: string): number {
  return readLocal(date, zone).toMillis();
}

/** JavaScript turns 30 February into 2 March; Google refuses it. */
function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

function startOfDay(date: string, zone: string, side: string): number {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw invalidValue(`Invalid ${side} time.`);
  const day = readLocal(date, zone);
  if (!day.isValid) throw invalidValue(`Invalid ${side} time.`);
  return day.toMillis();
}

function readDateTime(text: string, zone: string | undefined, side: string): number {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?$/.test(text)) throw invalidValue(`Invalid ${side} time.`);
  if (zone === undefined) {
    throw calendarRefusal(400, {
      reason: 'required',
      message: `Missing time zone definition for ${side} time.`,
    });
  }
  const local = readLocal(text, zone);
  if (!local.isValid) throw invalidValue(`Invalid ${side} time.`);
  return Math.floor(local.toMillis() / 1000) * 1000;
}
