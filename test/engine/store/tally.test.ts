import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let nowMs: number;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  nowMs = 1_000_000;
  store = openTestStore(redis.url, { now: () => nowMs });
  await store.ready();
});
afterEach(() => store.close());

const WINDOW_MS = 60_000;

test('what is told twice counts once, from when it was first told', async () => {
  expect(await store.tally.count('deleted', 'a', WINDOW_MS)).toBe(1);
  nowMs += 40_000;
  expect(await store.tally.count('deleted', 'a', WINDOW_MS)).toBe(1);
  expect(await store.tally.count('deleted', 'b', WINDOW_MS)).toBe(2);
  nowMs += 30_000;
  expect(await store.tally.count('deleted', 'b', WINDOW_MS)).toBe(1);
});

test('what did not happen after all does not count, and other names do not either', async () => {
  await store.tally.count('deleted', 'a', WINDOW_MS);
  await store.tally.count('mailed', 'a', WINDOW_MS);
  await store.tally.forget('deleted', 'a');
  expect(await store.tally.count('deleted', 'b', WINDOW_MS)).toBe(1);
});
