import { type ClassSlot, classIdOf, isClassId, slotIn } from '../../domain/class-slot.ts';
import { isEventIdOf } from '../../domain/event-id.ts';
import { APPOINTMENT_MARK, CLASS_MARK, MARK, MIRROR_MARK } from '../../domain/event-marks.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';
import { guestMarks } from './guest-list.ts';

/**
 * The private extended properties of an event that mirrors this appointment or class. `named`: further appointments whose people its texts
 * name.
 */
export function marksFor(
  { id, slot }: Snapshot,
  mirror: string,
  named: readonly string[] = [],
): Readonly<Record<string, string>> {
  return {
    ...{ [MARK.key]: MARK.value, [APPOINTMENT_MARK]: id, [MIRROR_MARK]: mirror },
    ...(isClassId(id) && typeof slot === 'string' && { [CLASS_MARK]: slot }),
    ...guestMarks(named),
  };
}

/**
 * Which appointment an event mirrors, and for which mirror; undefined for other events. The properties alone prove nothing, because
 * "Duplicate" in Google Calendar copies them. The event id cannot be copied.
 */
export function readMarks(event: CalendarEvent): { appointmentId: string; mirror: string } | undefined {
  const marks = event.extendedProperties?.private ?? {};
  const appointmentId = marks[APPOINTMENT_MARK];
  if (appointmentId === undefined || !isEventIdOf(event.id, appointmentId)) return undefined;
  return { appointmentId, mirror: marks[MIRROR_MARK] ?? '' };
}

/** True when the worker may write to an event found under a derived id. A tombstone may have lost its properties; its id is enough. */
export function isOurs(event: CalendarEvent, appointmentId: string): boolean {
  if (event.status === 'cancelled') return isEventIdOf(event.id, appointmentId);
  return readMarks(event)?.appointmentId === appointmentId;
}

/**
 * The slot of a class. It proves itself, because the class's id is its hash. Undefined for events of appointments, and where people have
 * changed the mark.
 */
export function readSlot(event: CalendarEvent): ClassSlot | undefined {
  const slot = slotIn(event.extendedProperties?.private?.[CLASS_MARK]);
  return slot !== undefined && classIdOf(slot) === readMarks(event)?.appointmentId ? slot : undefined;
}
