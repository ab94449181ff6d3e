import { expect, test } from 'vitest';
import { linkTo, type ObjectLinks } from '../../src/engine/link.ts';
import type { Directory, MappedCalendar } from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { WhyWords } from '../../src/engine/planned.ts';
import { resolveCalendars } from '../../src/mapping/route.ts';
import { WHY } from '../../src/operate/codes/codes.ts';
import { opinionOf } from '../../src/operate/why.ts';
import { mirror } from '../calendar/stand.ts';

const about = { projectId: 'p-1', branchId: 'b-1' };
const directory: Directory = {
  resources: new Map([['r-1', { id: 'r-1', name: 'Anna', ...about }]]),
  branches: new Map(
    ['Central', 'North'].map((name, at) => [
      `b-${at + 1}`,
      { id: `b-${at + 1}`, projectId: 'p-1', name, timezone: 'UTC' },
    ]),
  ),
  services: new Map([['s-1', { id: 's-1', name: 'Massage', ...about }]]),
};
const booked = {
  ...{ id: 'a', project_id: 'p-1', status: 'confirmed', starts_at: '2099-01-01T10:00:00Z' },
  ...{ resource_ids: ['r-9'], branch_id: 'b-2', service_id: 's-9', service_name: 'Haircut' },
};

function opinion(
  calendars: readonly MappedCalendar[],
  snapshot: Snapshot,
  {
    links = {},
    event = mirror.event,
    words = WHY.en,
  }: { links?: ObjectLinks; event?: typeof mirror.event; words?: WhyWords } = {},
) {
  const own = { ...mirror, where: { sinceMs: 1_000 }, calendars, event };
  const revisions = { fence: '', desiredRev: 0, syncedRev: 0, verify: false, deleted: false };
  const claim = {
    ...{ key: { kind: 'appointment', id: 'a' } as const, snapshot, links, sightings: [], ...revisions },
    ...{ pendingSinceMs: undefined, projectId: undefined },
  };
  const { resolved } = resolveCalendars(own, directory);
  const { taken, rule, because } = opinionOf(own, claim, { directory, resolved, nowMs: 0, words });
  return [taken, rule.replace(`mirrors.${mirror.name}.`, ''), because];
}

test.each([
  [
    { resource: 'Anna', calendarId: 'c' },
    'none of its resources (r-9) has a calendar',
    'нет календаря: ресурс r-9',
  ],
  [
    { branch: 'Central', calendarId: 'c' },
    'its branch (North) has no calendar',
    'нет календаря: филиал North',
  ],
  [
    { service: 'Massage', calendarId: 'c' },
    'its service (Haircut) has no calendar',
    'нет календаря: услуга Haircut',
  ],
] as const)('explain says what of an appointment has no calendar: %o', (line, because, russian) => {
  expect(opinion([line], booked)).toEqual([false, 'calendars.map', because]);
  expect(opinion([line], booked, { words: WHY.ru })).toEqual([false, 'calendars.map', russian]);
});

test('explain names everything that brings an appointment into a calendar, and what it lacks', () => {
  const lines = [
    { branch: 'North', calendarId: 'c' },
    { service: 'Massage', calendarId: 'd' },
  ] as const;
  expect(opinion(lines, booked)).toEqual([true, 'calendars.map', 'its branch has a calendar']);
  expect(opinion(lines, { ...booked, branch_id: null, service_id: null })).toEqual([
    ...[false, 'calendars.map', 'it has no branch, and it has no service'],
  ]);
  expect(opinion([{ all: true, calendarId: 'c' }], booked)).toEqual([
    ...[true, 'calendars.calendar', 'there is a calendar for everything'],
  ]);
});

test('explain says that a cancelled appointment is kept only where it has an event', () => {
  const line = { branch: 'North', calendarId: 'c' } as const;
  const event = { ...mirror.event, cancelled: 'keep' as const };
  const cancelled = { ...booked, status: 'cancelled', resource_ids: [] };
  const links = { [mirror.name]: { calendars: [linkTo({ calendarId: 'c', eventId: 'e' })] } };
  expect(opinion([line], cancelled, { event, links })).toEqual([
    ...[true, 'event.cancelled', 'it is cancelled: keep'],
  ]);
  expect(opinion([line], cancelled, { event })).toEqual([
    ...[false, 'event.cancelled', 'it is cancelled, and has no event to keep'],
  ]);
});
