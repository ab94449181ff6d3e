// "This and following events", as Google was recorded to do it: the series ends the day before, and a second master continues it.
import { localAt } from '../../zones/local.ts';
import { type JsonObject, listOf, objectOf, stringOf } from '../json.ts';
import type { Calendar } from './calendar.ts';
import { logChange, writeEvent } from './change.ts';
import { checkContent } from './content.ts';
import { instantOf, isCancelled, type StoredEvent } from './event.ts';
import { mergePatch } from './merge.ts';
import type { CalendarOffice } from './office.ts';
import { instanceCalled, isAllDay, startsOf } from './series.ts';
import { baseOf, splitId, suffixOf } from './series-id.ts';

export interface Split {
  master: StoredEvent;
  /** The start of the first of the following events, by the rule. */
  atMs: number;
  /** What people change, as a patch of the API's Event. */
  patch: JsonObject;
  /** People edit what the first of these events shows, also its own texts and private properties. False: what the series says. */
  asShown: boolean;
  /** The changed ones of the following events stay as they are. False: they take the new content. */
  keepsExceptions: boolean;
}

/**
 * With an unchanged start, the second master is `<base>_R<start>`: it has the version, `created` and iCalUID of the first, and its instances
 * keep their ids. With another start it is a new series. Deleted instances stay deleted.
 */
export function splitSeries(office: CalendarOffice, calendar: Calendar, split: Split): StoredEvent {
  const { master, atMs, asShown } = split;
  const base = baseOf(master.id);
  const suffix = suffixOf(atMs, { isAllDay: isAllDay(master), calendarZone: calendar.timeZone });
  const firstId = `${base}_${suffix}`;
  const first = calendar.get(firstId) ?? instanceCalled(office, calendar, firstId);
  if (first === undefined) throw new Error(`the series ${master.id} has no event ${firstId}`);
  const { recurrence: _, ...said } = asShown ? first.fields : master.fields;
  const fields = mergePatch(
    { ...said, ...timesAt(calendar, master, atMs), recurrence: following(calendar, master, atMs) },
    split.patch,
  );
  const content = checkContent(fields, calendar.timeZone);
  const later = [...calendar.exceptionsOf(master.id)].filter(
    ({ originalStartTime }) => instantOf(originalStartTime ?? {}, calendar.timeZone) >= atMs,
  );
  for (const each of later) calendar.remove(each.id);
  writeEvent(office, calendar, {
    event: master,
    fields: { ...master.fields, recurrence: preceding(calendar, master, atMs) },
  });
  const isSameStart = content.start.ms === atMs && content.start.isAllDay === isAllDay(master);
  const id = isSameStart ? splitId(base, suffix) : office.randomId();
  const part: StoredEvent = {
    ...master,
    ...(isSameStart
      ? {}
      : { iCalUID: `${id}@google.com`, createdMs: Math.floor(office.now() / 1000) * 1000 }),
    ...{ id, ordinal: calendar.nextOrdinal(), change: 0, fields: content.fields },
    ...{ startMs: content.start.ms, endMs: content.end.ms },
  };
  calendar.add(part);
  for (const each of isSameStart ? later : []) {
    if (!isCancelled(each) && !split.keepsExceptions) continue;
    // "A cancelled exception behind the new UNTIL" was recorded with nothing but its id.
    const isBare = isCancelled(each);
    calendar.add({ ...each, recurringEventId: id, ordinal: calendar.nextOrdinal(), isBare });
  }
  logChange(office, calendar, { event: part, before: part.fields });
  office.announce(calendar);
  return part;
}

/** The series' start and end, on this occurrence. */
function timesAt(calendar: Calendar, master: StoredEvent, atMs: number): JsonObject {
  const endMs = atMs + (master.endMs - master.startMs);
  const day = (ms: number) => localAt(ms, calendar.timeZone).toISODate();
  const side = (ms: number, name: 'start' | 'end'): JsonObject =>
    isAllDay(master)
      ? { date: day(ms) }
      : { ...objectOf(master.fields[name]), dateTime: new Date(ms).toISOString() };
  return { start: side(atMs, 'start'), end: side(endMs, 'end') };
}

/** The rule until the end of the day before. */
function preceding(calendar: Calendar, master: StoredEvent, atMs: number): JsonObject[string] {
  const zone = zoneOf(calendar, master);
  const dayBefore = localAt(atMs, zone).startOf('day').minus({ seconds: 1 });
  const until = isAllDay(master)
    ? dayBefore.toFormat('yyyyMMdd')
    : dayBefore.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
  return rules(master).map((line) =>
    line.startsWith('RRULE:') ? `${without(line, ['COUNT', 'UNTIL'])};UNTIL=${until}` : line,
  );
}

/** The rest of the rule. */
function following(calendar: Calendar, master: StoredEvent, atMs: number): JsonObject[string] {
  const lines = rules(master);
  // A COUNT counts days that were left out, too.
  const starts = startsOf(calendar, {
    ...master,
    fields: { ...master.fields, recurrence: onlyRules(lines) },
  });
  const left = starts.filter((ms) => ms >= atMs).length;
  return lines.map((line) =>
    line.startsWith('RRULE:') && /COUNT=/.test(line) ? `${without(line, ['COUNT'])};COUNT=${left}` : line,
  );
}

function rules(master: StoredEvent): string[] {
  return listOf(master.fields['recurrence']).map(String);
}

function onlyRules(lines: string[]): string[] {
  return lines.filter((line) => line.startsWith('RRULE:'));
}

function without(line: string, names: string[]): string {
  const parts = line.slice('RRULE:'.length).split(';');
  return `RRULE:${parts.filter((part) => !names.includes(part.split('=')[0] ?? '')).join(';')}`;
}

function zoneOf(calendar: Calendar, master: StoredEvent): string {
  return stringOf(objectOf(master.fields['start'])['timeZone']) ?? calendar.timeZone;
}
