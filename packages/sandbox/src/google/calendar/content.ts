// The rules that Calendar checks on every event write, and its silent trimming.
import { type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';
import { type Moment, readMoment } from './moments.ts';
import { occurrences } from './recurrence.ts';

const propertyKeyCharsMax = 44;
const propertyValueCharsMax = 1024;
const propertiesMax = 300;
const propertiesBytesMax = 32_768;
const reminderOverridesMax = 5;
const reminderMinutesMax = 40_320;
const attachmentsMax = 25;

const closedLists: Record<string, readonly string[]> = {
  status: ['confirmed', 'tentative', 'cancelled'],
  transparency: ['opaque', 'transparent'],
  visibility: ['default', 'public', 'private', 'confidential'],
  colorId: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'],
  eventType: ['default', 'birthday', 'focusTime', 'outOfOffice', 'workingLocation', 'fromGmail'],
};

export interface Content {
  fields: JsonObject;
  start: Moment;
  end: Moment;
}

/** Checks the complete fields of an event and normalises them for storage. */
export function checkContent(given: JsonObject, calendarZone: string): Content {
  const fields = withoutEmpties(given);
  for (const [name, allowed] of Object.entries(closedLists)) {
    const value = stringOf(fields[name]);
    if (value !== undefined && !allowed.includes(value))
      throw invalidValue(`Invalid value for: ${value} is not a valid value`);
  }
  fields['status'] ??= 'confirmed';
  fields['reminders'] = checkReminders(objectOf(fields['reminders']));
  checkSource(objectOf(fields['source']));
  checkAttendees(listOf(fields['attendees']).map(objectOf));
  if (listOf(fields['attachments']).length > attachmentsMax)
    throw invalidValue(`An event can have at most ${attachmentsMax} attachments.`);
  if (fields['extendedProperties'] !== undefined) {
    fields['extendedProperties'] = trimProperties(objectOf(fields['extendedProperties']));
    if (Object.keys(fields['extendedProperties']).length === 0) delete fields['extendedProperties'];
  }
  return { fields, ...checkTimes(fields, calendarZone) };
}

function checkTimes(fields: JsonObject, calendarZone: string): { start: Moment; end: Moment } {
  if (fields['end'] === undefined)
    throw calendarRefusal(400, { reason: 'required', message: 'Missing end time.' });
  if (fields['start'] === undefined)
    throw calendarRefusal(400, { reason: 'required', message: 'Missing start time.' });
  const start = readMoment('start', objectOf(fields['start']), calendarZone);
  const end = readMoment('end', objectOf(fields['end']), calendarZone);
  if (start.isAllDay !== end.isAllDay)
    throw invalidValue('Start and end times must either both be date or both be dateTime.');
  // A timed event may have zero length. An all-day event lasts at least a day, because its end is exclusive.
  if (end.ms < start.ms || (start.isAllDay && end.ms === start.ms)) {
    throw calendarRefusal(400, {
      domain: 'calendar',
      reason: 'timeRangeEmpty',
      message: 'The specified time range is empty.',
    });
  }
  if (
    fields['recurrence'] !== undefined &&
    !start.isAllDay &&
    objectOf(fields['start'])['timeZone'] === undefined
  ) {
    throw calendarRefusal(400, {
      reason: 'required',
      message: 'Missing time zone definition for start time.',
    });
  }
  // An unreadable recurrence rule is refused on write, not when the series is listed.
  if (fields['recurrence'] !== undefined) {
    const zone = stringOf(objectOf(fields['start'])['timeZone']) ?? calendarZone;
    occurrences({ startMs: start.ms, zone, recurrence: listOf(fields['recurrence']).map(String) });
  }
  fields['start'] = kept(start);
  fields['end'] = kept(end);
  return { start, end };
}

function kept(moment: Moment): JsonObject {
  const { kept: value } = moment;
  if ('date' in value) return { date: value.date };
  return value.timeZone === undefined
    ? { dateTime: value.dateTime }
    : { dateTime: value.dateTime, timeZone: value.timeZone };
}

function checkReminders(reminders: JsonObject): JsonObject {
  const overrides = listOf(reminders['overrides']).map(objectOf);
  const useDefault = reminders['useDefault'] ?? overrides.length === 0;
  if (useDefault === true && overrides.length > 0) {
    throw calendarRefusal(400, {
      domain: 'calendar',
      reason: 'cannotUseDefaultRemindersAndSpecifyOverride',
      message: 'Cannot specify both default reminders and overrides at the same time.',
    });
  }
  if (overrides.length > reminderOverridesMax)
    throw invalidValue(`An event can have at most ${reminderOverridesMax} reminder overrides.`);
  for (const override of overrides) {
    const minutes = numberOf(override['minutes']);
    if (override['method'] !== 'email' && override['method'] !== 'popup')
      throw invalidValue('Invalid reminder method.');
    if (minutes === undefined)
      throw calendarRefusal(400, { reason: 'required', message: 'Missing reminder minutes.' });
    if (minutes < 0 || minutes > reminderMinutesMax)
      throw invalidValue(`Reminder minutes must be between 0 and ${reminderMinutesMax}.`);
  }
  return overrides.length === 0 ? { useDefault } : { useDefault, overrides };
}

function checkSource(source: JsonObject): void {
  const url = stringOf(source['url']);
  if (url === undefined || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return;
  throw invalidValue('Invalid source url: the scheme must be HTTP or HTTPS.');
}

function checkAttendees(attendees: JsonObject[]): void {
  for (const attendee of attendees) {
    const email = stringOf(attendee['email']);
    if (email === undefined)
      throw calendarRefusal(400, { reason: 'required', message: 'Missing attendee email.' });
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw invalidValue('Invalid attendee email.');
    attendee['responseStatus'] ??= 'needsAction';
  }
}

/** Silently drops keys that are too long and cuts values that are too long. Refuses too many properties. */
function trimProperties(properties: JsonObject): JsonObject {
  const trimmed: JsonObject = {};
  for (const copy of ['private', 'shared']) {
    const entries = Object.entries(objectOf(properties[copy]))
      .filter(([key, value]) => key.length <= propertyKeyCharsMax && value !== null && value !== undefined)
      .map(([key, value]) => [key, String(value).slice(0, propertyValueCharsMax)] as const);
    const bytes = entries.reduce(
      (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
      0,
    );
    if (entries.length > propertiesMax || bytes > propertiesBytesMax)
      throw invalidValue('The extended properties are too large.');
    if (entries.length > 0) trimmed[copy] = Object.fromEntries(entries);
  }
  return trimmed;
}

/** An empty list, or an empty text other than `colorId`, counts as absent. */
function withoutEmpties(fields: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    if (value === '' && name !== 'colorId') continue;
    if (Array.isArray(value) && value.length === 0) continue;
    kept[name] = structuredClone(value);
  }
  return kept;
}
