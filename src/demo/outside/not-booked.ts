import type { GoogleSandbox } from '../../sandbox/google/sandbox.ts';
import { appointmentShown } from '../judge/event-picture.ts';
import type { OutsideBooking } from './book.ts';

/**
 * Ids of events in which people asked for a booking and have none: their own events, not the worker's, wherever they stand by now. An event
 * that was dragged to a colleague leaves a bare tombstone behind, which says nothing of its appointment.
 */
export function notBooked(
  truth: GoogleSandbox['truth'],
  calendars: Iterable<string>,
  bookings: readonly OutsideBooking[],
): readonly string[] {
  const all = [...calendars];
  return bookings.flatMap(({ eventId }) => {
    if (eventId === undefined) return [];
    const standing = all.flatMap((calendarId) => {
      const event = truth.event(calendarId, eventId);
      return event === undefined || event['status'] === 'cancelled' ? [] : [event];
    });
    const isBooked = standing.some((event) => appointmentShown(event) !== undefined);
    return standing.length === 0 || isBooked ? [] : [eventId];
  });
}
