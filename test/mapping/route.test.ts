import { describe, expect, test } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { Directory } from '../../src/engine/mirror.ts';
import {
  calendarsOf,
  entersAtMs,
  newEventId,
  resolveCalendars,
  takesAppointment,
} from '../../src/mapping/route.ts';
import { appointment, directory, mirror } from '../calendar/stand.ts';

function withResources(...resources: { id: string; name: string }[]): Directory {
  const rows = resources.map((each) => [each.id, { ...each, branchId: 'b-1', projectId: 'p-1' }] as const);
  return { ...directory, resources: new Map(rows) };
}
const mapping = (resource: string) => ({ ...mirror, calendars: [{ resource, calendarId: 'cal' }] });

describe('resources of the mapping', () => {
  test('are found by name, whatever spaces and accents were typed', () => {
    const { resolved, problems } = resolveCalendars(
      mapping(' Zoe\u0308 '),
      withResources({ id: '1', name: 'Zoë' }),
    );
    expect([...resolved]).toEqual([['1', 'cal']]);
    expect(problems).toEqual([]);
  });

  test('are found by id, even when somebody is called like that', () => {
    const known = withResources({ id: 'Anna', name: 'Boris' }, { id: '2', name: 'Anna' });
    expect([...resolveCalendars(mapping('Anna'), known).resolved]).toEqual([['Anna', 'cal']]);
  });

  test('whose name two resources have map nothing, and the ids to choose from are told', () => {
    const { resolved, problems } = resolveCalendars(
      mapping('Anna'),
      withResources({ id: '1', name: 'Anna' }, { id: '2', name: 'Anna' }),
    );
    expect(resolved.size).toBe(0);
    expect(problems).toMatchObject([
      { code: 'resource-ambiguous', name: 'Anna', advice: expect.stringContaining('1, 2') },
    ]);
  });

  test('that nobody knows are a problem each, and the others still count', () => {
    const calendars = [
      { resource: 'Ghost', calendarId: 'g' },
      { resource: 'Anna', calendarId: 'a' },
    ];
    const { resolved, problems } = resolveCalendars(
      { ...mirror, calendars },
      withResources({ id: '1', name: 'Anna' }),
    );
    expect([...resolved]).toEqual([['1', 'a']]);
    expect(problems).toMatchObject([{ code: 'resource-unknown', name: 'Ghost' }]);
  });
});

test('a resource that stands in the mapping by name and by id is a problem, and keeps its first calendar', () => {
  const calendars = [
    { resource: 'Anna', calendarId: 'a' },
    { resource: '1', calendarId: 'b' },
  ];
  const found = resolveCalendars({ ...mirror, calendars }, withResources({ id: '1', name: 'Anna' }));
  expect([...found.resolved]).toEqual([['1', 'a']]);
  expect(found.found).toEqual([{ by: 'resource', name: 'Anna', id: '1' }]);
  expect(found.problems).toMatchObject([{ code: 'resource-mapped-twice', name: '1' }]);
});

describe('the calendars of an appointment', () => {
  const resolved = new Map([
    ['r-anna', 'a'],
    ['r-room', 'r'],
  ]);

  test('are those of all its resources that are mapped', () => {
    expect(
      calendarsOf(appointment({ resource_ids: ['r-room', 'r-other', 'r-anna', 'r-anna'] }), resolved),
    ).toEqual(['r', 'a']);
  });

  test('are that of its main resource when the list is missing', () => {
    expect(calendarsOf(appointment({ resource_ids: undefined }), resolved)).toEqual(['a']);
  });

  test('are none when it is cancelled, even if a resource is still named (case 19)', () => {
    expect(calendarsOf(appointment({ status: 'cancelled' }), resolved)).toEqual([]);
  });
});

test('an appointment enters exactly at the announced moment', () => {
  const startsMs = Date.parse(String(appointment()['starts_at']));
  const where = { sinceMs: 0, untilMs: 3_600_000 };
  const takes = (nowMs: number) =>
    takesAppointment(where, appointment(), { nowMs, linked: false, directory });
  const at = entersAtMs(where, appointment(), { nowMs: startsMs - 9_000_000, linked: false, directory });
  expect(at).toBe(startsMs - 3_600_000);
  expect([takes((at ?? 0) - 1), takes(at ?? 0)]).toEqual([false, true]);
  expect(entersAtMs(where, appointment(), { nowMs: at ?? 0, linked: false, directory })).toBeUndefined();
});

test('an appointment with an unreadable start is mirrored', () => {
  const where = { sinceMs: 0, untilMs: 3_600_000 };
  expect(
    takesAppointment(where, { id: '1', starts_at: 'soon' }, { nowMs: 0, linked: false, directory }),
  ).toBe(true);
});

describe('the calendars of branches, services and everything', () => {
  const known: Directory = {
    ...withResources({ id: 'r-1', name: 'Anna' }),
    branches: new Map([['b-1', { id: 'b-1', projectId: 'p-1', name: 'Central', timezone: 'UTC' }]]),
    services: new Map([
      ['s-1', { id: 's-1', projectId: 'p-1', name: 'Massage' }],
      ['s-2', { id: 's-2', projectId: 'p-1', name: 'Massage' }],
    ]),
  };
  const lines = [
    { resource: 'Anna', calendarId: 'anna' },
    { branch: 'Central', calendarId: 'central' },
    { service: 's-1', calendarId: 'massage' },
    { all: true, calendarId: 'team' },
  ] as const;
  const { resolved } = resolveCalendars({ ...mirror, calendars: lines }, known);
  const booked = { id: 'a', resource_id: 'r-1', resource_ids: ['r-1'], branch_id: 'b-1', service_id: 's-1' };

  test.each([
    ['all of it', booked, ['anna', 'central', 'massage', 'team']],
    ['another service', { ...booked, service_id: 's-2' }, ['anna', 'central', 'team']],
    ['no service', { ...booked, service_id: null }, ['anna', 'central', 'team']],
    ['nobody', { ...booked, resource_id: null, resource_ids: [] }, ['central', 'massage', 'team']],
    ['another branch', { ...booked, branch_id: 'b-2' }, ['anna', 'massage', 'team']],
    ['only its id', { id: 'a' }, ['team']],
    ['a cancellation', { ...booked, status: 'cancelled' }, []],
  ])('of an appointment with %s', (_, snapshot, calendars) => {
    expect(calendarsOf(snapshot, resolved)).toEqual(calendars);
  });

  test('give an event an id of their own, unless they are those of its resources, too', () => {
    expect(newEventId(booked, 'anna', resolved)).toBe(eventIdOf('a'));
    expect(newEventId(booked, 'team', resolved)).toBe(eventIdOf('a', 'team'));
    const shared = resolveCalendars(
      { ...mirror, calendars: [lines[0], { all: true, calendarId: 'anna' }] },
      known,
    );
    expect(newEventId(booked, 'anna', shared.resolved)).toBe(eventIdOf('a'));
    expect(newEventId({ ...booked, resource_ids: ['r-9'] }, 'anna', shared.resolved)).toBe(
      eventIdOf('a', 'anna'),
    );
  });

  test('tell which names nobody has, and which several have', () => {
    const calendars = [
      { branch: 'North', calendarId: 'n' },
      { service: 'Massage', calendarId: 'm' },
      { branch: 'Central', calendarId: 'c' },
      { branch: 'b-1', calendarId: 'd' },
    ];
    expect(resolveCalendars({ ...mirror, calendars }, known).problems).toMatchObject([
      { code: 'branch-unknown', name: 'North', message: expect.stringContaining('active branches') },
      { code: 'service-ambiguous', name: 'Massage', advice: expect.stringContaining('s-1, s-2') },
      { code: 'branch-mapped-twice', name: 'b-1' },
    ]);
  });
});
