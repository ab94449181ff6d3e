import { afterEach, expect, test, vi } from 'vitest';
import type { Coverage } from '../../src/engine/coverage.ts';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import { type FeedWalkParts, FeedWatch } from '../../src/platform/feed-watch.ts';
import { FEED_DEFAULTS } from '../stand/defaults.ts';
import { double } from '../stand/double.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
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

/** Somebody else holds the lease for the next `busy` times that it is asked for. `lost`: the signal of the lease of that walk. */
function openWatch(
  busy: number,
  error: () => Error = () => new Error('far enough'),
  lost: (begun: number) => AbortSignal | undefined = () => undefined,
) {
  const seen = { asked: 0, begun: 0, busy };
  const watch = new FeedWatch({
    ...UNUSED,
    ...FEED_DEFAULTS,
    leases: double({
      async hold(name, work) {
        seen.asked += 1;
        if (seen.busy > 0) {
          seen.busy -= 1;
          return undefined;
        }
        const signal = lost(seen.begun + 1) ?? new AbortController().signal;
        return { result: await work({ name, proof: 'p', signal }) };
      },
    }),
    async lookAtEndpoint() {
      seen.begun += 1;
      if (lost(seen.begun) === undefined) throw error();
    },
    coverage: double({ ...UNUSED.coverage, read: async () => ({}) as Coverage }),
    ...{ log: SILENT_LOG, meter: NO_METER, clock: { now: Date.now } },
  });
  running.push(watch.run(stopping.signal));
  return { watch, seen };
}

test('P8: a walk that is insisted on follows the one that somebody else has under way, or has left behind (case 10)', async () => {
  const { watch, seen } = openWatch(2);
  watch.wake({ insisting: true });
  await vi.waitFor(() => expect(seen).toMatchObject({ asked: 3, begun: 1 }), { timeout: PATIENCE_MS });
});

test('any other wake is content with the walk that is under way', async () => {
  const { watch, seen } = openWatch(1);
  watch.wake();
  await vi.waitFor(() => expect(seen.asked).toBe(1), { timeout: PATIENCE_MS });
  await new Promise((done) => setTimeout(done, 1_300));
  expect(seen).toMatchObject({ asked: 1, begun: 0 });
});

test('P8: a walk that loses its lease is taken up without a wake', async () => {
  const lost = AbortSignal.abort();
  const { watch, seen } = openWatch(0, undefined, (begun) => (begun === 1 ? lost : undefined));
  watch.wake();
  await vi.waitFor(() => expect(seen.begun).toBe(2), { timeout: PATIENCE_MS });
});

test('P8: a walk that was insisted on and failed is insisted on again', async () => {
  const { watch, seen } = openWatch(0, away);
  watch.wake({ insisting: true });
  await vi.waitFor(() => expect(seen.begun).toBe(1), { timeout: PATIENCE_MS });
  // The next one meets somebody else's walk.
  seen.busy = 1;
  await vi.waitFor(() => expect(seen).toMatchObject({ asked: 3, begun: 2 }), { timeout: PATIENCE_MS });
});

const away = () => new RetryableError('platform-unreachable', 'the connection failed');
/** Longer than two walks are apart. */
const pause = () => new Promise((done) => setTimeout(done, 2_500));

test('a walk that fails is taken up once without a wake, and then waits for one', async () => {
  const { watch, seen } = openWatch(0, away);
  watch.wake();
  await vi.waitFor(() => expect(seen.begun).toBe(2), { timeout: PATIENCE_MS });
  await pause();
  expect(seen.begun).toBe(2);
  watch.wake();
  await vi.waitFor(() => expect(seen.begun).toBe(3), { timeout: PATIENCE_MS });
  await pause();
  expect(seen.begun).toBe(3);
});

test('a walk that was put off is not taken up before it is woken', async () => {
  const { watch, seen } = openWatch(
    0,
    () => new DeferredError('platform-rate-limited', 'held back', { retryAfterMs: 1 }),
  );
  watch.wake();
  await vi.waitFor(() => expect(seen.begun).toBe(1), { timeout: PATIENCE_MS });
  await pause();
  expect(seen.begun).toBe(1);
});
