import { afterEach, beforeEach, expect, test } from 'vitest';
import { redisNowMs } from '../../src/engine/redis-script.ts';
import { SharedClock, watchedClock } from '../../src/engine/runtime.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let redis: TestRedis;
beforeEach(async () => {
  redis = await startTestRedis();
});
afterEach(() => redis.stop());

/** A host whose clock differs from the shared one, and a shared clock that takes its time to answer. */
function host(aheadMs: number) {
  const world = { trueMs: 1_800_000_000_000, aheadMs };
  const steady = { now: () => world.trueMs - 1_700_000_000_000 };
  const clock = new SharedClock({ now: () => world.trueMs + world.aheadMs }, steady);
  const passes = (ms: number) => {
    world.trueMs += ms;
  };
  return {
    clock,
    passes,
    setBy: (ms: number) => {
      world.aheadMs += ms;
    },
    wrongMs: () => clock.now() - world.trueMs,
    follow: (there = 10, back = 10) =>
      clock.follow(async () => {
        passes(there);
        const sharedMs = world.trueMs;
        passes(back);
        return sharedMs;
      }),
  };
}

test.each([90_000, -90_000, 11_000])(
  'a host whose clock is %i ms ahead goes by the shared clock once it has measured',
  async (aheadMs) => {
    const { follow, passes, wrongMs } = host(aheadMs);
    expect(wrongMs()).toBe(aheadMs);
    await follow();
    expect(wrongMs()).toBe(0);
    passes(3_600_000);
    expect(wrongMs()).toBe(0);
  },
);

test('a difference within the exactness of a measurement, or so large that the shared clock may be wrong, corrects nothing', async () => {
  for (const aheadMs of [0, 900, -900, 121_000, -3 * 3_600_000]) {
    const { follow, wrongMs } = host(aheadMs);
    await follow();
    expect(wrongMs()).toBe(aheadMs);
  }
});

test('an answer that took long, or none, leaves the correction as it was', async () => {
  const { clock, follow, wrongMs } = host(90_000);
  await follow();
  await follow(3_000, 0);
  expect(wrongMs()).toBe(0);
  await expect(clock.follow(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  expect(wrongMs()).toBe(0);
});

test('a clock that is put right is right at once; one that is put wrong is corrected by the next measurement', async () => {
  const { follow, setBy, wrongMs } = host(90_000);
  await follow();
  setBy(-90_000);
  expect(wrongMs()).toBe(0);
  setBy(60_000);
  expect(wrongMs()).toBe(60_000);
  await follow();
  expect(wrongMs()).toBe(0);
});

test('a watched clock hands the measurement on; a clock that follows nothing asks for none', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return Date.now();
  };
  const watched = watchedClock(new SharedClock({ now: () => Date.now() + 90_000 }));
  await watched.follow?.(ask);
  expect(asked).toBe(1);
  await watchedClock({ now: Date.now }).follow?.(ask);
  expect(asked).toBe(1);
});

test('the first measurement is no setting of the clock; a later one that puts it back is', async () => {
  const sharedMs = 1_800_000_000_000;
  const own = { told: sharedMs + 60_000, now: () => own.told };
  const steady = { now: () => 0 };
  const watched = watchedClock(new SharedClock(own, steady), steady.now);
  const follow = () => watched.follow?.(async () => sharedMs);
  await follow();
  expect([watched.now(), watched.wasSetBack()]).toEqual([sharedMs, false]);
  // Somebody sets it. What is put off until the next measurement is put off too far.
  own.told += 40_000;
  expect([watched.now(), watched.wasSetBack()]).toEqual([sharedMs + 100_000, false]);
  await follow();
  expect([watched.now(), watched.wasSetBack()]).toEqual([sharedMs, true]);
});

test('two hosts that are 90 s apart read the same time from Redis', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const clocks = [-45_000, 45_000].map((ms) => new SharedClock({ now: () => Date.now() + ms }));
  const ask = () => redisNowMs(store.redis, store.keys);
  // An answer that took a second says nothing: then it is asked for once more.
  for (const clock of clocks)
    await expect
      .poll(async () => {
        await clock.follow(ask);
        return Math.abs(clock.now() - Date.now()) < 20_000;
      })
      .toBe(true);
  store.close();
});
