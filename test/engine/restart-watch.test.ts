import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { restartWatch } from '../../src/engine/redis-lost.ts';
import { KeptLog } from '../doubles/listener.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('each restart of Redis leads to one look at all sources and one search of the calendars, and the watch ends after both searches', async () => {
  const log = new KeptLog();
  const end = new AbortController();
  const done: string[] = [];
  let run = 'first';
  let unread = () => {};
  const watch = restartWatch({
    redisRun: async () => run,
    knownRun: 'first',
    adopt: async () => {
      done.push(`search in ${run}`);
      const isSecond = run === 'second';
      return { rest: isSecond ? new Promise<void>((read) => (unread = read)) : Promise.resolve() };
    },
    lookAtAll: () => void done.push(`look in ${run}`),
    log,
  });
  let isOver = false;
  const watching = watch.run(end.signal).then(() => (isOver = true));
  for (const next of ['first', 'second', 'third']) {
    run = next;
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect(done).toEqual(['look in second', 'search in second', 'look in third', 'search in third']);
  end.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isOver).toBe(false);
  unread();
  await watching;
});
