import type { CalendarEvents } from './calendar-events.ts';
import { DeferredError } from './errors.ts';
import { APPOINTMENT_MARK } from './event-texts.ts';
import { bookingIdOf, eventIdInOrigin, eventOfOrigin } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { type CalendarLink, linkTo } from './link.ts';
import type { StaffEdits } from './mirror.ts';
import type { EntityKey, Snapshot } from './object.ts';
import { originOf } from './object.ts';
import {
  type BookingRecord,
  type BookingSource,
  type CalendarBookings,
  isGoneUnbooked,
  isInvitation,
  ownOf,
  type SeenBooking,
  wishedOf,
} from './outside-booking.ts';

/** How soon to check again whether the handler of a booking has finished. */
const LINKED_LOOK_MS = 1_000;

export interface OriginParts {
  readonly view: Pick<Ledger, 'peek' | 'dueAt'>;
  readonly events: Pick<CalendarEvents, 'read'>;
}

/**
 * The event in this calendar by which an appointment was booked. It becomes the mirror, so that no second event is created. This also holds
 * when the platform's event arrives before the booking's answer (case 40), and after a loss of Redis. A dragged event is recognized by its
 * mark, because the origin names the calendar of the booking. An event linked where it was booked was not dragged.
 */
export async function originLink(
  { view, events }: OriginParts,
  snapshot: Snapshot,
  { calendarId, isShown }: { readonly calendarId: string; readonly isShown: (eventId: string) => boolean },
): Promise<CalendarLink | undefined> {
  const origin = originOf(snapshot);
  if (origin === undefined) return undefined;
  const eventId = eventOfOrigin(origin, calendarId);
  if (eventId === undefined) {
    const bookedAs = eventIdInOrigin(origin);
    if (bookedAs === undefined || isShown(bookedAs)) return undefined;
    return draggedLink(events, { eventId: bookedAs, calendarId, id: snapshot.id });
  }
  const key: EntityKey = { kind: 'booking', id: bookingIdOf(origin) };
  const booking = await view.peek(key);
  const records = Object.values(booking?.links ?? {}).flatMap((links) => links.booking ?? []);
  const wasMirror = records.some((record) => ownOf(record)?.mirrored);
  if (!wasMirror && (await isOfOthers(events, { seen: booking?.snapshot, calendarId, eventId })))
    return undefined;
  // The booking's handler links the event and records that. The record later distinguishes a deletion by people from one by the mirror.
  if (booking !== undefined && !wasMirror && (await view.dueAt(key)) !== undefined)
    throw notLinkedYet(calendarId);
  const deletedHour = wasMirror ? undefined : hourOfDeleted(booking?.snapshot, records);
  if (deletedHour !== undefined) return linkTo({ calendarId, eventId }, { hour: { startsAt: deletedHour } });
  // If it was linked before, its absence is no deletion by people: the mirror removed it, perhaps without recording that.
  const [wished] = records.flatMap((record) => record.asked ?? wishedOf(ownOf(record)) ?? []);
  const tried = wished === undefined || wasMirror ? [] : [wished.startsAt];
  return linkTo({ calendarId, eventId }, { hour: { tried } });
}

/**
 * The hour of an event that people deleted while the request for it was under way, and which the platform carried out late. No mirror has
 * linked the event, so its absence is their deletion. Undefined for any other event.
 */
function hourOfDeleted(seen: Snapshot | undefined, records: readonly BookingRecord[]): string | undefined {
  const isDeleted = seen?.['state'] === 'gone' && records.some(isGoneUnbooked);
  const startMs = isDeleted ? Date.parse(String(seen['starts_at'])) : Number.NaN;
  return Number.isNaN(startMs) ? undefined : new Date(startMs).toISOString();
}

function notLinkedYet(calendarId: string): DeferredError {
  return new DeferredError(
    'booking-unlinked',
    'the event by which people booked is linked by its booking first',
    {
      target: `calendar:${calendarId}`,
      retryAfterMs: LINKED_LOOK_MS,
    },
  );
}

/** An invitation gets no mirror texts: they would show the customer in an event that somebody else reads. */
async function isOfOthers(
  events: OriginParts['events'],
  at: { readonly seen: Snapshot | undefined; readonly calendarId: string; readonly eventId: string },
): Promise<boolean> {
  // The watch's note decides. After a loss of Redis, the calendar is read.
  if (at.seen !== undefined) return isInvitation(at.seen as unknown as SeenBooking);
  const event = await events.read(at.calendarId, at.eventId);
  return event !== 'absent' && event.isGuestCopy;
}

async function draggedLink(
  events: OriginParts['events'],
  { eventId, calendarId, id }: { eventId: string; calendarId: string; id: string },
): Promise<CalendarLink | undefined> {
  const event = await events.read(calendarId, eventId);
  if (event === 'absent' || !event.isLive || event.isGuestCopy) return undefined;
  if (event.marks[APPOINTMENT_MARK] !== id) return undefined;
  // If the colour is one of the mapping's, the mirror itself may have set it.
  return linkTo({ calendarId, eventId }, { coloured: event.isColoured });
}

/**
 * The entry through which an appointment was booked in a calendar; undefined for all others. If two entries share the calendar, the first
 * one's rules hold.
 */
export function entryOf(
  mappings: readonly BookingSource[],
  snapshot: Snapshot,
): CalendarBookings | undefined {
  const origin = originOf(snapshot);
  if (origin === undefined) return undefined;
  return mappings.find((mapping): mapping is CalendarBookings => {
    if (mapping.kind !== 'calendar') return false;
    return mapping.calendars.some(({ calendarId }) => eventOfOrigin(origin, calendarId) !== undefined);
  });
}

/** Special rules for appointments that people booked in a calendar, for one mirror. */
export type EventOrigins = ReturnType<typeof eventOrigins>;

export function eventOrigins(
  parts: OriginParts & { readonly bookings: readonly BookingSource[]; readonly mirror: string },
) {
  return {
    /**
     * The event in this calendar by which the appointment was booked, if any: it becomes the mirror instead of a new one. If the event
     * `isShown` in another calendar, it is not looked for in this one. Needed even when no entry of `bookings` is left in the YAML.
     */
    bookedBy: (
      snapshot: Snapshot,
      calendarId: string,
      isShown: (eventId: string) => boolean,
    ): Promise<CalendarLink | undefined> => originLink(parts, snapshot, { calendarId, isShown }),
    /** How changes to the appointment's events are treated; undefined: as the mirror says. */
    editsFor: (snapshot: Snapshot): StaffEdits | undefined =>
      entryOf(parts.bookings, snapshot)?.staffEdits[parts.mirror],
  };
}
