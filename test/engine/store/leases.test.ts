import { getEventListeners, once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_BOOK } from '../../../src/engine/alert.ts';
import { areTurnsHeld, type Lease } from '../../../src/engine/leases.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const SYNC = { startedAtMs: 1, pageToken: 'p', isFull: true, pages: 1 };
const WALK = { startedAtMs: 1, top: [], topAtMs: undefined, position: 'e-1', metAnchor: false, pages: 1 };

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('a holder that is cut off from Redis knows by its own clock when its time is up (case 71)', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const held = store.leases.hold(
    'flush',
    ({ signal }) =>
      new Promise<string>((done) => {
        process.kill(redis.pid, 'SIGSTOP');
        signal.addEventListener('abort', () => done('told'));
      }),
    { ttlMs: 1_500 },
  );
  const ended = await held.finally(() => process.kill(redis.pid, 'SIGCONT'));
  // Redis slept all the time: whoever waits for an answer first is told too late, when another one may have had the turn.
  expect(ended?.result).toBe('told');
  store.close();
});

test('a holder that was frozen knows that its time is up before it does anything else (case 71)', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const ttlMs = 200;
  const held = await store.leases.hold(
    'flush',
    async (lease) => {
      // No timer fires and no answer arrives meanwhile, as in a process that is stopped.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ttlMs);
      return lease.signal.aborted;
    },
    { ttlMs },
  );
  expect(held?.result).toBe(true);
  store.close();
});

test('work knows that its turn is to end also after another turn has ended beside it', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const stopping = new AbortController();
  const other = store.leases.hold('walk', async () => undefined);
  const held = await store.leases.hold(
    'flush',
    async () => {
      await other;
      stopping.abort();
      return areTurnsHeld();
    },
    { until: stopping.signal },
  );
  expect(held?.result).toBe(false);
  expect(areTurnsHeld()).toBe(true);
  store.close();
});

test('a turn that is to end before its work has ended is told, stands until then, and leaves nothing behind', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const stopping = new AbortController();
  for (let turns = 0; turns < 3; turns += 1)
    await store.leases.hold('walk', async () => undefined, { until: stopping.signal });
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  const held = store.leases.hold(
    'walk',
    async ({ signal }) => {
      setTimeout(() => stopping.abort(), 50);
      await once(signal, 'abort');
      return store.leases.hold('walk', async () => 'another');
    },
    { until: stopping.signal },
  );
  expect(await held).toEqual({ result: undefined });
  const late = await store.leases.hold('walk', async ({ signal }) => signal.aborted, {
    until: stopping.signal,
  });
  expect(late).toEqual({ result: true });
  store.close();
});

test('whoever slept past its turn proves nothing any more, whether somebody else has had one since or not (case 71)', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const slept = await store.under('feed-walk', async (lease) => lease);
  expect(await store.coverage.saveWalk('feed', WALK, slept)).toBe(false);
  await store.under('feed-walk', async () => undefined);
  expect(await store.coverage.saveWalk('feed', WALK, slept)).toBe(false);
  expect((await store.coverage.read('feed')).open).toBeUndefined();
  store.close();
});

describe('a Redis that is', () => {
  let mortal: MortalRedis;
  let store: TestStore;
  beforeEach(async () => {
    mortal = await startMortalRedis();
    store = openTestStore(mortal.url);
    await store.ready();
  });
  afterEach(async () => {
    store.close();
    await mortal.stop();
  });

  /** Every write that asks for a lease, by the name of that lease. */
  const writes: Readonly<Record<string, (lease: Lease) => Promise<boolean>>> = {
    'feed-walk': (lease) => store.coverage.saveWalk('feed', WALK, lease),
    'calendar:anna': (lease) => store.calendars.startOver('anna', SYNC, lease),
    alerts: (lease) => store.alerts.save(EMPTY_BOOK, lease),
  };

  test.for(Object.entries(writes))(
    'wiped during a turn shuts out its holder, and nobody after: %s (case 33)',
    async ([name, write]) => {
      for (let turn = 0; turn < 5; turn += 1) expect(await store.under(name, write)).toBe(true);
      const before = await store.under(name, async (lease) => {
        await mortal.wipe();
        return write(lease);
      });
      expect(before).toBe(false);
      expect(await store.under(name, write)).toBe(true);
    },
  );

  test.for(Object.entries(writes))(
    'started again during a turn takes nothing more from its holder, who may build on what it has forgotten: %s (case 10)',
    async ([name, write]) => {
      const before = await store.under(name, async (lease) => {
        await mortal.kill();
        await mortal.revive();
        await store.ready();
        expect(await store.redis.exists(store.keys.lease(name))).toBe(1);
        return write(lease);
      });
      expect(before).toBe(false);
      expect(await store.under(name, write)).toBe(true);
    },
  );

  test('wiped or started again is noticed by the holder within its time', async () => {
    for (const happens of [() => mortal.wipe(), () => mortal.kill().then(() => mortal.revive())]) {
      const held = store.leases.hold(
        'resync',
        async ({ signal }) => {
          await happens();
          if (!signal.aborted) await once(signal, 'abort');
          return 'lost';
        },
        { ttlMs: 600 },
      );
      expect(await held).toEqual({ result: 'lost' });
      await store.ready();
    }
  });
});
