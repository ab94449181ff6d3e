import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeyedQueue, KeyedWorker } from '../../src/engine/keyed-queue.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { recallRule, watchedClock } from '../../src/engine/runtime.ts';
import { runSweep } from '../../src/engine/sweep.ts';
import { takeMachineClock } from '../stand/machine-clock.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
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
  const watched = watchedClock(clock, () => steadyMs);
  const passes = (steady: number, told: number) => {
    steadyMs += steady;
    clock.told += told;
    return watched.wasSetBack();
  };
  expect(passes(15_000, 15_000)).toBe(false);
  expect(passes(15_000, 14_000)).toBe(false);
  expect(passes(15_000, HOUR)).toBe(false);
  expect(passes(15_000, 15_000 - HOUR)).toBe(true);
  expect(passes(15_000, 15_000)).toBe(false);
  // On and back before anybody asks: somebody has read it meanwhile, and may have put something off.
  clock.told += HOUR;
  watched.now();
  expect(passes(1_000, 1_000 - HOUR)).toBe(true);
});

test('what was put off too far is recalled at the start and from time to time, all of it when the clock was set back', () => {
  let steadyMs = 0;
  const clock = { aheadMs: 0, now: () => steadyMs + clock.aheadMs };
  const steady = () => steadyMs;
  const beyondMs = recallRule(watchedClock(clock, steady).wasSetBack, steady);
  const after = (ms: number) => {
    steadyMs += ms;
    return beyondMs();
  };
  expect(beyondMs()).toBe(600_000);
  expect(after(15_000)).toBe(Number.POSITIVE_INFINITY);
  // Another host that was ahead may have put it off, and be gone.
  expect(after(600_000)).toBe(600_000);
  clock.aheadMs = -HOUR;
  expect(after(15_000)).toBe(0);
  expect(after(15_000)).toBe(Number.POSITIVE_INFINITY);
});

/**
 * A key that a handler has put off by so much, and a sweep that begins. `aheadMs`: how far the clock is ahead. `inTurn` happens during the
 * handler's turn; then only the engine keeps the key, as one of a spreadsheet.
 */
async function putOff(byMs: number, inTurn?: () => void) {
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
      inTurn?.();
      if (inTurn === undefined) await store.redis.zadd(store.keys.dirty, clock.now() + byMs, KEY);
      return { next: 'defer', afterMs: byMs };
    },
  });
  worker.start();
  queue.add([KEY]);
  await vi.waitFor(async () => expect((await queue.counts())['delayed']).toBe(1), { timeout: PATIENCE_MS });
  const stopping = new AbortController();
  const parts = sweepParts({
    ...{ ...store, queue, clock, wasSetBack: watchedClock(clock).wasSetBack },
    promoteDelayed: () => queue.promoteDelayed(),
    delayedUntilMs: () => store.putOff.delayedUntilMs(queue.delayedKey),
  });
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
  await vi.waitFor(() => expect(turns()).toBeGreaterThan(1), { timeout: PATIENCE_MS });
  await end(running);
});

test('P1: a spreadsheet that was put off by a clock that was hours ahead has its turn when a worker is started', async () => {
  const machine = takeMachineClock();
  // It is set during the turn, and set right before the start.
  const { sweep, turns, end } = await putOff(300_000, () => machine.move(3 * HOUR));
  machine.release();
  const running = sweep();
  await vi.waitFor(() => expect(turns()).toBeGreaterThan(1), { timeout: PATIENCE_MS });
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
  await vi.waitFor(() => expect(turns()).toBeGreaterThan(1), { timeout: PATIENCE_MS, interval: 100 });
  await end(running);
});
