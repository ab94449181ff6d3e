// Two who read one spreadsheet: one has a moment to wait and goes along with the other.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SharedReads, SheetsApi } from '../../src/google/sheets-api.ts';
import { BOOK, type Stand, startStand } from '../sheet/stand.ts';

const LONG_MS = 600_000;
const ALL = { sheetId: 0 };
const HEADER = { sheetId: 0, startRow: 0, endRow: 1 };

let stand: Stand;
let [one, other]: SheetsApi[] = [];
beforeEach(async () => {
  stand = await startStand({ tabs: [{ title: 'Contacts', values: [['ID'], ['a']] }, { title: 'Other' }] });
  const reads = new SharedReads();
  [one, other] = [0, 1].map(() => new SheetsApi({ ...stand.apiOptions, reads }));
});
afterEach(() => stand.close());

const type = (value: string) =>
  stand.sandbox.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'Contacts', cell: 'A2', value });
const calls = () => stand.sandbox.stats().calls;
const goesOn = () => new AbortController().signal;
function along(areas = [ALL], { waitMs = LONG_MS, signal = goesOn() } = {}) {
  const going = other?.readAlong(BOOK, areas, { waitMs, signal });
  return going ?? Promise.reject(new Error('no one to go along'));
}

it('one reading serves both, each with its own areas', async () => {
  const going = along([ALL, HEADER]);
  expect((await one?.read(BOOK, [HEADER]))?.map((area) => area?.rows)).toEqual([[['ID']]]);
  expect((await going).map((area) => area?.rows)).toEqual([[['ID'], ['a']], [['ID']]]);
  expect(calls()).toBe(1);
});

it('a reading that began before is not gone along with', async () => {
  stand.sandbox.faults.add({ path: /:batchGet/, times: 1, fault: { kind: 'delay', ms: 100 } });
  const hits = stand.sandbox.faults.hits();
  const first = one?.read(BOOK, [ALL]);
  while (stand.sandbox.faults.hits() === hits) await new Promise((done) => setTimeout(done, 2));
  const going = along();
  await first;
  type('b');
  await one?.read(BOOK, [HEADER]);
  expect((await going)[0]?.rows).toEqual([['ID'], ['b']]);
  expect(calls()).toBe(2);
});

it('when none comes it reads for itself', async () => {
  expect((await along([ALL], { waitMs: 1 }))[0]?.rows).toEqual([['ID'], ['a']]);
  expect(calls()).toBe(1);
});

it('a tab that is gone is the trouble of the one who asked for it', async () => {
  const gone = along([{ sheetId: 99 }]);
  gone.catch(() => undefined);
  expect((await one?.read(BOOK, [HEADER]))?.[0]?.rows).toEqual([['ID']]);
  await expect(gone).rejects.toMatchObject({ family: 'terminal' });
});

it('a reading that fails for another reason is tried again by each for itself', async () => {
  stand.sandbox.faults.add({ path: /:batchGet/, times: 1, fault: { kind: 'status', status: 503 } });
  const going = along();
  await expect(one?.read(BOOK, [HEADER])).rejects.toMatchObject({ family: 'retryable' });
  expect((await going)[0]?.rows).toEqual([['ID'], ['a']]);
});

it('a process that stops does not wait', async () => {
  const stops = new AbortController();
  const going = along([ALL], { signal: stops.signal });
  stops.abort(new Error('stopped'));
  await expect(going).rejects.toThrow('stopped');
  await expect(along([ALL], { signal: stops.signal })).rejects.toThrow('stopped');
  await one?.read(BOOK, [HEADER]);
  expect(calls()).toBe(1);
});
