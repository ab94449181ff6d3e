import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LAGS_KEPT_MAX, minuteOf } from '../../src/engine/poll-pace.ts';
import { lagOf, Pace, paceSteps } from '../../src/operate/process-reports.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let redis: TestRedis;
let store: ReturnType<typeof openTestStore>;
const clock = new HandClock(0);

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  clock.advance(30 * DAY_MS - clock.now());
});

/** A worker that counts, and tells all it has. */
function worker() {
  const pace = new Pace(clock);
  return { pace, tell: () => pace.flush((written) => store.pace.add(written)) };
}

const read = async (steps: number, minutesEach: number) => {
  const now = minuteOf(clock.now());
  const minutes = await store.pace.between(now - steps * minutesEach, now);
  return paceSteps(minutes, { nowMs: clock.now(), steps, minutesEach });
};

test('writes of all workers are counted by the minute, with the longest lag of each, across midnight', async () => {
  const [one, other] = [worker(), worker()];
  clock.advance(-MINUTE_MS);
  one.pace.add(1);
  await one.tell();
  one.pace.add(4.25);
  other.pace.add(2);
  clock.advance(2 * MINUTE_MS);
  one.pace.add(2);
  await Promise.all([one.tell(), other.tell()]);
  expect(await read(4, 1)).toEqual([
    { writes: 0, slowestS: null },
    { writes: 3, slowestS: 4.25 },
    { writes: 0, slowestS: null },
    { writes: 1, slowestS: 2 },
  ]);
  expect(await read(2, 3)).toEqual([
    { writes: 0, slowestS: null },
    { writes: 4, slowestS: 4.25 },
  ]);
  expect(lagOf(await store.pace.lagsS())).toEqual({ p50: 2, p99: 4.25, samples: 4 });
});

test('a worker that has nothing to tell asks Redis nothing, and one that Redis refused tells it later', async () => {
  const { pace, tell } = worker();
  await pace.flush(() => Promise.reject(new Error('nobody may ask')));
  pace.add(1);
  await expect(pace.flush(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  pace.add(3);
  await tell();
  expect(await read(1, 1)).toEqual([{ writes: 2, slowestS: 3 }]);
  expect(await store.pace.lagsS()).toEqual([3, 1]);
});

test('what is kept is bounded: seven days of minutes, the newest 2,000 lags, and a day in memory', async () => {
  const { pace, tell } = worker();
  for (let count = 0; count < 3 * LAGS_KEPT_MAX; count += 1) pace.add(count);
  await tell();
  pace.add(7);
  await tell();
  const lags = await store.pace.lagsS();
  expect([lags.length, lags[0], lags[1]]).toEqual([LAGS_KEPT_MAX, 7, 3 * LAGS_KEPT_MAX - 1]);
  for (const key of [store.keys.pace(30), store.keys.lags]) {
    const leftMs = await store.redis.pttl(key);
    expect(leftMs).toBeGreaterThan(6 * DAY_MS);
    expect(leftMs).toBeLessThanOrEqual(7 * DAY_MS);
  }
  for (let minute = 0; minute < 1_500; minute += 1) {
    clock.advance(MINUTE_MS);
    pace.add(1);
  }
  let waiting = 0;
  await pace.flush(async ({ minutes }) => {
    waiting = minutes.length;
  });
  expect(waiting).toBe(1_440);
});
