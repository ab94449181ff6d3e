// Names of events in a CalDAV calendar. A UID may exist once in all calendars of a person: Cyrus refuses it in a second one. So the worker's
// UIDs hold the event id and the calendar. Other UIDs become ids without `_`, which marks instances of series.
import { createHash } from 'node:crypto';
import { isNoteId, objectOf } from '../engine/ids.ts';

const CALENDAR_CHARS = 10;
/** Longer UIDs are hashed. */
const UID_BYTES_MAX = 160;
const OWN_UID = /^(s[bc][0-9a-z]+)-([0-9a-f]{10})$/;

/** The UID of the event that the worker makes under this id. */
export function uidOf(eventId: string, calendarId: string): string {
  const foreign = /^d((?:[0-9a-f]{2})+)$/.exec(eventId)?.[1];
  return foreign === undefined
    ? `${eventId}-${calendarHash(calendarId)}`
    : Buffer.from(foreign, 'hex').toString('utf8');
}

/** The event id of a UID. The worker's own event keeps its id in every calendar, as a dragged event does in Google Calendar. */
export function idOfUid(uid: string): string {
  const own = OWN_UID.exec(uid)?.[1];
  if (own !== undefined && (objectOf(own) !== undefined || isNoteId(own))) return own;
  return foreignId(uid);
}

/** The id of an event whose own id is taken by another one of its calendar. */
export function foreignId(uid: string): string {
  const bytes = Buffer.from(uid, 'utf8');
  return bytes.length <= UID_BYTES_MAX
    ? `d${bytes.toString('hex')}`
    : `dh${createHash('sha256').update(bytes).digest('hex').slice(0, 40)}`;
}

/** Whether the worker made the event in this calendar. */
export function isNative(uid: string, calendarId: string): boolean {
  return OWN_UID.exec(uid)?.[2] === calendarHash(calendarId);
}

/** How far around its start an instance is looked for. */
const AROUND_MS = 3 * 86_400_000;

/** The moment in the id of an instance, and some days around it. */
export function aroundOf(eventId: string): { readonly fromMs: number; readonly untilMs: number } {
  const [, y, mo, d, h = '00', mi = '00', s = '00'] =
    /_(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(eventId) ?? [];
  const ms = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  return { fromMs: ms - AROUND_MS, untilMs: ms + AROUND_MS };
}

/** The last part of the address of an event. SOGo renames to this form, so all have it. */
export function resourceNameOf(uid: string): string {
  return `${encodeURIComponent(uid)}.ics`;
}

function calendarHash(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, CALENDAR_CHARS);
}
