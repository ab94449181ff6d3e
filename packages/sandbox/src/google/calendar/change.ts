// The writes: insert, patch, update, delete, move. The API and the sandbox's staff share them.
import { type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';
import type { Calendar } from './calendar.ts';
import { type Content, checkContent } from './content.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import type { CalendarOffice } from './office.ts';

/** The writer; becomes the creator of new events. */
export interface Author {
  email: string;
}

/** Creates an event. `fields` are the writable ones; `id` and `iCalUID` are optional. */
export function insertEvent(
  office: CalendarOffice,
  calendar: Calendar,
  what: {
    fields: JsonObject;
    author: Author;
    id?: string | undefined;
    iCalUID?: string | undefined;
    organizer?: JsonObject;
  },
): StoredEvent {
  const id = what.id ?? office.randomId();
  if (!/^[a-v0-9]{5,1024}$/.test(id)) throw invalidValue('Invalid resource id value.');
  // A deleted event keeps its id: the same 409 as for a live one.
  if (calendar.get(id) !== undefined) {
    throw calendarRefusal(409, { reason: 'duplicate', message: 'The requested identifier already exists.' });
  }
  const content = checkContent(what.fields, calendar.timeZone);
  if (content.fields['status'] === 'cancelled')
    throw invalidValue('Invalid value for: cancelled is not a valid value');
  if (content.fields['eventType'] === 'fromGmail') throw typeRestricted();
  const event: StoredEvent = {
    ...stamp(office, content),
    id,
    ordinal: calendar.nextOrdinal(),
    iCalUID: what.iCalUID ?? `${id}@google.com`,
    createdMs: Math.floor(office.now() / 1000) * 1000,
    sequence: 0,
    change: 0,
    creator: { email: what.author.email },
    organizer: what.organizer ?? { email: calendar.id, displayName: calendar.summary },
    isBare: false,
  };
  calendar.add(event);
  office.announce(calendar);
  return event;
}

/** Replaces the fields of an event, with the merged ones of a patch or the complete ones of a put. */
export function writeEvent(
  office: CalendarOffice,
  calendar: Calendar,
  what: { event: StoredEvent; fields: JsonObject; sequence?: number | undefined },
): StoredEvent {
  const { event } = what;
  const before = { fields: event.fields, startMs: event.startMs, endMs: event.endMs };
  const content = checkContent(what.fields, calendar.timeZone);
  if ((content.fields['eventType'] ?? 'default') !== (before.fields['eventType'] ?? 'default'))
    throw typeRestricted();
  if (what.sequence !== undefined && what.sequence < event.sequence) {
    throw invalidValue(
      'Invalid sequence value. The specified sequence number is below the current sequence number of the resource. Re-fetch the resource and use its sequence number on the following request.',
    );
  }
  const stamped = stamp(office, content);
  // "Updating event reminders will not cause `updated` to change."
  if (isOnlyReminders(before.fields, content.fields)) stamped.updatedMs = event.updatedMs;
  Object.assign(event, stamped);
  const hasMoved = event.startMs !== before.startMs || event.endMs !== before.endMs;
  const hasNewPlace = before.fields['location'] !== content.fields['location'];
  event.sequence = Math.max(what.sequence ?? 0, event.sequence + (hasMoved || hasNewPlace ? 1 : 0));
  event.isBare = false;
  spreadVisibility(calendar, event);
  logChange(office, calendar, { event, before: before.fields });
  office.announce(calendar);
  return event;
}

/** Leaves a tombstone. The caller has checked that the event is live. */
export function cancelEvent(office: CalendarOffice, calendar: Calendar, event: StoredEvent): void {
  const before = event.fields;
  event.fields = { ...before, status: 'cancelled' };
  event.updatedMs = office.now();
  event.etag = office.nextEtag();
  event.sequence += 1;
  logChange(office, calendar, { event, before });
  for (const exception of calendar.exceptionsOf(event.id))
    if (!isCancelled(exception)) cancelEvent(office, calendar, exception);
  office.announce(calendar);
}

/** A series, its exceptions and its later parts have one version: a change of one of them lists all of them again. */
export function logChange(
  office: CalendarOffice,
  calendar: Calendar,
  { event, before }: { event: StoredEvent; before: JsonObject },
): void {
  const family = office.switches.seriesSharesVersion ? calendar.familyOf(event) : [];
  for (const each of family) {
    if (each === event) continue;
    each.etag = event.etag;
    each.updatedMs = event.updatedMs;
    calendar.changed(each, each.fields);
  }
  // Last, because listeners look at the last change.
  calendar.changed(event, before);
}

const visibilityRanks: Record<string, number> = { public: 0, default: 1, private: 2, confidential: 2 };

/** A stricter visibility of one instance is applied to its whole series, and a less strict one is ignored. */
function spreadVisibility(calendar: Calendar, event: StoredEvent): void {
  const master = event.recurringEventId === undefined ? undefined : calendar.get(event.recurringEventId);
  if (master === undefined) return;
  const rankOf = ({ fields }: StoredEvent): number =>
    visibilityRanks[stringOf(fields['visibility']) ?? 'default'] ?? 1;
  const isStricter = rankOf(event) > rankOf(master);
  const { visibility } = isStricter ? event.fields : master.fields;
  const { visibility: _, ...rest } = event.fields;
  event.fields = visibility === undefined ? rest : { ...rest, visibility };
  if (!isStricter) return;
  for (const each of [master, ...calendar.exceptionsOf(master.id)])
    if (each !== event) each.fields = { ...each.fields, visibility: visibility ?? 'default' };
}

/**
 * Moves the event, with the exceptions of a series, to another calendar under the same id. The old calendar keeps a tombstone with only the id.
 */
export function moveEvent(
  office: CalendarOffice,
  from: Calendar,
  move: { event: StoredEvent; to: Calendar },
): StoredEvent {
  const { event, to } = move;
  if ((event.fields['eventType'] ?? 'default') !== 'default') throw typeRestricted();
  const held = to.get(event.id);
  if (held !== undefined && !isCancelled(held)) {
    throw calendarRefusal(409, { reason: 'duplicate', message: 'The requested identifier already exists.' });
  }
  const etag = office.nextEtag();
  const arrive = (each: StoredEvent): StoredEvent => {
    const arrived = {
      ...each,
      ordinal: to.nextOrdinal(),
      fields: structuredClone(each.fields),
      etag,
      updatedMs: office.now(),
      organizer: { email: to.id, displayName: to.summary },
      sequence: each.sequence + 1,
    };
    to.add(arrived);
    return arrived;
  };
  const arrived = arrive(event);
  for (const exception of from.exceptionsOf(event.id)) arrive(exception);
  cancelEvent(office, from, event);
  event.isBare = true;
  office.announce(to);
  return arrived;
}

/** How many people a write would have mailed: every guest but the calendar itself. */
export function guestsOf(event: StoredEvent, calendar: Calendar): number {
  return listOf(event.fields['attendees']).filter(
    (guest) => stringOf(objectOf(guest)['email']) !== calendar.id,
  ).length;
}

/** The `sequence` of a body, if it has one. */
export function sequenceOf(body: JsonObject): number | undefined {
  return numberOf(body['sequence']);
}

export function typeRestricted() {
  return calendarRefusal(400, {
    domain: 'calendar',
    reason: 'eventTypeRestriction',
    message: 'Attempted to perform an operation that is not allowed based on the event type.',
  });
}

function stamp(office: CalendarOffice, content: Content) {
  return {
    fields: content.fields,
    startMs: content.start.ms,
    endMs: content.end.ms,
    updatedMs: office.now(),
    etag: office.nextEtag(),
  };
}

function isOnlyReminders(before: JsonObject, after: JsonObject): boolean {
  const { reminders: reminded, ...rest } = before;
  const { reminders: reminding, ...others } = after;
  return JSON.stringify(reminded) !== JSON.stringify(reminding) && sorted(rest) === sorted(others);
}

function sorted(fields: JsonObject): string {
  return JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
