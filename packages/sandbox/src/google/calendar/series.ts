// Instances of a recurring event. They exist only as a rule until one is changed or deleted. It then becomes an exception: a separate event
// that stores its original start.
import { localAt } from '../../zones/local.ts';
import { type JsonObject, listOf, objectOf } from '../json.ts';
import type { Calendar } from './calendar.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import type { CalendarOffice } from './office.ts';
import { occurrences } from './recurrence.ts';
import { baseOf, readInstanceId, suffixOf } from './series-id.ts';

export function isMaster(event: StoredEvent): boolean {
  return event.fields['recurrence'] !== undefined;
}

export function isAllDay(event: StoredEvent): boolean {
  return objectOf(event.fields['start'])['date'] !== undefined;
}

/** The unchanged instances of a series, as events that are not stored. */
export function instancesOf(calendar: Calendar, master: StoredEvent): StoredEvent[] {
  const touched = new Set([...calendar.exceptionsOf(master.id)].map((exception) => exception.id));
  return startsOf(calendar, master)
    .map((startMs) => instanceAt(calendar, master, startMs))
    .filter((instance) => !touched.has(instance.id));
}

/** The unchanged instance with this id (`<base>_20260501T080000Z`), if a part of its series has one. */
export function instanceCalled(
  office: CalendarOffice,
  calendar: Calendar,
  id: string,
): StoredEvent | undefined {
  const named = readInstanceId(id);
  if (named === undefined) return undefined;
  for (const master of calendar.partsOf(named.base)) {
    if (isCancelled(master) || !isMaster(master)) continue;
    const startMs = startsOf(calendar, master).find((ms) => suffixAt(calendar, master, ms) === named.suffix);
    if (startMs === undefined) continue;
    return {
      ...instanceAt(calendar, master, startMs),
      ordinal: calendar.nextOrdinal(),
      createdMs: office.now(),
    };
  }
  return undefined;
}

/** Start instants by the rule, ascending; also those of changed and deleted instances. */
export function startsOf(calendar: Calendar, master: StoredEvent): number[] {
  const zone = String(objectOf(master.fields['start'])['timeZone'] ?? calendar.timeZone);
  const recurrence = listOf(master.fields['recurrence']).map(String);
  return occurrences({ startMs: master.startMs, zone, recurrence });
}

function instanceAt(calendar: Calendar, master: StoredEvent, startMs: number): StoredEvent {
  const { recurrence: _, ...fields } = master.fields;
  const isDay = isAllDay(master);
  const endMs = startMs + (master.endMs - master.startMs);
  const side = (ms: number, of: unknown): JsonObject =>
    isDay
      ? { date: localAt(ms, calendar.timeZone).toISODate() }
      : { ...objectOf(of), dateTime: new Date(ms).toISOString() };
  const start = side(startMs, fields['start']);
  return {
    ...master,
    id: `${baseOf(master.id)}_${suffixAt(calendar, master, startMs)}`,
    fields: { ...fields, start, end: side(endMs, fields['end']) },
    startMs,
    endMs,
    recurringEventId: master.id,
    originalStartTime: start,
  };
}

function suffixAt(calendar: Calendar, master: StoredEvent, startMs: number): string {
  return suffixOf(startMs, { isAllDay: isAllDay(master), calendarZone: calendar.timeZone });
}
