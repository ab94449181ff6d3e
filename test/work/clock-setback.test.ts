import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRedis } from '../../src/storage/redis/redis-client.ts';
import { clockSetbackWatch } from '../../src/work/clock-setback.ts';
import { KeyedQueue, KeyedWorker } from '../../src/work/keyed-queue.ts';
import { runSweep } from '../../src/work/sweep.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, SILENT_LOG } from '../stand/store.ts';
import { sweepParts } from '../stand/sweep-parts.ts';

const HOUR = 3_600_000;
const KEY = 'contact/1';

let redis: TestRedis;
beforeEach(async () => {
  redis = await startTestRedis();
});
afterEach(() => redis.stop());

test('a clock that is put back is noticed; one that is put forward, or corrected a little, is not', () => {
  const clock = { told: 1_000_000, now: () => clock.told };
  let steadyMs = 0;
  const isPutBack = clockSetbackWatch(clock, () => steadyMs);
  const passes = (steady: number, told: number) => {
    steadyMs += steady;
    clock.told += told;
    return isPutBack();
  };
  expect(passes(15_000, 15_000)).toBe(false);
  expect(passes(15_000, 14_000)).toBe(false);
  expect(passes(15_000, HOUR)).toBe(false);
  expect(passes(15_000, 15_000 - HOUR)).toBe(true);
  expect(passes(15_000, 15_000)).toBe(false);
});

/** A key that a handler has put off by so much, and a sweep that begins. `aheadMs`: how far the clock is ahead. */
async function putOff(byMs: number) {
  const store = openTestStore(redis.url);
  await store.ready();
  const connection = openRedis(redis.url, 'queue');
  const shared = {
    name: 'objects',
    prefix: `${store.prefix}-bull`,
    connection,
    attempts: 3,
    log: SILENT_LOG,
  };
  const queue = new KeyedQueue(shared);
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  let turns = 0;
  const worker = new KeyedWorker({
    ...shared,
    concurrency: 1,
    async handle() {
      turns += 1;
      if (turns > 1) return { next: 'done' };
      await store.redis.zadd(store.keys.dirty, clock.now() + byMs, KEY);
      return { next: 'defer', afterMs: byMs };
    },
  });
  worker.start();
  queue.add([KEY]);
  await vi.waitFor(async () => expect((await queue.counts())['delayed']).toBe(1), { timeout: 30_000 });
  const stopping = new AbortController();
  const parts = sweepParts({ ...store, queue, promoteDelayed: () => queue.promoteDelayed(), clock });
  const sweep = () => runSweep(parts, stopping.signal);
  return {
    sweep,
    turns: () => turns,
    clock,
    async end(running: Promise<void>) {
      stopping.abort();
      await running;
      await worker.close(1_000);
      await queue.close();
      connection.disconnect();
      store.close();
    },
  };
}

test('P1: what was put off by a clock that was hours ahead has its turn when a worker is started (case 10)', async () => {
  const { sweep, turns, end } = await putOff(3 * HOUR);
  expect(turns()).toBe(1);
  const running = sweep();
  await vi.waitFor(() => expect(turns()).toBeGreaterThan(1), { timeout: 30_000 });
  await end(running);
});

test('retries that wait for minutes keep their pause when a worker is started', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const nowMs = Date.now();
  await store.redis.zadd(store.keys.dirty, nowMs + 60_000, 'contact/1', nowMs + 2 * HOUR, 'contact/2');
  expect(await store.putOff.recall(nowMs, nowMs + 600_000)).toBe(1);
  expect(await store.work.due(nowMs, 10)).toEqual(['contact/2']);
  expect(await store.putOff.recall(nowMs, nowMs)).toBe(1);
  expect([...(await store.work.due(nowMs, 10))].sort()).toEqual(['contact/1', 'contact/2']);
  store.close();
});

test('P1: what was put off for minutes has its turn within a sweep when the clock is put back by hours under a worker at work (case 10)', async () => {
  const { sweep, turns, clock, end } = await putOff(5 * 60_000);
  const running = sweep();
  // A start alone leaves it where it is.
  await new Promise((done) => setTimeout(done, 1_000));
  expect(turns()).toBe(1);
  clock.aheadMs = -2 * HOUR;
  await vi.waitFor(() => expect(turns()).toBeGreaterThan(1), { timeout: 30_000, interval: 100 });
  await end(running);
});
