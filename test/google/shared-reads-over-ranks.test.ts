// Flushes and polls of one process share their readings.
import { expect, it } from 'vitest';
import type { Config } from '../../src/mapping/config.ts';
import { alongWaitMs } from '../../src/sheet/booking-poll-loop.ts';
import { openRemotes } from '../../src/worker/remotes.ts';
import type { Store } from '../../src/worker/stores.ts';
import { BOOK, startStand } from '../sheet/stand.ts';

it('a poll goes along with the reading of a flush', async () => {
  const stand = await startStand({ tabs: [{ title: 'Contacts', values: [['ID'], ['a']] }] });
  const { sandbox, budget, problems, log, meter, keyFile } = stand;
  const rootUrl = `${sandbox.url}/`;
  const google = { credentials: keyFile, tokenUrl: sandbox.tokenUrl, timeoutMs: 5_000 };
  const outside = await openRemotes({
    config: {
      platform: { baseUrl: 'http://127.0.0.1:1', apiKey: 'none', timeoutMs: 1_000 },
      google: { ...google, calendarRootUrl: rootUrl, sheetsRootUrl: rootUrl },
      caldav: { accounts: {}, timeoutMs: 5_000 },
      worker: { concurrency: 8 },
      ...{ mirrors: [], bookings: [], blocks: [] },
    } as unknown as Config,
    store: { budget, problems } as unknown as Store,
    ...{ clock: { now: Date.now }, log, meter },
  });
  const { signal } = new AbortController();
  const going = outside.sheetsFor('catch-up').readAlong(BOOK, [{ sheetId: 0 }], { waitMs: 600_000, signal });
  await outside.sheets.read(BOOK, [{ sheetId: 0, startRow: 0, endRow: 1 }]);
  expect((await going)[0]?.rows).toEqual([['ID'], ['a']]);
  expect(sandbox.stats().calls).toBe(1);
  await stand.close();
});

it.each([
  { every: 5_000, flushEvery: 2_000, waits: 3_000 },
  { every: 30_000, flushEvery: 2_000, waits: 4_000 },
  { every: 600_000, flushEvery: 600_000, waits: 10_000 },
])('polled every $every ms, flushed every $flushEvery: it waits $waits', ({ every, flushEvery, waits }) => {
  expect(alongWaitMs(flushEvery, every)).toBe(waits);
});
