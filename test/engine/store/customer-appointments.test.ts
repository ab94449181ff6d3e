import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOTHING_ERASED } from '../../../src/engine/erasure.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let aheadMs = 0;
beforeAll(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url, { now: () => Date.now() + aheadMs });
  await store.ready();
});
afterAll(async () => {
  store.close();
  await redis.stop();
});

test('appointments are kept by their contact, each once, until they are forgotten or nobody adds any', async () => {
  const { customerAppointments: kept } = store;
  await kept.note('c', 'a-1');
  await kept.note('c', 'a-1');
  await kept.note('c', 'a-2');
  expect([...(await kept.of('c'))].sort()).toEqual(['a-1', 'a-2']);
  await kept.forgetUnknown('c', ['a-1', 'a-9']);
  await kept.forgetUnknown('c', []);
  expect(await kept.of('c')).toEqual(['a-2']);
  expect(await kept.of('nobody')).toEqual([]);
  expect(await store.redis.ttl(store.keys.customer('c'))).toBeGreaterThan(399 * 24 * 3600);
});

test('of somebody who comes for years, those that nobody has judged for 400 days are forgotten', async () => {
  const { customerAppointments: kept } = store;
  const ids = ['v-1', 'v-2', 'v-3', 'v-4'];
  for (const [nth, id] of ids.entries()) {
    aheadMs = nth * 200 * 86_400_000;
    await kept.note('regular', id);
  }
  expect([...(await kept.of('regular'))].sort()).toEqual(['v-3', 'v-4']);
});

test('an erased appointment is not kept again, although the platform still lists it', async () => {
  const { customerAppointments: kept, erasures } = store;
  const terms = { ids: [], phones: [], emails: [], names: [], hashes: [] };
  const keys = ['contact/p', 'appointment/gone'];
  await erasures.begin({ contactId: 'p', keys, terms, begunAtMs: Date.now(), erased: NOTHING_ERASED });
  await kept.note('p', 'gone');
  await kept.note('p', 'new');
  expect(await kept.of('p')).toEqual(['new']);
});
