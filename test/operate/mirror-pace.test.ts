import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMetrics } from '../../src/operate/metrics.ts';
import { MirrorPace, type MirrorStep, SPANS, type Span } from '../../src/operate/process-reports.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A moment at the end of a hash of every span. */
const START_MS = 31 * 60 * DAY_MS;

let redis: TestRedis;
let store: ReturnType<typeof openTestStore>;
let clock: HandClock;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  clock = new HandClock(START_MS - 30_000);
});

const tell = (pace: Pick<MirrorPace, 'flush'>) => pace.flush((counted) => store.mirrorPace.add(counted));
const read = async (span: Span) =>
  [...(await store.mirrorPace.read(span, clock.now()))].sort(
    (a, b) => a.atMs - b.atMs || a.mirror.localeCompare(b.mirror),
  );

test('writes, failures and the longest lag of all workers are counted by mirror, over the end of a hash', async () => {
  const [one, other] = [new MirrorPace(clock), new MirrorPace(clock)];
  one.wrote('staff calendar', 1.5);
  await tell(one);
  one.wrote('staff calendar', 0.5);
  other.wrote('staff calendar', 4.25);
  other.failed('contacts');
  other.failed('*');
  clock.advance(MINUTE_MS);
  one.failed('contacts');
  await Promise.all([tell(one), tell(other)]);
  const first = { atMs: START_MS - MINUTE_MS, writes: 0, failures: 1, slowestS: 0 };
  expect(await read('hour')).toEqual([
    { ...first, mirror: '*' },
    { ...first, mirror: 'contacts' },
    { ...first, mirror: 'staff calendar', writes: 3, failures: 0, slowestS: 4.25 },
    { ...first, mirror: 'contacts', atMs: START_MS },
  ]);
  for (const span of ['day', 'month'] as const) {
    const { stepMs } = SPANS[span];
    expect((await read(span)).map(({ atMs, mirror, failures }) => [atMs, mirror, failures])).toEqual([
      [START_MS - stepMs, '*', 1],
      [START_MS - stepMs, 'contacts', 1],
      [START_MS - stepMs, 'staff calendar', 0],
      [START_MS, 'contacts', 1],
    ]);
  }
});

test('a span shows its own steps: what is older has gone from it', async () => {
  const pace = new MirrorPace(clock);
  pace.wrote('a', 1);
  await tell(pace);
  const seen = async () => [
    (await read('hour')).length,
    (await read('day')).length,
    (await read('month')).length,
  ];
  expect(await seen()).toEqual([1, 1, 1]);
  clock.advance(61 * MINUTE_MS);
  expect(await seen()).toEqual([0, 1, 1]);
  clock.advance(DAY_MS);
  expect(await seen()).toEqual([0, 0, 1]);
  clock.advance(31 * DAY_MS);
  expect(await seen()).toEqual([0, 0, 0]);
});

test('every hash expires, and outlives the span that may still show it', async () => {
  const pace = new MirrorPace(clock);
  pace.wrote('a', 1);
  await tell(pace);
  for (const [span, { steps, stepMs, hashMs, keptMs }] of Object.entries(SPANS)) {
    const leftMs = await store.redis.pttl(store.keys.mirrorPace(span, Math.floor(clock.now() / hashMs)));
    expect(leftMs).toBeGreaterThan(steps * stepMs);
    expect(leftMs).toBeLessThanOrEqual(keptMs);
  }
});

test('a worker that has nothing to tell asks Redis nothing, and tells later what Redis refused, up to a bound', async () => {
  const pace = new MirrorPace(clock);
  const refuse = () => Promise.reject(new Error('away'));
  await pace.flush(refuse);
  pace.wrote('a', 1);
  await expect(pace.flush(refuse)).rejects.toThrow('away');
  pace.wrote('a', 3);
  await tell(pace);
  expect(await read('hour')).toMatchObject([{ mirror: 'a', writes: 2, slowestS: 3 }]);
  for (let minute = 0; minute < 3_000; minute += 1) {
    clock.advance(MINUTE_MS);
    pace.failed('a');
  }
  let waiting: readonly MirrorStep[] = [];
  await pace.flush(async (counted) => {
    waiting = counted;
  });
  expect([waiting.length, waiting.at(-1)?.atMs]).toEqual([2_000, clock.now() - (clock.now() % MINUTE_MS)]);
});

test('what the worker measures is what is counted', async () => {
  const metrics = createMetrics(clock);
  metrics.meter.observe('slotbridge_lag_seconds', 2, { mirror: 'staff' });
  metrics.meter.add('slotbridge_failures_total', { mirror: 'staff', code: 'c', family: 'f' });
  metrics.meter.add('slotbridge_dead_letters_total', { code: 'c' });
  await tell(metrics.mirrorPace);
  expect(await read('hour')).toMatchObject([{ mirror: 'staff', writes: 1, failures: 1, slowestS: 2 }]);
});
