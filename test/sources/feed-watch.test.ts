import { afterEach, expect, test, vi } from 'vitest';
import { DeferredError, RetryableError } from '../../src/domain/errors.ts';
import { FeedWatch } from '../../src/sources/feed/feed-watch.ts';
import type { FeedWalkParts } from '../../src/sources/feed/walk.ts';
import { FEED_DEFAULTS } from '../stand/defaults.ts';
import { NO_METER, SILENT_LOG } from '../stand/store.ts';

const UNUSED = {} as FeedWalkParts;

let stopping = new AbortController();
let running: Promise<void>[] = [];
afterEach(async () => {
  stopping.abort();
  await Promise.all(running);
  stopping = new AbortController();
  running = [];
});

/** Somebody else holds the lease for the first `busy` times that it is asked for. */
function openWatch(busy: number, error: () => Error = () => new Error('far enough')) {
  const seen = { asked: 0, begun: 0 };
  const watch = new FeedWatch({
    ...UNUSED,
    ...FEED_DEFAULTS,
    leases: {
      async hold(name, work) {
        seen.asked += 1;
        if (seen.asked <= busy) return undefined;
        return { result: await work({ name, proof: 'p', signal: new AbortController().signal }) };
      },
    },
    async lookAtEndpoint() {
      seen.begun += 1;
      throw error();
    },
    ...{ log: SILENT_LOG, meter: NO_METER, clock: { now: Date.now } },
  });
  running.push(watch.run(stopping.signal));
  return { watch, seen };
}

test('P8: a walk that is insisted on follows the one that somebody else has under way, or has left behind (case 10)', async () => {
  const { watch, seen } = openWatch(2);
  watch.ring({ insisting: true });
  await vi.waitFor(() => expect(seen).toEqual({ asked: 3, begun: 1 }), { timeout: 30_000 });
});

test('any other ring is content with the walk that is under way', async () => {
  const { watch, seen } = openWatch(1);
  watch.ring();
  await vi.waitFor(() => expect(seen.asked).toBe(1), { timeout: 30_000 });
  await new Promise((done) => setTimeout(done, 1_300));
  expect(seen).toEqual({ asked: 1, begun: 0 });
});

const away = () => new RetryableError('platform-unreachable', 'the connection failed');
/** Longer than two walks are apart. */
const pause = () => new Promise((done) => setTimeout(done, 2_500));

test('a walk that fails is taken up once without a ring, and then waits for one', async () => {
  const { watch, seen } = openWatch(0, away);
  watch.ring();
  await vi.waitFor(() => expect(seen.begun).toBe(2), { timeout: 30_000 });
  await pause();
  expect(seen.begun).toBe(2);
  watch.ring();
  await vi.waitFor(() => expect(seen.begun).toBe(3), { timeout: 30_000 });
  await pause();
  expect(seen.begun).toBe(3);
});

test('a walk that was put off is not taken up before it is rung for', async () => {
  const { watch, seen } = openWatch(
    0,
    () => new DeferredError('platform-rate-limited', 'held back', { retryAfterMs: 1 }),
  );
  watch.ring();
  await vi.waitFor(() => expect(seen.begun).toBe(1), { timeout: 30_000 });
  await pause();
  expect(seen.begun).toBe(1);
});
