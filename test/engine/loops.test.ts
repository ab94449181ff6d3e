import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { aborted, asleep } from '../../src/engine/supervisor.ts';

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
