import type { Directory } from '../../domain/directory.ts';
import type { CalendarMirror } from '../../domain/mirror.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { type Division, divisionOf, EVERYTHING, resourcesOf, subjectsOf } from '../../domain/subject.ts';
import { linesOf } from '../filter/lines.ts';
import {
  type AroundTaken,
  type KnownClaim,
  type MirrorKind,
  no,
  type Opinion,
  pathOf,
} from '../mirror-kind.ts';

export const calendarKind: MirrorKind<CalendarMirror> = {
  ofDeleted: (mirror) => no(pathOf(mirror)('calendars'), 'the platform said that it was deleted'),
  ofTaken,
  shown: async () => (await import('./shown.ts')).shownCalendar,
};

function ofTaken(
  mirror: CalendarMirror,
  { snapshot, links }: KnownClaim,
  { resolved, directory, because }: AroundTaken,
): Opinion {
  const path = pathOf(mirror);
  const told = linesOf(mirror.where).length === 0 ? '' : `; ${because}`;
  const { cancelled } = mirror.event;
  if (snapshot['status'] === 'cancelled') {
    const stands = (links[mirror.name]?.calendars ?? []).length > 0;
    const isWithout = cancelled === 'keep' && !stands;
    return {
      taken: cancelled === 'keep' && stands,
      rule: path('event.cancelled'),
      because: isWithout ? 'it is cancelled, and has no event to keep' : `it is cancelled: ${cancelled}`,
    };
  }
  const subjects = subjectsOf(snapshot).filter((subject) => resolved.has(subject));
  const map = path(subjects[0] === EVERYTHING ? 'calendars.calendar' : 'calendars.map');
  if (subjects.length > 0) {
    const owners = [...new Set(subjects.map((subject) => OWNERS[divisionOf(subject)]))];
    return { taken: true, rule: map, because: `${owners.join(', and ')}${told}` };
  }
  const divisions = new Set([...resolved.keys()].map(divisionOf));
  const missing = ORDER.filter((by) => divisions.has(by)).map((by) => missingOf(by, snapshot, directory));
  return no(map, missing.join(', and ') || 'the mapping has no calendar');
}

const ORDER = ['resource', 'branch', 'service'] as const;

const OWNERS: Readonly<Record<Division, string>> = {
  resource: 'one of its resources has a calendar',
  branch: 'its branch has a calendar',
  service: 'its service has a calendar',
  all: 'there is a calendar for everything',
};

/** Why no calendar of this division takes the appointment. */
function missingOf(by: (typeof ORDER)[number], snapshot: Snapshot, directory: Directory): string {
  const { branch_id: branch, service_id: service, service_name: name } = snapshot;
  const resources = resourcesOf(snapshot).map((id) => directory.resources.get(id)?.name ?? id);
  const found = {
    resource: resources.join(', '),
    branch: branch && (directory.branches.get(String(branch))?.name ?? branch),
    service: service && (name ?? directory.services.get(String(service))?.name ?? service),
  }[by];
  if (!found) return `it has no ${by}`;
  return by === 'resource'
    ? `none of its resources (${found}) has a calendar`
    : `its ${by} (${found}) has no calendar`;
}
