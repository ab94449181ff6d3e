import type { Directory } from '../../domain/directory.ts';
import type { Visit } from './appointment.ts';
import type { Arrival } from './decide.ts';

/**
 * Who is to take the appointment when its event was moved into this calendar. The platform moves an appointment between resources of one branch
 * only (platform API, reschedule), and only the main one.
 */
export function resourceAt(
  calendarId: string,
  where: {
    readonly resources: ReadonlyMap<string, string>;
    readonly visit: Visit;
    readonly isMain: boolean;
    readonly directory: Directory;
  },
): Arrival['to'] {
  const { resources, visit, isMain, directory } = where;
  const here = [...resources].filter(([, calendar]) => calendar === calendarId).map(([id]) => id);
  if (visit.resourceId !== undefined && here.includes(visit.resourceId))
    return { resourceId: visit.resourceId };
  if (!isMain) return { hindrance: 'second-resource' };
  if (here.length === 0) return { hindrance: 'nobodys-calendar' };
  const resourceId = here.find((id) => directory.resources.get(id)?.branchId === visit.branchId);
  return resourceId === undefined ? { hindrance: 'other-branch' } : { resourceId };
}
