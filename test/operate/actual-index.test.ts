import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Actual } from '../../src/engine/mirror.ts';
import { ActualIndex } from '../../src/operate/audit/actual-index.ts';

const CALENDAR = 'calendar:anna';
const TAB = 'spreadsheet:office/Contacts';
/** Their hashes begin with the same 32 bits. */
const TWINS = ['object-123590', 'object-136928'] as const;

function thing(place: string, id: string, about: Partial<Actual> = {}): Actual {
  return {
    place,
    id,
    name: `event of ${id}`,
    content: { summary: id, start: { dateTime: 'now' } },
    isOurs: true,
    ...about,
  };
}

test('an object is taken with all that its places hold for it, in the order in which it was read', () => {
  const index = new ActualIndex();
  const [calendar, tab] = [index.open('staff', CALENDAR), index.open('rows', TAB)];
  const [first, second] = [thing(CALENDAR, 'a'), thing(CALENDAR, 'a', { name: 'copy, “ё”', isOurs: false })];
  for (const each of [first, thing(CALENDAR, 'b'), second]) calendar.put(each);
  tab.put(thing(TAB, 'a', { content: '1f' }));
  const taken = index.take('a');
  expect(taken.take(CALENDAR)).toEqual([first, second]);
  expect(taken.rest()).toEqual([{ mirror: 'rows', standing: thing(TAB, 'a', { content: '1f' }) }]);
  expect([index.has('a'), [...index.rest()], index.take('a').rest()]).toEqual([false, ['b'], []]);
});

test('a place that was read in part holds nothing', () => {
  const index = new ActualIndex();
  const [calendar, tab] = [index.open('staff', CALENDAR), index.open('rows', TAB)];
  for (const id of ['a', 'b']) calendar.put(thing(CALENDAR, id));
  tab.put(thing(TAB, 'b'));
  calendar.drop();
  expect([...index.rest()]).toEqual(['b']);
  expect(
    index
      .take('b')
      .rest()
      .map(({ mirror }) => mirror),
  ).toEqual(['rows']);
});

test('objects whose ids look alike to the index are kept apart, and each of the rest comes once while they are taken', () => {
  const index = new ActualIndex();
  const calendar = index.open('staff', CALENDAR);
  const [one, other] = TWINS;
  for (const id of [one, other, one, 'a']) calendar.put(thing(CALENDAR, id));
  expect(index.take(one).take(CALENDAR)).toHaveLength(2);
  expect([index.has(one), index.has(other)]).toEqual([false, true]);
  calendar.put(thing(CALENDAR, one));
  const seen: string[] = [];
  for (const id of index.rest()) {
    seen.push(id);
    expect(index.take(id).take(CALENDAR)).toHaveLength(1);
  }
  expect(seen.sort()).toEqual(['a', ...TWINS]);
});

test('a record longer than a block is kept whole', () => {
  const index = new ActualIndex();
  const calendar = index.open('staff', CALENDAR);
  const long = thing(CALENDAR, 'long', { content: 'x'.repeat(3_000_000) });
  for (const each of [thing(CALENDAR, 'a'), long, thing(CALENDAR, 'b')]) calendar.put(each);
  expect(index.take('long').take(CALENDAR)).toEqual([long]);
  expect(index.take('b').take(CALENDAR)).toEqual([thing(CALENDAR, 'b')]);
});

test('100,000 events take less than 1 MB of the heap, which ends the program when it is full', () => {
  setFlagsFromString('--expose-gc');
  const heap = (): number => {
    runInNewContext('gc')();
    return process.memoryUsage().heapUsed;
  };
  const index = new ActualIndex();
  const calendar = index.open('staff', CALENDAR);
  const before = heap();
  for (let nth = 0; nth < 100_000; nth += 1) calendar.put(thing(CALENDAR, `object-${nth}`));
  expect(heap() - before).toBeLessThan(1_000_000);
  expect(index.has('object-99999')).toBe(true);
});
