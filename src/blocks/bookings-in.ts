import type { BookingRules } from '../domain/block.ts';
import type { CalendarBookings } from '../domain/outside-booking.ts';

/** Returns the rules by which people book in a given calendar. */
export function bookingsIn(bookings: readonly CalendarBookings[]): (calendarId: string) => BookingRules {
  return (calendarId) =>
    bookings
      .filter(({ calendars }) => calendars.some((each) => isSame(each.calendarId, calendarId)))
      .map(({ when }) => when);
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
