import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EntityKey } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let key: EntityKey;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  key = { kind: 'appointment', id: randomUUID() };
  const seen = { as: 'snapshot', snapshot: { id: key.id } } as const;
  await store.intake.observe({ key, source: 'list', occurredAtMs: 1, seen });
  return () => store.close();
});

async function claimed(): Promise<Claim> {
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}
const NOW_MS = Date.parse('2026-11-02T08:00:00Z');
const event = (title: string) => ({
  startsAt: '2026-11-03T09:00:00Z',
  endsAt: '2026-11-03T10:00:00Z',
  isTentative: false,
  title,
});
const put = (claim: Claim, title: string, nowMs = NOW_MS) =>
  store.feeds.put(claim, 'anna', { event: event(title), hash: `hash of ${title}`, nowMs });

test('an event is kept with a sequence that rises with each change, whatever the clock does', async () => {
  const claim = await claimed();
  expect(await put(claim, 'one')).toBe('written');
  expect(await put(claim, 'one', NOW_MS + 9_000)).toBe('same');
  const [first] = await store.feeds.events('anna');
  expect(first).toMatchObject({ id: key.id, title: 'one', stampMs: NOW_MS });
  expect(await put(claim, 'two', NOW_MS - 60_000)).toBe('written');
  const [second] = await store.feeds.events('anna');
  expect(second?.sequence).toBe((first?.sequence ?? 0) + 1);
});

test('the sequence goes on rising after Redis was lost', async () => {
  await put(await claimed(), 'one');
  const [before] = await store.feeds.events('anna');
  await store.redis.del(store.keys.feedEvents('anna'));
  await put(await claimed(), 'two', NOW_MS + 60_000);
  const [after] = await store.feeds.events('anna');
  expect(after?.sequence).toBeGreaterThan(before?.sequence ?? 0);
});

test('a handler that another one has overtaken neither writes nor removes', async () => {
  const late = await claimed();
  await put(await claimed(), 'new');
  await expect(put(late, 'old')).rejects.toMatchObject({ code: 'fenced' });
  await expect(store.feeds.remove(late, 'anna')).rejects.toMatchObject({ code: 'fenced' });
  expect(await store.feeds.events('anna')).toMatchObject([{ title: 'new' }]);
});

test('an event that is removed is gone, once', async () => {
  const claim = await claimed();
  await put(claim, 'one');
  expect(await store.feeds.remove(claim, 'anna')).toBe('written');
  expect(await store.feeds.remove(claim, 'anna')).toBe('same');
  expect(await store.feeds.events('anna')).toEqual([]);
});

test('a feed that nobody keeps is forgotten, and one of the YAML is not', async () => {
  await put(await claimed(), 'one');
  const name = store.keys.feedEvents('anna');
  expect(await store.redis.ttl(name)).toBeGreaterThan(34 * 24 * 3600);
  await store.redis.expire(name, 60);
  await store.feeds.keep(['anna', 'nobody']);
  expect(await store.redis.ttl(name)).toBeGreaterThan(34 * 24 * 3600);
});

test('a feed has one address at a time, and none when it is revoked', async () => {
  const { feedLinks } = store;
  expect(await feedLinks.add('anna', 'first')).toBe(true);
  expect(await feedLinks.add('anna', 'second')).toBe(false);
  expect([...(await feedLinks.hashes())]).toEqual([['anna', 'first']]);
  expect([await feedLinks.revoke('anna'), await feedLinks.revoke('anna')]).toEqual([true, false]);
  expect((await feedLinks.hashes()).size).toBe(0);
});
