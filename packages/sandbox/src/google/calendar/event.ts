import type { JsonObject } from '../json.ts';
import { showGuests } from './guests.ts';
import { dayStart, showInstant } from './moments.ts';

/** An event as one calendar stores it. */
export interface StoredEvent {
  readonly id: string;
  /** Position in the calendar's stable order. */
  readonly ordinal: number;
  readonly iCalUID: string;
  readonly createdMs: number;
  /** The writable fields, checked and normalised; `start` and `end` hold instants in UTC or dates. */
  fields: JsonObject;
  startMs: number;
  endMs: number;
  /** Last change of the main data; reminders do not count. */
  updatedMs: number;
  etag: string;
  sequence: number;
  /** Number of the calendar's last change to this event. */
  change: number;
  creator: JsonObject;
  organizer: JsonObject;
  /** Set on exceptions of a series. */
  readonly recurringEventId?: string;
  readonly originalStartTime?: JsonObject;
  /** A tombstone that shows only its id: the event was moved away, or its series was split before it. */
  isBare: boolean;
}

/** What a caller may see of an event, and in which form. */
export interface View {
  calendarId: string;
  calendarZone: string;
  /** The `timeZone` parameter, otherwise the calendar's zone. */
  zone: string;
  /** Show only busy times: the caller has no right to this event's details. */
  isMasked: boolean;
  areTombstonesMinimal: boolean;
  /** Show tombstones with all that is stored, as no answer of the API does. */
  areTombstonesWhole: boolean;
  /** The caller; undefined: a viewer who may see everything. */
  viewer: string | undefined;
  /** The `maxAttendees` parameter. */
  attendeesMax: number | undefined;
}

export function isCancelled(event: StoredEvent): boolean {
  return event.fields['status'] === 'cancelled';
}

/** The event as the API shows it. */
export function renderEvent(event: StoredEvent, view: View): JsonObject {
  const status = event.fields['status'];
  const head: JsonObject = { kind: 'calendar#event', etag: event.etag, id: event.id, status };
  if (isCancelled(event) && event.isBare) return head;
  if (isCancelled(event) && !view.areTombstonesWhole) {
    // "Cancelled exceptions are only guaranteed to have id, recurringEventId and originalStartTime"; a deleted series has its id.
    if (event.recurringEventId !== undefined) return { ...head, ...originOf(event, view) };
    if (event.fields['recurrence'] !== undefined || view.areTombstonesMinimal) return head;
  }
  const times = {
    start: showSide(asObject(event.fields['start']), view),
    end: showSide(asObject(event.fields['end']), view),
  };
  const shown: JsonObject = {
    ...head,
    htmlLink: `https://www.google.com/calendar/event?eid=${Buffer.from(`${event.id} ${view.calendarId}`).toString('base64url')}`,
    created: new Date(event.createdMs).toISOString(),
    updated: new Date(event.updatedMs).toISOString(),
    ...(view.isMasked ? maskedFields(event.fields) : openFields(event, view)),
    status,
    creator: { ...event.creator, ...selfMark(event.creator, view.calendarId) },
    organizer: { ...event.organizer, ...selfMark(event.organizer, view.calendarId) },
    ...times,
    iCalUID: event.iCalUID,
    sequence: event.sequence,
    eventType: event.fields['eventType'] ?? 'default',
  };
  return event.recurringEventId === undefined ? shown : { ...shown, ...originOf(event, view) };
}

function originOf({ recurringEventId, originalStartTime }: StoredEvent, view: View): JsonObject {
  return { recurringEventId, originalStartTime: showSide(originalStartTime ?? {}, view) };
}

/** `start` or `end` in a zone; dates stay dates. */
export function showSide(kept: JsonObject, view: { zone: string; calendarZone: string }): JsonObject {
  if (kept['date'] !== undefined) return { date: kept['date'] };
  const ms = Date.parse(String(kept['dateTime']));
  return { dateTime: showInstant(ms, view.zone), timeZone: kept['timeZone'] ?? view.calendarZone };
}

/** The instant of a stored `start` or `end`. */
export function instantOf(kept: JsonObject, calendarZone: string): number {
  return kept['date'] === undefined
    ? Date.parse(String(kept['dateTime']))
    : dayStart(String(kept['date']), calendarZone);
}

/** The `source` "can only be seen or modified by the creator of the event". */
function openFields(event: StoredEvent, view: View): JsonObject {
  const { attendees: _, source, ...rest } = event.fields;
  const fields = withoutDefaults(rest);
  const isCreator = view.viewer === undefined || event.creator['email'] === view.viewer;
  return {
    ...fields,
    ...showGuests(event.fields, {
      calendarId: view.calendarId,
      attendeesMax: view.attendeesMax,
    }),
    ...(source !== undefined && isCreator ? { source } : {}),
  };
}

/** Google leaves these out of its answers. */
const defaults: readonly (readonly [string, unknown])[] = [
  ['transparency', 'opaque'],
  ['guestsCanModify', false],
  ['anyoneCanAddSelf', false],
];

function withoutDefaults(fields: JsonObject): JsonObject {
  const shown = { ...fields };
  for (const [name, value] of defaults) if (shown[name] === value) delete shown[name];
  return shown;
}

/** The remaining fields of a private event for a caller who may only see that the time is busy. */
function maskedFields(fields: JsonObject): JsonObject {
  const left: JsonObject = { visibility: fields['visibility'] ?? 'private' };
  if (fields['transparency'] !== undefined) left['transparency'] = fields['transparency'];
  if (fields['recurrence'] !== undefined) left['recurrence'] = fields['recurrence'];
  return withoutDefaults(left);
}

function selfMark(person: JsonObject, calendarId: string): JsonObject {
  return person['email'] === calendarId ? { self: true } : {};
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
