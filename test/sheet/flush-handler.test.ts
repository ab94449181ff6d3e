// When a spreadsheet has its next flush.

import { expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import type { Leases } from '../../src/engine/leases.ts';
import { type FlushResult, TabsAtFault } from '../../src/sheet/flush.ts';
import { flushHandler } from '../../src/sheet/flush-handler.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog } from '../doubles/listener.ts';
import { double } from '../stand/double.ts';

const FIRST = { number: 1, isLast: false };

function handler(outcomes: (FlushResult | Error)[], flushEveryMs = 1_000, log = new KeptLog()) {
  const clock = new HandClock(1_000_000);
  const hold = async (_: string, work: (lease: { signal: AbortSignal }) => Promise<unknown>) => ({
    result: await work({ signal: new AbortController().signal }),
  });
  const handle = flushHandler({
    flushEveryMs,
    leases: { hold } as unknown as Leases,
    flusher: double({
      async flush() {
        const outcome = outcomes.shift();
        if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no outcome');
        return outcome;
      },
    }),
    clock,
    log,
    stopping: new AbortController().signal,
  });
  return async (key = 'book') => {
    clock.advance(3_600_000);
    return handle(key, FIRST);
  };
}

test('rows that nothing can be done about are looked at less and less often, until one is written', async () => {
  const stuck = { written: 0, remaining: 1 };
  const flush = handler([...Array(7).fill(stuck), { written: 1, remaining: 1 }, stuck, stuck]);
  const pauses: unknown[] = [];
  for (let times = 0; times < 10; times += 1) pauses.push(await flush());
  const defer = (afterMs: number) => ({ next: 'defer', afterMs });
  expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15, 1, 1, 2].map((seconds) => defer(seconds * 1_000)));
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
