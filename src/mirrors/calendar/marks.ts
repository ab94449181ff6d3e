import { isEventIdOf } from '../../domain/event-id.ts';
import { APPOINTMENT_MARK, MARK, MIRROR_MARK } from '../../domain/event-marks.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';

/** The private extended properties of an event that mirrors this appointment. */
export function marksFor(appointmentId: string, mirror: string): Readonly<Record<string, string>> {
  return { [MARK.key]: MARK.value, [APPOINTMENT_MARK]: appointmentId, [MIRROR_MARK]: mirror };
}

/**
 * Which appointment an event mirrors, and for which mirror; undefined when it is none of ours. The properties alone prove
 * nothing: "Duplicate" in Google Calendar copies them. The event id cannot be copied.
 */
export function readMarks(event: CalendarEvent): { appointmentId: string; mirror: string } | undefined {
  const marks = event.extendedProperties?.private ?? {};
  const appointmentId = marks[APPOINTMENT_MARK];
  if (appointmentId === undefined || !isEventIdOf(event.id, appointmentId)) return undefined;
  return { appointmentId, mirror: marks[MIRROR_MARK] ?? '' };
}

/** True when an event found under a derived id may be written to. A tombstone may have lost its properties; its id is enough. */
export function isOurs(event: CalendarEvent, appointmentId: string): boolean {
  if (event.status === 'cancelled') return isEventIdOf(event.id, appointmentId);
  return readMarks(event)?.appointmentId === appointmentId;
}
