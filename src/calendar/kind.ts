import type { CalendarMirror } from '../engine/mirror.ts';
import type { Snapshot } from '../engine/object.ts';
import { divisionOf, EVERYTHING, resourcesOf, subjectsOf } from '../engine/object.ts';
import { linesOf } from '../mapping/filter-lines.ts';
import {
  type AroundTaken,
  type KnownClaim,
  type MirrorKind,
  no,
  type Opinion,
  pathOf,
} from '../mapping/shown-kind.ts';

export const calendarKind: MirrorKind<CalendarMirror> = {
  ofDeleted: (mirror, words) => no(pathOf(mirror)('calendars'), words.deleted),
  ofTaken,
  shown: async () => (await import('./shown.ts')).shownCalendar,
};

function ofTaken(
  mirror: CalendarMirror,
  { snapshot, links }: KnownClaim,
  { resolved, directory, because, words }: AroundTaken,
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
      because: isWithout ? words.cancelledWithoutEvent : words.cancelled(cancelled),
    };
  }
  const subjects = subjectsOf(snapshot).filter((subject) => resolved.has(subject));
  const map = path(subjects[0] === EVERYTHING ? 'calendars.calendar' : 'calendars.map');
  if (subjects.length > 0) {
    const owners = [...new Set(subjects.map((subject) => words.owners[divisionOf(subject)]))];
    return { taken: true, rule: map, because: `${words.and(owners)}${told}` };
  }
  const divisions = new Set([...resolved.keys()].map(divisionOf));
  const missing = ORDER.filter((by) => divisions.has(by)).map((by) =>
    missingOf(by, snapshot, { directory, words }),
  );
  return no(map, words.and(missing) || words.noCalendar);
}

const ORDER = ['resource', 'branch', 'service'] as const;

/** Why no calendar of this division takes the appointment. */
function missingOf(
  by: (typeof ORDER)[number],
  snapshot: Snapshot,
  { directory, words }: Pick<AroundTaken, 'directory' | 'words'>,
): string {
  const { branch_id: branch, service_id: service, service_name: name } = snapshot;
  const resources = resourcesOf(snapshot).map((id) => directory.resources.get(id)?.name ?? id);
  const found = {
    resource: resources.join(', '),
    branch: branch && (directory.branches.get(String(branch))?.name ?? branch),
    service: service && (name ?? directory.services.get(String(service))?.name ?? service),
  }[by];
  return found ? words.noCalendarOf(by, String(found)) : words.without(by);
}
