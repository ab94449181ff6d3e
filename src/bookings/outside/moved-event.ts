// Google's "move to another calendar" keeps an event's id (Events: move). Only its id identifies an event that was dragged away before the
// mirror marked it. Its appointment goes along: it is neither cancelled here nor booked again there (case 47).
import type { KnownTimes } from '../../domain/link.ts';
import { bookingIdOf, calendarOrigin } from '../../domain/origin.ts';
import {
  type BookingRecord,
  type CalendarBookings,
  ownOf,
  type SeenBooking,
  wishedOf,
} from '../../domain/outside-booking.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import type { CalendarEvents } from '../../ports/calendars.ts';
import type { ObjectView } from '../../ports/work.ts';
import { originMark } from '../submit/request.ts';

/** Calendars whose records are read from Redis at once: one by one, hundreds of colleagues would delay every booking. */
const RECORDS_AT_ONCE = 100;

export interface MovedEventParts {
  /** All calendar entries: people drag events across all their calendars. */
  readonly entries: readonly CalendarBookings[];
  readonly events: Pick<CalendarEvents, 'read'>;
  readonly view: Pick<ObjectView, 'peek'>;
}

/** What is known of an event that was booked in another calendar. */
export type Before =
  /** Its appointment, or the request for it, is on its way here. */
  | { readonly is: 'awaited' }
  /** Its appointment is linked here. */
  | { readonly is: 'shown' }
  /** No calendar is linked with it for its appointment, so nothing would look for the event here. */
  | {
      readonly is: 'lost';
      readonly calendarId: string;
      readonly appointmentId: string;
      readonly hour: KnownTimes;
    };

/**
 * Whether the event was booked in another calendar before it was moved here. An event of the same id that is still there is a different one
 * (case 51).
 */
export async function bookedBefore(parts: MovedEventParts, seen: SeenBooking): Promise<Before | undefined> {
  if (seen.place !== 'calendar') return undefined;
  const { event_id: eventId } = seen;
  const others = othersOf(parts.entries, seen.calendar_id);
  for (let at = 0; at < others.length; at += RECORDS_AT_ONCE) {
    const some = others.slice(at, at + RECORDS_AT_ONCE);
    const records = await Promise.all(some.map((calendarId) => recordAt(parts, { calendarId, eventId })));
    for (const [i, calendarId] of some.entries()) {
      const record = records[i];
      const standing = record && (await formerEvent(parts, seen, { calendarId, record }));
      if (standing === undefined) continue;
      if (standing.is === 'shown') return standing;
      const event = await parts.events.read(calendarId, eventId);
      if (event === 'absent' || !event.isLive) return standing;
    }
  }
  return undefined;
}

/**
 * Whether an appointment's `metadata` names this event in another booking calendar that no longer has it. This works even when everything
 * else was lost. If that calendar still has the event, it is a different one (case 51).
 */
export function formerly({ events, entries }: Omit<MovedEventParts, 'view'>, seen: SeenBooking): IsFormer {
  if (seen.place !== 'calendar') return async () => false;
  const { calendar_id: here, event_id: eventId } = seen;
  const formers = new Map(othersOf(entries, here).map((id) => [originMark(calendarOrigin(id, eventId)), id]));
  return async (mark) => {
    const calendarId = formers.get(mark);
    const event = calendarId && (await events.read(calendarId, eventId));
    return event === 'absent' || (typeof event === 'object' && !event.isLive);
  };
}

async function formerEvent(
  { view }: Pick<MovedEventParts, 'view'>,
  { calendar_id: here, event_id: eventId }: SeenBooking & { readonly place: 'calendar' },
  { calendarId, record }: { readonly calendarId: string; readonly record: BookingRecord },
): Promise<Before | undefined> {
  const own = ownOf(record);
  if (own === undefined) return record.asked && { is: 'awaited' };
  const { id: appointmentId, mirrored } = own;
  const wished = wishedOf(own);
  const appointment = await view.peek({ kind: 'appointment', id: appointmentId });
  const links = Object.values(appointment?.links ?? {})
    .flatMap(({ calendars = [] }) => calendars)
    .filter((each) => each.eventId === eventId);
  if (links.some((each) => each.calendarId === here)) return { is: 'shown' };
  if (links.length > 0) return { is: 'awaited' };
  // The mirror removed its event along with the cancelled appointment. Bringing it back here wishes for a new one.
  if (mirrored && appointment?.snapshot?.['status'] === 'cancelled') return undefined;
  const hour = wished === undefined ? {} : { tried: [wished.startsAt] };
  return { is: 'lost', calendarId, appointmentId, hour };
}

/** The record of the event in that calendar: one with an appointment, or else that of the entry that now takes the event. */
async function recordAt(
  { view, entries }: Pick<MovedEventParts, 'view' | 'entries'>,
  { calendarId, eventId }: { readonly calendarId: string; readonly eventId: string },
): Promise<BookingRecord | undefined> {
  const known = await view.peek({ kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) });
  const records = entries.map(({ name }) => ({ name, record: known?.links[name]?.booking }));
  const found =
    records.find(({ record }) => ownOf(record) !== undefined) ??
    records.find(({ name }) => name === known?.snapshot?.['mapping']);
  return found?.record;
}

function othersOf(entries: readonly CalendarBookings[], calendarId: string): readonly string[] {
  const all = entries.flatMap(({ calendars }) => calendars.map((each) => each.calendarId));
  return [...new Set(all)].filter((each) => each !== calendarId);
}
