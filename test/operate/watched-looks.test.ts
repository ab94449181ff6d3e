import { expect, test, vi } from 'vitest';
import { WatchedLooks } from '../../src/operate/watched-looks.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

test('nothing is looked at before somebody watches, nor once nobody does, nor after the end', async () => {
  let watchers = 0;
  const look = vi.fn(async () => undefined);
  const about = { name: 'pages', everyMs: 5, firstAfterMs: 0 };
  const looks = new WatchedLooks({ ...about, isWatched: () => watchers > 0, look });
  const stopping = new AbortController();
  const running = looks.run(stopping.signal);
  const pause = () => new Promise((done) => setTimeout(done, 100));
  await pause();
  expect(look).not.toHaveBeenCalled();
  watchers = 1;
  looks.wake();
  await vi.waitFor(() => expect(look.mock.calls.length).toBeGreaterThan(2), { timeout: PATIENCE_MS });
  watchers = 0;
  await pause();
  const before = look.mock.calls.length;
  await pause();
  expect(look).toHaveBeenCalledTimes(before);
  watchers = 1;
  looks.wake();
  await vi.waitFor(() => expect(look.mock.calls.length).toBeGreaterThan(before), { timeout: PATIENCE_MS });
  stopping.abort();
  await running;
  const after = look.mock.calls.length;
  await pause();
  expect(look).toHaveBeenCalledTimes(after);
});

test('a look that does not come to its end, as while Redis is silent, holds no stop up', async () => {
  const look = vi.fn(() => new Promise<void>(() => undefined));
  const about = { name: 'pages', everyMs: 1, firstAfterMs: 0 };
  const looks = new WatchedLooks({ ...about, isWatched: () => true, look });
  const stopping = new AbortController();
  const running = looks.run(stopping.signal);
  await vi.waitFor(() => expect(look).toHaveBeenCalledTimes(1), { timeout: PATIENCE_MS });
  stopping.abort();
  await running;
});
