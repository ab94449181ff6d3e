import { describe, expect, test } from 'vitest';
import type { Directory } from '../../src/domain/directory.ts';
import { calendarsOf, entersAtMs, resolveResources, takesAppointment } from '../../src/mirrors/route.ts';
import { directory, mirror, visit } from './calendar/stand.ts';

function withResources(...resources: { id: string; name: string }[]): Directory {
  const rows = resources.map((each) => [each.id, { ...each, branchId: 'b-1', projectId: 'p-1' }] as const);
  return { ...directory, resources: new Map(rows) };
}
const mapping = (resource: string) => ({ ...mirror, calendars: [{ resource, calendarId: 'cal' }] });

describe('resources of the mapping', () => {
  test('are found by name, whatever spaces and accents were typed', () => {
    const { resolved, problems } = resolveResources(
      mapping(' Zoe\u0308 '),
      withResources({ id: '1', name: 'Zoë' }),
    );
    expect([...resolved]).toEqual([['1', 'cal']]);
    expect(problems).toEqual([]);
  });

  test('are found by id, even when somebody is called like that', () => {
    const known = withResources({ id: 'Anna', name: 'Boris' }, { id: '2', name: 'Anna' });
    expect([...resolveResources(mapping('Anna'), known).resolved]).toEqual([['Anna', 'cal']]);
  });

  test('whose name two resources have map nothing, and the ids to choose from are told', () => {
    const { resolved, problems } = resolveResources(
      mapping('Anna'),
      withResources({ id: '1', name: 'Anna' }, { id: '2', name: 'Anna' }),
    );
    expect(resolved.size).toBe(0);
    expect(problems).toMatchObject([
      { code: 'resource-ambiguous', resource: 'Anna', advice: expect.stringContaining('1, 2') },
    ]);
  });

  test('that nobody knows are a problem each, and the others still count', () => {
    const calendars = [
      { resource: 'Ghost', calendarId: 'g' },
      { resource: 'Anna', calendarId: 'a' },
    ];
    const { resolved, problems } = resolveResources(
      { ...mirror, calendars },
      withResources({ id: '1', name: 'Anna' }),
    );
    expect([...resolved]).toEqual([['1', 'a']]);
    expect(problems).toMatchObject([{ code: 'resource-unknown', resource: 'Ghost' }]);
  });
});

test('a resource that stands in the mapping by name and by id is a problem, and keeps its first calendar', () => {
  const calendars = [
    { resource: 'Anna', calendarId: 'a' },
    { resource: '1', calendarId: 'b' },
  ];
  const found = resolveResources({ ...mirror, calendars }, withResources({ id: '1', name: 'Anna' }));
  expect([...found.resolved]).toEqual([['1', 'a']]);
  expect([...found.ids]).toEqual([['Anna', '1']]);
  expect(found.problems).toMatchObject([{ code: 'resource-mapped-twice', resource: '1' }]);
});

describe('the calendars of an appointment', () => {
  const resolved = new Map([
    ['r-anna', 'a'],
    ['r-room', 'r'],
  ]);

  test('are those of all its resources that are mapped', () => {
    expect(calendarsOf(visit({ resource_ids: ['r-room', 'r-other', 'r-anna', 'r-anna'] }), resolved)).toEqual(
      ['r', 'a'],
    );
  });

  test('are that of its main resource when the list is missing', () => {
    expect(calendarsOf(visit({ resource_ids: undefined }), resolved)).toEqual(['a']);
  });

  test('are none when it is cancelled, even if a resource is still named (case 19)', () => {
    expect(calendarsOf(visit({ status: 'cancelled' }), resolved)).toEqual([]);
  });
});

test('a visit enters at the moment that is told, not earlier and not later', () => {
  const startsMs = Date.parse(String(visit()['starts_at']));
  const where = { sinceMs: 0, untilMs: 3_600_000 };
  const takes = (nowMs: number) => takesAppointment(where, visit(), { nowMs, linked: false, directory });
  const at = entersAtMs(where, visit(), { nowMs: startsMs - 9_000_000, linked: false, directory });
  expect(at).toBe(startsMs - 3_600_000);
  expect([takes((at ?? 0) - 1), takes(at ?? 0)]).toEqual([false, true]);
  expect(entersAtMs(where, visit(), { nowMs: at ?? 0, linked: false, directory })).toBeUndefined();
});

test('a visit whose start cannot be read is taken up', () => {
  const where = { sinceMs: 0, untilMs: 3_600_000 };
  expect(
    takesAppointment(where, { id: '1', starts_at: 'soon' }, { nowMs: 0, linked: false, directory }),
  ).toBe(true);
});
