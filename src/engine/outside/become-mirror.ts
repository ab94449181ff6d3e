import { type EventNote, type KnownTimes, linkTo, opened } from '../domain/link.ts';
import { visibleState } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/object.ts';
import { formatKey } from '../domain/object.ts';
import type { BookingLanguage, CalendarBookings, SeenBooking } from '../domain/outside-booking.ts';
import type { LinkStore } from '../ports/calendars.ts';
import { NOTE_WORDS } from '../words/edit-words.ts';

/** Links the event as the mirror of its appointment. Does nothing if this event, or another one there, is already linked. */
export async function becomeMirror(
  parts: { readonly entries: readonly CalendarBookings[]; readonly links: Pick<LinkStore, 'adopt'> },
  seen: SeenBooking,
  appointment: {
    readonly appointmentId: string;
    /**
     * The wished hour: a different hour shows that people moved the event since. With `startsAt`, an absence may be a deletion by people.
     */
    readonly hour: KnownTimes;
    readonly note?: EventNote;
    /** Set when the event is gone from its calendar and staff edits must find out why; epoch milliseconds. */
    readonly editSeenAtMs?: number;
  },
): Promise<void> {
  const { entries, links } = parts;
  if (seen.place !== 'calendar') return;
  const calendars = entries.flatMap((each) => each.calendars);
  const mirror = calendars.find(({ calendarId }) => calendarId === seen.calendar_id)?.mirror;
  if (mirror === undefined) return;
  const { appointmentId, hour, note, editSeenAtMs } = appointment;
  const at = { calendarId: seen.calendar_id, eventId: seen.event_id };
  const found = {
    ...linkTo(at, { hour }),
    ...(note && { note }),
  };
  const link = editSeenAtMs === undefined ? found : opened(found, editSeenAtMs);
  await links.adopt(formatKey({ kind: 'appointment', id: appointmentId }), mirror, link);
}

/** The platform decides how long an appointment lasts. The event takes that length, and this note says why. */
export function lengthNote(
  seen: SeenBooking,
  appointment: Snapshot,
  language: BookingLanguage,
): EventNote | undefined {
  if (seen.place !== 'calendar') return undefined;
  const lengthMs = Date.parse(seen.ends_at ?? '') - Date.parse(seen.starts_at ?? '');
  const givenMs = Date.parse(String(appointment['ends_at'])) - Date.parse(String(appointment['starts_at']));
  if (lengthMs === givenMs || Number.isNaN(lengthMs - givenMs)) return undefined;
  return { code: 'duration', text: NOTE_WORDS[language].duration, of: visibleState(appointment) };
}
