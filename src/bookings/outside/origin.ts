import type { CalendarLink } from '../../domain/link.ts';
import { bookingIdOf, eventOfOrigin } from '../../domain/origin.ts';
import type { BookingMapping, CalendarBookings } from '../../domain/outside-booking.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { ObjectView } from '../../ports/ledger.ts';
import { ORIGIN_MARK } from '../push/request.ts';

/** Where an appointment came from, as its `metadata` says; undefined for those that were not booked outside. */
export function originOf(snapshot: Snapshot): string | undefined {
  const metadata = snapshot['metadata'] as Readonly<Record<string, unknown>> | null | undefined;
  const origin = metadata?.[ORIGIN_MARK];
  return typeof origin === 'string' ? origin : undefined;
}

/**
 * The event in this calendar that an appointment was booked by: it becomes the mirror, and no second one is made, also when the
 * platform's event about the booking is handled before its answer is (case 40), and after Redis was lost.
 */
export async function originLink(
  view: Pick<ObjectView, 'peek'>,
  snapshot: Snapshot,
  calendarId: string,
): Promise<CalendarLink | undefined> {
  const origin = originOf(snapshot);
  const eventId = eventOfOrigin(origin, calendarId);
  if (origin === undefined || eventId === undefined) return undefined;
  const booking = await view.peek({ kind: 'booking', id: bookingIdOf(origin) });
  const records = Object.values(booking?.links ?? {}).flatMap((links) => links.booking ?? []);
  const [wished] = records.flatMap(({ asked, wished: known }) => asked ?? known ?? []);
  const link = { calendarId, eventId, etag: '', hash: '', coloured: false };
  // From where it was wished is told who has moved the event since.
  return wished === undefined ? link : { ...link, startsAt: wished.startsAt };
}

/** The entry by which an appointment was booked in a calendar; undefined for all others. Of two that share it the first one's rules hold. */
export function entryOf(
  mappings: readonly BookingMapping[],
  snapshot: Snapshot,
): CalendarBookings | undefined {
  const origin = originOf(snapshot);
  return mappings.find((mapping): mapping is CalendarBookings => {
    if (mapping.kind !== 'calendar') return false;
    return mapping.calendars.some(({ calendarId }) => eventOfOrigin(origin, calendarId) !== undefined);
  });
}
