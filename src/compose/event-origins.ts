import { entryOf, type OriginParts, originLink } from '../bookings/outside/origin.ts';
import type { Config } from '../config/config.ts';
import type { EventOrigins } from '../mirrors/calendar/target.ts';

/** What a calendar mirror has to know of appointments that people booked in its calendars. */
export function eventOrigins(
  { bookings }: Config,
  { view, events }: OriginParts,
  mirror: string,
): EventOrigins {
  return {
    // Asked also where no entry is left in the file: the event still is the one that was booked by.
    bookedBy: (snapshot, calendarId) => originLink({ view, events }, snapshot, calendarId),
    editsFor: (snapshot) => entryOf(bookings, snapshot)?.staffEdits[mirror],
  };
}
