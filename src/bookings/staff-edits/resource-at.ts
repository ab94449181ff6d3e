import type { Directory } from '../../domain/directory.ts';
import { isResource } from '../../domain/subject.ts';
import type { EditedAppointment } from './appointment.ts';
import type { Arrival } from './decide.ts';

/**
 * The resource that takes the appointment when its event was moved into this calendar. The platform moves an appointment only between
 * resources of one branch (platform API, reschedule), and only its main resource. A calendar can change nothing else of an appointment.
 */
export function resourceAt(
  calendarId: string,
  where: {
    /** Calendar by subject. */
    readonly calendars: ReadonlyMap<string, string>;
    readonly appointment: EditedAppointment;
    /** Moving this event may give the appointment to another resource. */
    readonly mayBeGiven: boolean;
    readonly directory: Directory;
  },
): Arrival['to'] {
  const { calendars, appointment, mayBeGiven, directory } = where;
  const subjects = [...calendars]
    .filter(([, calendar]) => calendar === calendarId)
    .map(([subject]) => subject);
  const here = subjects.filter(isResource);
  if (appointment.resourceId !== undefined && here.includes(appointment.resourceId))
    return { resourceId: appointment.resourceId };
  if (!mayBeGiven) return { hindrance: 'second-resource' };
  if (here.length === 0) return { hindrance: subjects.length === 0 ? 'nobodys-calendar' : 'team-calendar' };
  const [resourceId, ...others] = here.filter(
    (id) => directory.resources.get(id)?.branchId === appointment.branchId,
  );
  if (resourceId === undefined) return { hindrance: 'other-branch' };
  // Nothing says which of them is meant.
  return others.length > 0 ? { hindrance: 'team-calendar' } : { resourceId };
}
