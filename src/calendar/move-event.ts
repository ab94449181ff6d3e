// Moves an event to which people added something to the calendar that shows the appointment now (P6). Google moves neither instances of series
// nor events of others, and no event between accounts (Calendar API, Events: move). There the fields are copied.
import { DeferredError } from '../engine/errors.ts';
import { isEventIdOf, isSharedId } from '../engine/ids.ts';
import { type CalendarLink, doubted, triedOf } from '../engine/link.ts';
import { type HeldLinks, isSameEvent } from '../engine/link-store.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import {
  type CalendarEvent,
  type EventBody,
  otherOrganizer,
  type PeoplesFields,
  type WholeEvent,
} from '../google/calendar-event.ts';
import { isMarkedFor, isOurs } from './wanted.ts';

/** The event that leaves another calendar. After a lost answer it may be in one of several. */
export interface LeavingEvent {
  /** Undefined if it cannot move. */
  readonly eventId: string | undefined;
  readonly links: readonly CalendarLink[];
  /**
   * The event in its new calendar; undefined if Google does not move it. `gone`: it is in none of the others. Call it once the new one is
   * stored as `intended`. Rejects with the three error families: after a `RetryableError` it may be in either calendar.
   */
  bring(): Promise<CalendarEvent | 'gone' | undefined>;
  /** Copies what people added to the event that was made instead. Returns that event's etag, and the fields that Google refuses. */
  copyTo(event: { readonly id: string; readonly etag: string }): Promise<Copied>;
}

export interface Copied {
  readonly etag: string;
  readonly lost: readonly string[];
}

export interface MoveParts {
  readonly api: Pick<CalendarApi, 'addFields' | 'getWhole' | 'isSameAccount' | 'move'>;
  readonly held: HeldLinks;
  readonly appointmentId: string;
  /** Calendar that shows the appointment now. */
  readonly to: string;
  /** What the mirror writes there. All else belongs to people. */
  readonly body: EventBody;
  /** Rejects if people's change to the event must be decided first. */
  readonly assertUnchanged: (link: CalendarLink, seen: CalendarEvent) => Promise<void>;
  /** Called when the event has left its calendar, and its link is gone. */
  readonly hasLeft: (link: CalendarLink) => void;
}

/** `leaving`: links to events that are to be removed. Undefined if there is none. */
export function leavingEvent(parts: MoveParts, leaving: readonly CalendarLink[]): LeavingEvent | undefined {
  const { api, appointmentId, to } = parts;
  const links = leaving.filter(({ event }) => event.is !== 'strayed');
  const movable = links.filter(({ calendarId, eventId }) => {
    const mayStand = isSharedId(eventId, appointmentId) || !isEventIdOf(eventId, appointmentId);
    return mayStand && api.isSameAccount(calendarId, to);
  });
  if (links.length === 0) return undefined;
  const eventId = movable[0]?.eventId;
  let hasMoved = false;
  return {
    ...{ eventId, links },
    async bring() {
      const left = new Set(links.filter((each) => each.eventId === eventId));
      for (const link of movable.filter((each) => left.has(each))) {
        const moved = await bring(parts, link);
        hasMoved = typeof moved === 'object';
        if (hasMoved) return moved;
        if (moved === 'gone') left.delete(link);
      }
      return left.size === 0 ? 'gone' : undefined;
    },
    async copyTo(event) {
      for (const link of hasMoved ? [] : links) {
        const fields = await look(parts, link, isCopied);
        if (typeof fields === 'object')
          return copy(parts, event, peoplesFields(fields, { ...parts, ...link }));
      }
      return { etag: event.etag, lost: [] };
    },
  };
}

async function bring(parts: MoveParts, link: CalendarLink): Promise<CalendarEvent | 'gone' | undefined> {
  const { api, held, to } = parts;
  const { calendarId, eventId, event } = link;
  const seen = await look(parts, link, isMovable);
  if (typeof seen !== 'object') return seen;
  if (seen.etag !== event.etag) await parts.assertUnchanged(link, seen);
  // Stored before the move: the absence of the event here must not count as a deletion by people, but its absence from both may.
  const known = { ...doubted(event), etag: seen.etag };
  const coming = held.calendars.filter((each) => isSameEvent(each, { calendarId: to, eventId }));
  const expected = coming.map((each) => {
    return { ...each, event: { ...each.event, hour: { ...event.hour, tried: triedOf(each.event.hour) } } };
  });
  await held.put({ ...link, event: known, absence: 'leaving' }, ...expected);
  const moved = await api.move(calendarId, eventId, to);
  if (moved === 'refused') {
    await held.put(link, ...coming);
    return undefined;
  }
  await held.drop(
    link,
    ...expected.map((each) => ({
      ...each,
      event: { ...each.event, is: 'found', etag: moved.etag } as const,
    })),
  );
  parts.hasLeft(link);
  return moved;
}

/** All fields at once; if Google refuses that, one by one. */
async function copy(
  { api, to }: MoveParts,
  event: { readonly id: string; readonly etag: string },
  fields: PeoplesFields,
): Promise<Copied> {
  const all = await api.addFields(to, event, fields);
  if (all !== 'refused') return { etag: all.etag, lost: [] };
  let { etag } = event;
  const lost: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const done = await api.addFields(to, { id: event.id, etag }, { [name]: value });
    if (done === 'refused') lost.push(name);
    else etag = done.etag;
  }
  return { etag, lost };
}

/** The event, if it has something that a new event would lack. `gone`: it is no longer here. */
async function look(
  { api, appointmentId, body }: MoveParts,
  { calendarId, eventId, coloured }: CalendarLink,
  isFit: (seen: WholeEvent, at: { readonly calendarId: string; readonly appointmentId: string }) => boolean,
): Promise<WholeEvent | 'gone' | undefined> {
  try {
    const seen = await api.getWhole(calendarId, eventId);
    if (seen === 'absent' || seen.status === 'cancelled') return 'gone';
    if (!isFit(seen, { calendarId, appointmentId })) return undefined;
    return Object.keys(peoplesFields(seen, { body, coloured })).length > 0 ? seen : undefined;
  } catch (error) {
    // A calendar that is closed or fails for long does not keep the appointment from the other one.
    if (error instanceof DeferredError && error.quota === undefined) return undefined;
    throw error;
  }
}

/** What people gave to the event, without what the mirror writes. */
function peoplesFields(
  seen: WholeEvent,
  { body, coloured }: { readonly body: EventBody; readonly coloured: boolean },
): PeoplesFields {
  const { attachments = [], conferenceData, reminders, colorId, visibility, description, location } = seen;
  const attendees = (seen.attendees ?? []).filter(
    ({ self, organizer }) => self !== true && organizer !== true,
  );
  return {
    ...(attendees.length > 0 && { attendees }),
    ...(attendees.length > 0 && seen.guestsCanModify === true && { guestsCanModify: true }),
    ...(attachments.length > 0 && { attachments }),
    ...(conferenceData !== undefined && { conferenceData }),
    ...(reminders?.useDefault === false && { reminders }),
    ...(colorId !== undefined && !coloured && body.colorId === undefined && { colorId }),
    ...((visibility ?? 'default') !== 'default' && body.visibility === undefined && { visibility }),
    ...(seen.transparency === 'transparent' &&
      body.transparency === undefined && { transparency: 'transparent' }),
    ...(description && body.description === undefined && { description }),
    ...(location && body.location === undefined && { location }),
  };
}

function isMovable(
  seen: CalendarEvent,
  { calendarId, appointmentId }: { readonly calendarId: string; readonly appointmentId: string },
): boolean {
  return (
    isCopied(seen, { calendarId, appointmentId }) &&
    (seen.eventType ?? 'default') === 'default' &&
    seen.recurrence === undefined &&
    seen.recurringEventId === undefined
  );
}

function isCopied(
  seen: CalendarEvent,
  { calendarId, appointmentId }: { readonly calendarId: string; readonly appointmentId: string },
): boolean {
  const isLive = seen.status !== 'cancelled';
  return isLive && isLinked(seen, appointmentId) && otherOrganizer(seen, calendarId) === undefined;
}

/** The link names the event, and the mirror has written into it. The event by which people booked keeps their id. */
function isLinked(seen: CalendarEvent, appointmentId: string): boolean {
  return isEventIdOf(seen.id, appointmentId) ? isOurs(seen, appointmentId) : isMarkedFor(seen, appointmentId);
}
