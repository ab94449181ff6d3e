import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { appointmentShown } from '../judge/event-picture.ts';
import type { OutsideBooking } from './book.ts';

/**
 * Ids of booking events without an appointment. They belong to people, not to the worker, whichever calendar they are in now. An event
 * dragged to a colleague leaves a bare tombstone behind, which does not name its appointment.
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
