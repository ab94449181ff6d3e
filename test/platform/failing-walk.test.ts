import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import { FailingWalk } from '../../src/platform/feed-watch.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let clock: HandClock;
let failing: FailingWalk;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  clock = new HandClock(Date.parse('2026-11-21T03:00:00Z'));
  store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  failing = new FailingWalk({ coverage: store.coverage, clock });
  const anchors = { anchors: ['e-1'], anchorAtMs: clock.now() };
  const proof = { coveredUntilMs: clock.now(), provedAtMs: clock.now(), ...anchors };
  await store.under('feed-walk', (lease) => store.coverage.closeWalk('feed', proof, lease));
});
afterEach(() => store.close());

const refused = new DeferredError('forbidden', 'the key lacks a right', { retryAfterMs: 1 });
const broken = new RetryableError('platform-unavailable', 'the platform answered 503');

test('P1, P8: walks that keep failing are a hole with its cause, from what was covered last; one that fails for a moment is none', async () => {
  await failing.failed(broken);
  clock.advance(4 * 60_000);
  await failing.failed(broken);
  expect(await store.coverage.holes()).toEqual([]);
  clock.advance(2 * 60_000);
  await failing.failed(broken);
  expect(await store.coverage.holes()).toMatchObject([
    { source: 'feed', cause: 'walk-failed', fromMs: Date.parse('2026-11-21T03:00:00Z'), toMs: undefined },
  ]);
});

test('a key without the right is told as such, also when it was something else before (case 56)', async () => {
  await failing.failed(broken);
  clock.advance(6 * 60_000);
  await failing.failed(broken);
  await failing.failed(refused);
  const holes = await store.coverage.holes();
  expect(holes).toMatchObject([{ cause: 'key-without-scope', fromMs: Date.parse('2026-11-21T03:00:00Z') }]);
});

test('the walk that gets through closes it, whoever put it, and the time is counted anew', async () => {
  await failing.failed(broken);
  clock.advance(6 * 60_000);
  await failing.failed(broken);
  const other = new FailingWalk({ coverage: store.coverage, clock });
  await other.proved();
  expect(await store.coverage.holes()).toEqual([]);
  await failing.proved();
  await failing.failed(broken);
  expect(await store.coverage.holes()).toEqual([]);
});
