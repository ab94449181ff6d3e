// Instances of a recurring event. They exist only as a rule until one is changed or deleted. It then becomes an exception: a separate event
// that stores its original start.
import { DateTime } from 'luxon';
import { type JsonObject, listOf, objectOf } from '../json.ts';
import type { Calendar } from './calendar.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import type { CalendarOffice } from './office.ts';
import { occurrences } from './recurrence.ts';

export function isMaster(event: StoredEvent): boolean {
  return event.fields['recurrence'] !== undefined;
}

/** The unchanged instances of a series, as events that are not stored. */
export function instancesOf(calendar: Calendar, master: StoredEvent): StoredEvent[] {
  const touched = new Set([...calendar.exceptionsOf(master.id)].map((exception) => exception.id));
  return startsOf(calendar, master)
    .map((startMs) => instanceAt(calendar, master, startMs))
    .filter((instance) => !touched.has(instance.id));
}

/** The unchanged instance with this id (`<master>_20260501T080000Z`), if its series has one. */
export function instanceCalled(
  office: CalendarOffice,
  calendar: Calendar,
  id: string,
): StoredEvent | undefined {
  const [, masterId = '', suffix = ''] = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/.exec(id) ?? [];
  const master = calendar.get(masterId);
  if (master === undefined || isCancelled(master) || !isMaster(master)) return undefined;
  const startMs = startsOf(calendar, master).find((ms) => suffixOf(calendar, master, ms) === suffix);
  if (startMs === undefined) return undefined;
  return {
    ...instanceAt(calendar, master, startMs),
    ordinal: calendar.nextOrdinal(),
    createdMs: office.now(),
  };
}

function startsOf(calendar: Calendar, master: StoredEvent): number[] {
  const zone = String(objectOf(master.fields['start'])['timeZone'] ?? calendar.timeZone);
  const recurrence = listOf(master.fields['recurrence']).map(String);
  return occurrences({ startMs: master.startMs, zone, recurrence });
}

function instanceAt(calendar: Calendar, master: StoredEvent, startMs: number): StoredEvent {
  const { recurrence: _, ...fields } = master.fields;
  const isAllDay = objectOf(fields['start'])['date'] !== undefined;
  const endMs = startMs + (master.endMs - master.startMs);
  const side = (ms: number, of: unknown): JsonObject =>
    isAllDay
      ? { date: DateTime.fromMillis(ms, { zone: calendar.timeZone }).toISODate() }
      : { ...objectOf(of), dateTime: new Date(ms).toISOString() };
  const start = side(startMs, fields['start']);
  return {
    ...master,
    id: `${master.id}_${suffixOf(calendar, master, startMs)}`,
    fields: { ...fields, start, end: side(endMs, fields['end']) },
    startMs,
    endMs,
    recurringEventId: master.id,
    originalStartTime: start,
  };
}

function suffixOf(calendar: Calendar, master: StoredEvent, startMs: number): string {
  const isAllDay = objectOf(master.fields['start'])['date'] !== undefined;
  return isAllDay
    ? DateTime.fromMillis(startMs, { zone: calendar.timeZone }).toFormat('yyyyMMdd')
    : DateTime.fromMillis(startMs, { zone: 'utc' }).toFormat("yyyyMMdd'T'HHmmss'Z'");
}
