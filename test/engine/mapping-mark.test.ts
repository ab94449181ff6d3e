import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlockRule } from '../../src/engine/block.ts';
import { MappingMark } from '../../src/engine/mapping-mark.ts';
import { STATE_VERSION } from '../../src/engine/state-search.ts';
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

const markOf = (over: Partial<ConstructorParameters<typeof MappingMark>[0]> = {}) => {
  const { memory, coverage, outbox } = store;
  return new MappingMark({
    ...{
      mirrors: [],
      bookings: [],
      feeds: [],
      blocks: [],
      memory,
      coverage,
      outbox,
      clock: { now: Date.now },
    },
    ...over,
  });
};
const rebuilt = (meanwhile: () => Promise<void>) =>
  store.under('rebuild', async (lease) => {
    await meanwhile();
    await markOf().take(lease);
  });

test('P8: a Redis that is wiped again while a wipe is being healed is not marked as healed (case 33)', async () => {
  await rebuilt(() => redis.wipe());
  expect(await markOf().isKnown()).toBe(false);
  await rebuilt(async () => undefined);
  expect(await markOf().isKnown()).toBe(true);
});

test('P8: nothing is written or watched from the moment Redis was wiped until that is healed', async () => {
  const mark = markOf();
  await rebuilt(async () => undefined);
  expect(await mark.isCurrent()).toBe(true);
  await redis.wipe();
  expect(await mark.isCurrent()).toBe(false);
  await rebuilt(async () => undefined);
  expect(await mark.isCurrent()).toBe(true);
});

test('P1: from the moment a change of the mapping is taken up, no worker goes by the former one (case 73)', async () => {
  const former = markOf();
  await former.take();
  let isFormerCurrent: boolean | undefined;
  const changed: MappingMark = markOf({
    mirrors: [{ kind: 'sheet', name: 'new' } as never],
    coverage: {
      async putHole(hole) {
        isFormerCurrent = await former.isCurrent();
        expect(await changed.isCurrent()).toBe(false);
        await store.coverage.putHole(hole);
      },
    },
  });
  await changed.take();
  expect(isFormerCurrent).toBe(false);
  expect(await changed.isCurrent()).toBe(true);
});

test('P7: a worker whose entries of blocks were edited away neither books nor cancels', async () => {
  const [former, edited] = [4, 8].map((weeks) =>
    markOf({ blocks: [{ name: 'private-time', horizonMs: weeks * 604_800_000 } as BlockRule] }),
  );
  await former?.take();
  expect(await former?.isCurrent()).toBe(true);
  expect(await edited?.take()).toBe(true);
  expect([await former?.isCurrent(), await edited?.isCurrent()]).toEqual([false, true]);
});

test('an upgrade of the stored form looks like no edit of the YAML, and like one to workers of the older form', async () => {
  const mark = markOf();
  await mark.take();
  const ofVersion2 = (await store.memory.get('mapping-hash')) ?? '';
  const [version, ofVersion1 = ''] = ofVersion2.split(' ');
  expect(version).toBe(String(STATE_VERSION));
  await store.memory.set('mapping-hash', ofVersion1);
  expect(await mark.isCurrent()).toBe(true);
  expect(await mark.take()).toBe(false);
  expect(await store.coverage.holes()).toEqual([]);
  // A worker of version 1 compares what is stored with its own hash.
  expect(await store.memory.get('mapping-hash')).not.toBe(ofVersion1);
  expect(await mark.isCurrent()).toBe(true);
});
