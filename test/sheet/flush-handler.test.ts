// When a spreadsheet has its next flush, and that only one process at a time flushes it (P2).

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import { type FlushResult, flushHandler, TabsAtFault } from '../../src/sheet/flush.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog } from '../doubles/listener.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';

const FIRST = { number: 1, isLast: false };

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
  await store.ready();
});
afterAll(async () => {
  store.close();
  await redis.stop();
});

type Outcome = FlushResult | Error | ((turn: { readonly signal: AbortSignal }) => Promise<FlushResult>);

function handler(outcomes: Outcome[], flushEveryMs = 1_000, log = new KeptLog()) {
  const clock = new HandClock(1_000_000);
  const stopping = new AbortController();
  const handle = flushHandler({
    flushEveryMs,
    leases: store.leases,
    flusher: double({
      async flush(_, turn) {
        const outcome = outcomes.shift();
        if (typeof outcome === 'function') return outcome(turn);
        if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no outcome');
        return outcome;
      },
    }),
    clock,
    log,
    stopping: stopping.signal,
  });
  const later = async (attempt = FIRST) => {
    clock.advance(3_600_000);
    return handle('book', attempt);
  };
  return Object.assign(later, { clock, stopping, atOnce: (key = 'book') => handle(key, FIRST) });
}

test('while a process writes a spreadsheet, no other one does (P2)', async () => {
  const written = { written: 1, remaining: 0 };
  const second = handler([written, written]);
  const first = handler([
    async () => {
      expect(await second()).toEqual({ next: 'defer', afterMs: 500 });
      // Another spreadsheet waits for nobody.
      expect(await handler([written]).atOnce('another book')).toEqual({ next: 'done' });
      return written;
    },
  ]);
  expect(await first()).toEqual({ next: 'done' });
  expect(await second()).toEqual({ next: 'done' });
});

test('a worker that stops tells its flush', async () => {
  const first = handler([
    async ({ signal }) => {
      expect(signal.aborted).toBe(false);
      first.stopping.abort();
      expect(signal.aborted).toBe(true);
      return { written: 1, remaining: 0 };
    },
  ]);
  expect(await first()).toEqual({ next: 'done' });
});

test('rows gather for the interval, counted from the start of the flush before', async () => {
  const written = { written: 1, remaining: 0 };
  const flush = handler([written, written]);
  expect(await flush.atOnce()).toEqual({ next: 'done' });
  flush.clock.advance(400);
  expect(await flush.atOnce()).toEqual({ next: 'defer', afterMs: 600 });
  flush.clock.advance(600);
  expect(await flush.atOnce()).toEqual({ next: 'done' });
});

test('rows that nothing can be done about are looked at less and less often, until one is written', async () => {
  const stuck = { written: 0, remaining: 1 };
  const flush = handler([...Array(7).fill(stuck), { written: 1, remaining: 1 }, stuck, stuck]);
  const pauses: unknown[] = [];
  for (let times = 0; times < 10; times += 1) pauses.push(await flush());
  const defer = (afterMs: number) => ({ next: 'defer', afterMs });
  expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15, 1, 1, 2].map((seconds) => defer(seconds * 1_000)));
});

test('a flush after which nothing waits ends the growing pauses', async () => {
  const stuck = { written: 0, remaining: 1 };
  const flush = handler([stuck, stuck, { written: 0, remaining: 0 }, stuck]);
  const pauses: unknown[] = [];
  for (let times = 0; times < 4; times += 1) pauses.push(await flush());
  const defer = (afterMs: number) => ({ next: 'defer', afterMs });
  expect(pauses).toEqual([defer(1_000), defer(2_000), { next: 'done' }, defer(1_000)]);
});

test('a pause is never shorter than the setting', async () => {
  const flush = handler([{ written: 0, remaining: 1 }], 60_000);
  expect(await flush()).toEqual({ next: 'defer', afterMs: 60_000 });
});

test('a tab at fault is left to the sweep, for a job put off would swallow the waker of other tabs; a spreadsheet at fault is waited for', async () => {
  const details = { retryAfterMs: 15_000 };
  const flush = handler([
    new TabsAtFault('protected-range', 'protected', details),
    new DeferredError('google-unavailable', 'away', details),
    { written: 3, remaining: 0 },
  ]);
  expect(await flush()).toEqual({ next: 'done' });
  expect(await flush()).toEqual({ next: 'defer', afterMs: 15_000 });
  expect(await flush()).toEqual({ next: 'done' });
});

// Case: after a kill a flush took six reads, the budget gave two until the next one, and each began with the first: for hours, no row.
test('a flush that the budget ends each time pauses longer and longer, so that the budget fills up for all of its calls', async () => {
  const details = { quota: 'google-sheets-read:a', retryAfterMs: 1_000 };
  const spent = new DeferredError('quota-spent', 'spent for now', details);
  const flush = handler([...Array(8).fill(spent), { written: 1, remaining: 1 }, spent]);
  const pauses: number[] = [];
  for (let times = 0; times < 10; times += 1) {
    const next = await flush();
    pauses.push(next.next === 'defer' ? (next.afterMs ?? 0) : 0);
    // The job is called as soon as the budget is there again.
    if (times < 8) expect(next).toMatchObject({ waitsFor: [details.quota] });
  }
  expect(pauses[0]).toBe(1_000);
  // Half of a pause is random.
  expect(pauses[7]).toBeGreaterThanOrEqual(8_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(16_000);
  expect(pauses.slice(8)).toEqual([1_000, 1_000]);
});

test('the pause in the log is the pause that the queue keeps', async () => {
  const log = new KeptLog();
  const flush = handler([new RetryableError('google-unavailable', 'no answer')], 1_000, log);
  const next = await flush();
  expect(next).toEqual({ next: 'retry', code: 'google-unavailable', afterMs: expect.any(Number) });
  expect(log.lines).toMatchObject([{ fields: { retryInMs: next.next === 'retry' && next.afterMs } }]);
});

test('a spreadsheet that does not answer is no spent budget: its refusals do not lengthen the pauses of the next one', async () => {
  const away = new DeferredError('google-unavailable', 'away', { retryAfterMs: 1_000 });
  const details = { quota: 'google-sheets-read:a', retryAfterMs: 1_000 };
  const flush = handler([...Array(8).fill(away), new DeferredError('quota-spent', 'spent for now', details)]);
  for (let times = 0; times < 8; times += 1) await flush();
  expect(await flush()).toMatchObject({ next: 'defer', afterMs: 1_000 });
});

test('rows are never given up, whatever failed and however often (P1)', async () => {
  const error = new RetryableError('google-unavailable', 'no answer');
  const flush = handler([new Error('a mistake in the code'), error]);
  expect(await flush()).toMatchObject({ next: 'retry', code: 'unexpected' });
  expect(await flush({ number: 9, isLast: true })).toMatchObject({ next: 'defer' });
});
