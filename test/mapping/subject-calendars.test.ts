import { beforeEach, expect, test } from 'vitest';
import type { CalendarMirror, Directory } from '../../src/engine/mirror.ts';
import { SubjectCalendars } from '../../src/mapping/route.ts';
import { directory, mirror } from '../calendar/stand.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

let facts: Map<string, string>;
let problems: MemoryProblemBoard;
let mapping: SubjectCalendars;
beforeEach(() => {
  facts = new Map();
  problems = new MemoryProblemBoard();
  const memory = {
    get: async (key: string) => facts.get(key),
    set: async (key: string, value: string) => void facts.set(key, value),
    forget: async (key: string) => void facts.delete(key),
    all: async () => new Map(),
  };
  mapping = new SubjectCalendars({ memory, problems });
});

const named = (...names: readonly (readonly [id: string, name: string])[]): Directory => ({
  ...directory,
  resources: new Map(names.map(([id, name]) => [id, { id, name, branchId: 'b-1', projectId: 'p-1' }])),
});
const mapped = (...calendars: CalendarMirror['calendars']): CalendarMirror => ({ ...mirror, calendars });
const ANNA = { resource: 'Anna', calendarId: 'a@x.example' };
const BORIS = { resource: 'Boris', calendarId: 'b@x.example' };

test('a name that is not found any more goes on meaning whom it meant', async () => {
  const both = mapped(ANNA, BORIS);
  await mapping.resolve([both], named(['1', 'Anna'], ['2', 'Boris']));
  await mapping.resolve([both], named(['1', 'Anna Smirnova'], ['2', 'Boris']));
  expect([...mapping.calendarsOf(both)].sort()).toEqual([
    ['1', 'a@x.example'],
    ['2', 'b@x.example'],
  ]);
});

test('P8: a name that is not found any more keeps its meaning when Redis is wiped under the worker', async () => {
  const one = mapped(ANNA);
  await mapping.resolve([one], named(['1', 'Anna']));
  facts.clear();
  await mapping.resolve([one], named(['1', 'Anna Smirnova']));
  expect([...mapping.calendarsOf(one)]).toEqual([['1', 'a@x.example']]);
  expect([...facts.values()]).toEqual(['1']);
});

test('what a name means is learned by the name itself, whatever calendar it had before', async () => {
  await mapping.resolve([mapped(ANNA, BORIS)], named(['1', 'Anna'], ['2', 'Boris']));
  const swapped = mapped({ ...ANNA, calendarId: 'b@x.example' }, { ...BORIS, calendarId: 'a@x.example' });
  await mapping.resolve([swapped], named(['1', 'Renamed'], ['2', 'Boris']));
  expect(new Map(mapping.calendarsOf(swapped))).toEqual(
    new Map([
      ['1', 'b@x.example'],
      ['2', 'a@x.example'],
    ]),
  );
});

test('a resource that stands in the mapping by its name and by its id stops the start', async () => {
  const twice = mapped(ANNA, { resource: '1', calendarId: 'b@x.example' });
  await expect(mapping.resolve([twice], named(['1', 'Anna']))).rejects.toMatchObject({
    code: 'mapping-unresolved',
    message: expect.stringContaining('a second time'),
  });
});

test('a line that is left for somebody’s old name takes nothing away from the line with the id', async () => {
  await mapping.resolve([mapped(ANNA)], named(['1', 'Anna']));
  const mended = mapped({ resource: '1', calendarId: 'new@x.example' }, ANNA);
  await expect(mapping.resolve([mended], named(['1', 'Anna Smirnova']))).rejects.toMatchObject({
    code: 'mapping-unresolved',
  });
  expect(mapping.calendarsOf(mended).get('1')).toBe('new@x.example');
});

test('a mirror that is renamed goes on with what the names of its resources mean, and renamed back trusts nothing older', async () => {
  const before = mapped(ANNA);
  const renamed = { ...before, name: 'renamed' };
  await mapping.resolve([before], named(['1', 'Anna']));
  await mapping.resolve([renamed], named(['1', 'Anna Smirnova']));
  expect([...mapping.calendarsOf(renamed)]).toEqual([['1', 'a@x.example']]);
  await mapping.resolve([renamed], named(['1', 'Anna Smirnova'], ['5', 'Anna']));
  await mapping.resolve([before], named(['1', 'Anna Smirnova'], ['5', 'Anna K.']));
  expect([...mapping.calendarsOf(before)]).toEqual([['5', 'a@x.example']]);
});

test('what 0.2.0 learned for a mirror is taken over once, and then forgotten', async () => {
  const one = mapped(ANNA);
  facts.set(`learned:${one.name}/Anna`, '1');
  await mapping.resolve([one], named(['1', 'Anna Smirnova']));
  expect([...mapping.calendarsOf(one)]).toEqual([['1', 'a@x.example']]);
  expect([...facts]).toEqual([['resource-named Anna', '1']]);
});
