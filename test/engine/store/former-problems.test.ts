import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyedTab, Mirror } from '../../../src/engine/mirror.ts';
import { bookedTwice } from '../../../src/engine/origin.ts';
import { RedisProblemBoard } from '../../../src/engine/problem-board.ts';
import { cellsCovered, rowsUnsure } from '../../../src/sheet/tab-layout.ts';
import { isStillMapped } from '../../../src/worker/stores.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('what is wrong with a calendar that the YAML names no more is no problem, also when an older worker raised it', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const { keys, problems: older } = store;
  const board = new RedisProblemBoard({
    ...{ redis: store.redis, keys, clock: { now: Date.now } },
    concerns: (target) => target !== 'calendar:former',
  });
  const about = { code: 'calendar-not-shared', message: 'it is not shared', advice: 'Share it.' };
  await older.raise({ ...about, target: 'calendar:former' });
  expect(await board.list()).toEqual([]);
  expect(await board.mayTry('calendar:former')).toBe('free');
  expect(await older.mayTry('calendar:former')).toBe(false);
  await board.raise({ ...about, target: 'calendar:named' });
  await board.raise({ ...about, target: 'calendar:former' });
  expect((await board.list()).map(({ target }) => target)).toEqual(['calendar:named']);
  await board.clearAll();
  expect(await older.list()).toEqual([]);
  store.close();
});

test('an overbooked class is no problem of a mirror that shows no classes any more, and stays one of the others', () => {
  const mirrors = [
    { kind: 'calendar', name: 'staff', classes: {} },
    { kind: 'calendar', name: 'room' },
  ] as unknown as readonly Mirror[];
  const named = (target: string) => isStillMapped(target, { calendars: new Set(['a@b.example']), mirrors });
  const targets = ['class:staff/1', 'class:room/1', 'class:gone/1', 'class-move:1', 'google'];
  expect(targets.map(named)).toEqual([true, false, false, true, true]);
  expect(['calendar:a@b.example', 'calendar:c@b.example'].map(named)).toEqual([true, false]);
});

test('what nothing ends is over after its time, without a restart, and what is found again then is new', async () => {
  const clock = new HandClock(Date.parse('2026-11-28T10:00:00Z'));
  const store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  const board = store.problems;
  const place = { name: 'contacts', tab: 'Contacts' } as KeyedTab;
  const places = async () => (await board.list()).map(({ target }) => target.split('Contacts ')[1]);
  await board.raise(cellsCovered(place, [{ row: 4, columns: [1] }]));
  clock.advance(10 * 3_600_000);
  await board.raise(cellsCovered(place, [{ row: 6, columns: [2] }]));
  expect(await places()).toEqual(['B5', 'C7']);
  clock.advance(14 * 3_600_000);
  expect(await places()).toEqual(['C7']);
  await board.raise(cellsCovered(place, [{ row: 4, columns: [1] }]));
  expect((await board.list()).find(({ sinceMs }) => sinceMs === clock.now())?.target).toContain('B5');
  clock.advance(24 * 3_600_000);
  await board.raise(rowsUnsure(place, [4]));
  // Nothing of the former ones stays in Redis.
  expect(await store.redis.hlen(store.keys.problems)).toBe(1);
  store.close();
});

test('what nothing raises again outlives a restart, for its time: cells that were gone over, rows that may be mixed up, and doubles', async () => {
  const clock = new HandClock(Date.parse('2026-11-28T10:00:00Z'));
  const store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  const board = store.problems;
  const place = { name: 'contacts', tab: 'Contacts' } as KeyedTab;
  await board.raise(cellsCovered(place, [{ row: 4, columns: [1] }]));
  await board.raise(rowsUnsure(place, [4]));
  await board.raise(bookedTwice('b', ['1', '2']));
  await board.raise({ target: 'platform', code: 'platform-failing', message: 'it fails', advice: 'Wait.' });
  const codes = async () => (await board.list()).map(({ code }) => code).sort();
  clock.advance(23 * 3_600_000);
  await board.clearAll();
  expect(await codes()).toEqual(['booked-twice', 'cells-covered', 'rows-unsure']);
  clock.advance(2 * 3_600_000);
  await board.clearAll();
  expect(await codes()).toEqual(['booked-twice']);
  clock.advance(30 * 86_400_000);
  await board.clearAll();
  expect(await codes()).toEqual([]);
  store.close();
});
