// Events that staff put into their calendars: complete or in two steps, at a free or a taken time, and later moved or deleted.
import { someLaterTime } from '../day/times.ts';
import { wireText } from '../judge/company.ts';
import type { OutsideBooking } from './book.ts';
import { busyMoment, nextPhone, type OutsideCast, somePerson, someService } from './cast.ts';

const QUARTER_MS = 15 * 60_000;

/** Adds one event. Returns the later changes to it, in order. */
export function dropEvent(cast: OutsideCast): readonly (() => void)[] {
  const { google, random, bookings, company, calendarOf } = cast;
  const person = somePerson(
    cast,
    company.personIds.filter((id) => calendarOf.has(id)),
  );
  const service = someService(cast);
  const phone = nextPhone(cast);
  const dice = random.next();
  const clash = dice < 0.12 ? busyMoment(cast, person) : undefined;
  const startMs = Date.parse(clash ?? someLaterTime(random, person.zone));
  const isHalfTyped = dice > 0.85;
  const event = google.staff.calendar.add({
    calendarId: person.calendarId,
    event: {
      summary: `#book ${service.name}`,
      ...(isHalfTyped ? {} : { description: phone.written }),
      ...timesOf(startMs, service.minutes),
    },
  });
  const at = { calendarId: person.calendarId, eventId: wireText(event['id']) };
  const booking: OutsideBooking = {
    ...{ where: 'calendar', phone: phone.e164, fate: isHalfTyped ? 'half-typed' : 'wanted' },
    ...at,
  };
  bookings.push(booking);
  if (isHalfTyped) {
    return [
      () => {
        google.staff.calendar.describe({ ...at, description: phone.written });
        booking.fate = 'wanted';
      },
    ];
  }
  if (dice > 0.72) return [() => take(cast, booking)];
  if (dice > 0.55) return [() => shift(cast, booking, 1 + random.below(6))];
  return [];
}

function take({ google }: OutsideCast, booking: OutsideBooking): void {
  const { calendarId = '', eventId = '' } = booking;
  if (google.truth.event(calendarId, eventId)?.['status'] === 'cancelled') return;
  google.staff.calendar.remove({ calendarId, eventId });
  booking.fate = 'dropped';
}

function shift(
  { google }: OutsideCast,
  { calendarId = '', eventId = '' }: OutsideBooking,
  quarters: number,
): void {
  const event = google.truth.event(calendarId, eventId);
  const start = (event?.['start'] ?? {}) as { readonly dateTime?: string };
  if (event?.['status'] === 'cancelled' || start.dateTime === undefined) return;
  const to = new Date(Date.parse(start.dateTime) + quarters * QUARTER_MS).toISOString();
  google.staff.calendar.move({ calendarId, eventId, start: to });
}

function timesOf(startMs: number, minutes: number) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return { start: { dateTime: iso(startMs) }, end: { dateTime: iso(startMs + minutes * 60_000) } };
}
