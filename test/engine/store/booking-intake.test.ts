/** What was seen of an outside booking is ordered by when it was seen, and the same content seen again is no news. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

const key = { kind: 'booking', id: 'b1' } as const;
let redis: TestRedis;
let store: ReturnType<typeof openTestStore>;
beforeAll(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
  await store.ready();
});
beforeEach(() => store.redis.flushall());
afterAll(async () => {
  store.close();
  await redis.stop();
});

const see = (title: string, second: number) =>
  store.intake.observe({
    key,
    source: 'calendar',
    occurredAtMs: 1,
    seen: {
      as: 'snapshot',
      snapshot: { id: 'b1', title, seen_at: `2026-03-02T09:00:${String(second).padStart(2, '0')}.000Z` },
    },
  });
const title = async () => (await store.ledger.peek(key))?.snapshot?.['title'];

test('the same content is unchanged whenever it is seen, and keeps the time since which it stands', async () => {
  expect(await see('a', 1)).toBe('fresh');
  expect(await see('a', 5)).toBe('unchanged');
  expect((await store.ledger.peek(key))?.snapshot?.['seen_at']).toBe('2026-03-02T09:00:01.000Z');
});

test('what was seen in between comes too late once the same content was seen again', async () => {
  await see('a', 1);
  await see('a', 5);
  expect(await see('b', 3)).toBe('stale');
  expect(await title()).toBe('a');
});

test('of two within one millisecond the one that comes later stands, and nobody is asked to read it', async () => {
  await see('a', 1);
  expect(await see('b', 1)).toBe('fresh');
  expect(await title()).toBe('b');
  expect((await store.ledger.peek(key))?.verify).toBe(false);
});

test('a markDirty never has it read from the platform', async () => {
  await see('a', 1);
  expect(await store.dirtyMarks.markDirty([key], { read: true })).toEqual([]);
  expect((await store.ledger.peek(key))?.verify).toBe(false);
});

test('what was seen by a clock that was ahead keeps nothing out once the clock is right again', async () => {
  const ahead = new Date(Date.now() + 3 * 3_600_000).toISOString();
  const snapshot = { id: 'b1', title: 'a', seen_at: ahead };
  await store.intake.observe({
    key,
    source: 'calendar',
    occurredAtMs: 1,
    seen: { as: 'snapshot', snapshot },
  });
  expect(await see('b', 1)).toBe('fresh');
  expect(await title()).toBe('b');
});
