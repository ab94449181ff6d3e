import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('a row that was hit has its object looked at, and one whose id nobody knows makes no work of nothing', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const snapshot = { id: 'c1', updated_at: '2026-03-01T10:00:00Z' };
  const key = { kind: 'contact', id: 'c1' } as const;
  await store.intake.observe({ key, source: 'list', occurredAtMs: 0, seen: { as: 'snapshot', snapshot } });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  await store.work.settle(claim);
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
  await store.outbox.rewrite(['contact/c1', 'booking/an-id-in-a-row'], 'contacts');
  expect(await store.work.due(Date.now(), 10)).toEqual(['contact/c1']);
  expect(await store.work.claim({ kind: 'booking', id: 'an-id-in-a-row' })).toBeUndefined();
  store.close();
});
