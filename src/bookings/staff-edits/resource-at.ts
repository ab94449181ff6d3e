import type { Directory } from '../../domain/directory.ts';
import { isResource } from '../../domain/subject.ts';
import type { EditedAppointment } from './appointment.ts';
import type { Arrival } from './decide.ts';

/**
 * Who is to take the appointment when its event was moved into this calendar. The platform moves an appointment between resources of one branch
 * only (platform API, reschedule), and only the main one. Nothing else of an appointment can be changed by a calendar.
 */
export function resourceAt(
  calendarId: string,
  where: {
    /** Subject to calendar. */
    readonly calendars: ReadonlyMap<string, string>;
    readonly appointment: EditedAppointment;
    /** The event that was moved may give the appointment to somebody else. */
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
  // Nobody can say who of them is meant.
  return others.length > 0 ? { hindrance: 'team-calendar' } : { resourceId };
}
