/** At which number a removal waits for a person, and what the person reads (P7). */
import { expect, test } from 'vitest';
import { APPROVED_FOR_MS, parkedOrphans, writeApproval } from '../../src/engine/edit-guard.ts';
import { crowdedPlaces, isApproved, noteParked } from '../../src/operate/audit/audit.ts';
import { MapMemory } from '../doubles/map-memory.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const places = (...counts: readonly (readonly [string, number])[]) =>
  counts.flatMap(([place, count]) => Array<string>(count).fill(place));

test.each<[string, readonly string[], readonly (readonly [string, number])[], readonly string[]]>([
  ['five of five', places(['a', 5]), [['a', 5]], []],
  ['six of twenty-four, a quarter', places(['a', 6]), [['a', 24]], []],
  ['six of twenty-three', places(['a', 6]), [['a', 23]], ['a']],
  ['six, where nobody knows how many there are', places(['a', 6]), [], ['a']],
  ['three from each of two', places(['a', 3], ['b', 3]), [], []],
  ['many from one of two', places(['a', 6], ['b', 7]), [['b', 100]], ['a']],
])('%s', (_, removed, ...[standing, crowded]) => {
  expect(crowdedPlaces(removed, new Map(standing))).toEqual(crowded);
});

test('an approval is for its place, for those whom a person has seen, and for an hour', async () => {
  const memory = new MapMemory();
  let nowMs = NOW;
  const asked = (place: string, key: string) => isApproved({ memory, nowMs: () => nowMs }, place, key);
  expect(await asked('a', 'contact/1')).toBe(false);
  await memory.set('approved-orphans:a', writeApproval(NOW + APPROVED_FOR_MS, ['contact/1']));
  expect(await asked('a', 'contact/1')).toBe(true);
  expect(await asked('a', 'contact/2')).toBe(false);
  expect(await asked('b', 'contact/1')).toBe(false);
  nowMs += APPROVED_FOR_MS;
  expect(await asked('a', 'contact/1')).toBe(false);
});

test('what waits is noted by place until nothing waits there, and no place is forgotten unlooked', async () => {
  const memory = new MapMemory();
  const note = (looked: readonly string[], waiting: Record<string, readonly string[]>) =>
    noteParked({ memory, nowMs: () => NOW }, looked, new Map(Object.entries(waiting)));
  const noted = async (place: string) => JSON.parse((await memory.get(parkedOrphans(place))) ?? 'null');
  const members = ['contact/1', 'contact/2'];
  await note(['a', 'b'], { a: members, b: ['contact/3'] });
  expect(await noted('a')).toEqual({ count: 2, atMs: NOW, members });
  await note(['b'], {});
  expect(await noted('a')).toMatchObject({ count: 2 });
  expect(await noted('b')).toBeNull();
});
