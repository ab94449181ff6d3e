import { visibleState } from '../domain/mirror.ts';
import type { EntityKey, Snapshot } from '../domain/object.ts';
import type { OwnAppointment, SeenBooking } from '../domain/outside-booking.ts';
import { customerMarks } from '../domain/person.ts';
import type { PlatformReader } from '../ports/platform.ts';
import type { ObjectView } from '../ports/work.ts';
import type { BookedAppointment } from './decide.ts';
import { originOf } from './origin.ts';

export interface BookedParts {
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<ObjectView, 'peek'>;
}

/** Reads the current appointment of an outside booking; undefined when the platform does not show it. */
export async function readBooked(
  parts: BookedParts,
  seen: SeenBooking,
  { id, mirrored }: OwnAppointment,
): Promise<BookedAppointment | undefined> {
  const key: EntityKey = { kind: 'appointment', id };
  // The mirror and staff edits take care of this appointment, so it is not read. A missing event may have been removed by the mirror.
  if ((seen.state === 'gone' && mirrored) || (await isMirrored(parts, seen, key)))
    return { status: '', startsAt: '', isMirrored: true };
  const found = await parts.reader.get(key);
  return found && bookedAppointment(found);
}

export function bookedAppointment(appointment: Snapshot): BookedAppointment {
  const { status, starts_at: startsAt, updated_at: updatedAt } = appointment;
  const resourceIds = [appointment['resource_id'], appointment['resource_ids']].flat().filter(isText);
  const standing = visibleState(appointment);
  const customer = customerMarks({
    contactId: appointment['contact_id'],
    phone: appointment['customer_phone'],
    email: appointment['customer_email'],
    name: appointment['customer_name'],
  });
  const place = { startsAt: String(startsAt), resourceIds };
  const known = { status: String(status), ...place, isMirrored: false, standing, customer };
  return typeof updatedAt === 'string' ? { ...known, updatedAt } : known;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Finds the appointment that the row itself names, as after a loss of Redis. It counts only if the appointment names this origin. */
export async function findWritten(
  { reader }: Pick<BookedParts, 'reader'>,
  seen: SeenBooking,
): Promise<string | undefined> {
  const id = seen.place === 'calendar' ? undefined : seen.known_appointment;
  if (id === undefined || !/^[0-9a-f-]{36}$/i.test(id)) return undefined;
  const found = await reader.get({ kind: 'appointment', id });
  return found !== undefined && originOf(found) === seen.origin ? id : undefined;
}

async function isMirrored(parts: BookedParts, seen: SeenBooking, appointment: EntityKey): Promise<boolean> {
  if (seen.place !== 'calendar') return false;
  const known = await parts.view.peek(appointment);
  const links = Object.values(known?.links ?? {}).flatMap(({ calendars = [] }) => calendars);
  // A link in another calendar means that the event was dragged back here. With two links, its absence there would count as a deletion.
  return links.some((link) => link.eventId === seen.event_id);
}
