import { afterEach, beforeEach, expect, test } from 'vitest';
import { isMappingCurrent, isMappingKnown, noticeChangedMapping } from '../../src/compose/mapping.ts';
import { type MortalRedis, startMortalRedis } from '../stand/mortal-redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';

let redis: MortalRedis;
let store: TestStore;
beforeEach(async () => {
  redis = await startMortalRedis();
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(async () => {
  store.close();
  await redis.stop();
});

const rebuilt = (meanwhile: () => Promise<void>) =>
  store.under('rebuild', async (lease) => {
    await meanwhile();
    const { memory, coverage, outbox } = store;
    const clock = { now: Date.now };
    await noticeChangedMapping({ mirrors: [], bookings: [], memory, coverage, outbox, clock, lease });
  });

test('P8: a Redis that is wiped again while a wipe is being healed is not marked as healed (case 33)', async () => {
  await rebuilt(() => redis.wipe());
  expect(await isMappingKnown(store.memory)).toBe(false);
  await rebuilt(async () => undefined);
  expect(await isMappingKnown(store.memory)).toBe(true);
});

test('P8: nothing is written or watched from the moment Redis was wiped until that is healed', async () => {
  const mapping = { mirrors: [], bookings: [], memory: store.memory };
  await rebuilt(async () => undefined);
  expect(await isMappingCurrent(mapping)).toBe(true);
  await redis.wipe();
  expect(await isMappingCurrent(mapping)).toBe(false);
  await rebuilt(async () => undefined);
  expect(await isMappingCurrent(mapping)).toBe(true);
});

test('P1: from the moment a change of the mapping is taken up, no worker goes by the former one (case 73)', async () => {
  const { memory, coverage, outbox } = store;
  const clock = { now: Date.now };
  const former = { mirrors: [], bookings: [], memory };
  await noticeChangedMapping({ ...former, coverage, outbox, clock });
  const changed = { ...former, mirrors: [{ kind: 'sheet', name: 'new' } as never] };
  let isFormerCurrent: boolean | undefined;
  const putHole: typeof coverage.putHole = async (hole) => {
    isFormerCurrent = await isMappingCurrent(former);
    expect(await isMappingCurrent(changed)).toBe(false);
    await coverage.putHole(hole);
  };
  const watched = Object.assign(Object.create(coverage), { putHole });
  await noticeChangedMapping({ ...changed, coverage: watched, outbox, clock });
  expect(isFormerCurrent).toBe(false);
  expect(await isMappingCurrent(changed)).toBe(true);
});
