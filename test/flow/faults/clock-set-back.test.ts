import { afterEach, expect, test, vi } from 'vitest';
import { createStatusSource } from '../../../src/operate/status.ts';
import { type FeedWalkParts, FeedWatch } from '../../../src/platform/feed-watch.ts';
import { KnownRows } from '../../../src/sheet/known-rows.ts';
import type { TypedRow } from '../../../src/sheet/tab-reading.ts';
import { StatusStores } from '../../doubles/status-stores.ts';
import { FEED_DEFAULTS } from '../../stand/defaults.ts';
import { double } from '../../stand/double.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { NO_METER, SILENT_LOG } from '../../stand/store.ts';

const HOURS = 3_600_000;
const UNUSED = {} as FeedWalkParts;

afterEach(() => vi.useRealTimers());

test('P8: the feed is walked on though the clock was put back by hours (case 70)', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * HOURS });
  let turns = 0;
  const leases = {
    async hold() {
      turns += 1;
      return undefined;
    },
  };
  // Somebody else has the turn each time: nothing is read.
  const watch = new FeedWatch({
    ...UNUSED,
    ...FEED_DEFAULTS,
    ...{
      leases: double(leases),
      log: SILENT_LOG,
      meter: NO_METER,
      clock: { now: Date.now },
      lookAtEndpoint: async () => {},
    },
  });
  const stopping = new AbortController();
  const running = watch.run(stopping.signal);
  watch.wake();
  await vi.waitFor(() => expect(turns).toBe(1), { timeout: PATIENCE_MS });
  vi.setSystemTime(Date.now() - 3 * HOURS);
  watch.wake();
  await vi.waitFor(() => expect(turns).toBe(2), { timeout: PATIENCE_MS });
  stopping.abort();
  await running;
});

test('P8: a proof of the future is none of the present', async () => {
  const stores = new StatusStores();
  const ahead = stores.clock.now() + 3 * HOURS;
  stores.coverage = { ...stores.coverage, coveredUntilMs: ahead, provedAtMs: ahead };
  const { coverage, idle } = await createStatusSource(stores.parts()).read();
  expect({ fresh: coverage.feed.fresh, idle }).toEqual({ fresh: false, idle: false });
});

test('a row that stood still while the clock was put back has its turn in its time', () => {
  const row = { id: 'r1', print: 'p' } as unknown as TypedRow;
  const known = new KnownRows();
  const stillForMs = 5_000;
  expect(known.still([row], { stillForMs, nowMs: 3 * HOURS })).toEqual([]);
  expect(known.still([row], { stillForMs, nowMs: 1_000 })).toEqual([]);
  expect(known.still([row], { stillForMs, nowMs: 7_000 })).toEqual([row]);
});

test('rows that were handed on are handed on again in their time though the clock was put back', () => {
  const row = { id: 'r1', print: 'p', cells: {} } as unknown as TypedRow;
  const known = new KnownRows();
  expect(known.newsSince(row, 3 * HOURS)).toBe(3 * HOURS);
  known.handed(row);
  expect(known.newsSince(row, 3 * HOURS)).toBeUndefined();
  expect(known.newsSince(row, 1 * HOURS)).toBe(1 * HOURS);
});
