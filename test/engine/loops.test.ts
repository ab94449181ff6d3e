import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { SILENT } from '../../src/engine/runtime.ts';
import { aborted, asleep, repeat } from '../../src/engine/supervisor.ts';

test('whoever waits for longer than a timer can be set is not woken at once', async () => {
  const stopping = new AbortController();
  let isAwake = false;
  const waiting = asleep(2 ** 40, [stopping.signal]).then(() => {
    isAwake = true;
  });
  await sleep(100);
  expect(isAwake).toBe(false);
  stopping.abort();
  await waiting;
});

test('one of several signals is enough, and the others keep nothing of it', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const kept = new Set<unknown>();
  const { signal } = second;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...listened: Parameters<typeof add>) => {
    kept.add(listened[1]);
    add(...listened);
  };
  signal.removeEventListener = (...listened: Parameters<typeof remove>) => {
    kept.delete(listened[1]);
    remove(...listened);
  };
  const waiting = aborted(first.signal, signal);
  expect(kept.size).toBe(1);
  first.abort();
  await waiting;
  expect(kept.size).toBe(0);
});

test('a task of hours that fails is tried again soon, and more slowly while it fails', async () => {
  vi.useFakeTimers();
  try {
    const stopping = new AbortController();
    const answers = [false, false, false, true, false, true];
    let runs = 0;
    const running = repeat(
      { name: 'task', everyMs: 6 * 3_600_000, signal: stopping.signal, log: SILENT },
      async () => {
        runs += 1;
        if (!answers[runs - 1]) throw new Error('no Redis');
        return undefined;
      },
    );
    for (const [afterMs, expected] of [
      ...[[0, 1] as const, [29_999, 1] as const, [1, 2] as const, [59_999, 2] as const, [1, 3] as const],
      ...[[119_999, 3] as const, [1, 4] as const, [5 * 3_600_000, 4] as const, [3_600_001, 5] as const],
      // A success forgets earlier failures.
      ...[[30_000, 6] as const],
    ]) {
      await vi.advanceTimersByTimeAsync(afterMs);
      expect(runs).toBe(expected);
    }
    stopping.abort();
    await running;
  } finally {
    vi.useRealTimers();
  }
});
