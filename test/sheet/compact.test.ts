// With `compact`, the gaps that departed rows leave are closed once a day. People's cells stay in their row, whatever people do meanwhile.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import type { SheetsApi } from '../../src/google/sheets-api.ts';
import { BlankRows } from '../../src/sheet/blank-rows.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { Death, doomed } from '../stand/doom.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { MOMENTS, sweepCalls } from '../stand/sweep.ts';
import { APPOINTMENTS, type ArchiveStand, DAY_MS, OFFICE, startArchiveStand } from './archive-stand.ts';
import { id } from './stand.ts';

const HELD = { signal: new AbortController().signal };
const AT = { spreadsheetId: OFFICE, tab: 'Visits' };
const COMPACT = {
  archive: undefined,
  compact: true,
  where: { ...APPOINTMENTS.where, statuses: ['confirmed'] },
} as unknown as Partial<SheetMirror>;
const CALLS_MAX = 40;

let redis: TestRedis;
let stand: ArchiveStand;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
afterEach(() => stand.close());

/** Appointments 1 to 8 with a note of people beside each, in column E. Those with these numbers have left; `noteless` ones had no note. */
async function office(left: readonly number[], noteless: readonly number[] = left): Promise<void> {
  for (let n = 1; n <= 8; n += 1) await stand.seen(n);
  await stand.settle();
  for (let n = 1; n <= 8; n += 1)
    if (!noteless.includes(n)) stand.staff.setCell({ ...AT, cell: `E${rowOf(n)}`, value: `note ${n}` });
  for (const n of left) await stand.seen(n, { status: 'cancelled' });
  await stand.settle();
}

beforeEach(async () => {
  stand = await startArchiveStand(redis.url, COMPACT);
});

const rowOf = (n: number) =>
  stand.sandbox.truth.values(OFFICE, 'Visits').findIndex(([key]) => key === id(n)) + 1;

/** Number of the appointment and the note in each row below the header; a blank row is an empty text. */
const rows = () =>
  stand.sandbox.truth
    .values(OFFICE, 'Visits')
    .slice(1)
    .map(([key, , , , note]) =>
      [key === undefined || key === '' ? '' : Number(String(key).slice(-12)), note ?? ''].join(' ').trim(),
    );

/** All rows in which anything stands, in a fixed order. */
const content = () =>
  rows()
    .filter((row) => row !== '')
    .sort();

function blankRows(api: SheetsApi = stand.ground.api): BlankRows {
  const { problems, clock, log, mirror } = stand;
  return new BlankRows({
    api,
    mirrors: [mirror],
    tabs: new RememberedTabs(stand.store.memory),
    sent: stand.store.sentRows,
    overWrites: stand.store.overWrites,
    problems,
    clock,
    log,
  });
}

/** Two quiet looks, as the checks of a tab bring them. */
async function twoLooks(blank: BlankRows = blankRows()): Promise<void> {
  for (let look = 0; look < 2; look += 1) await blank.remove(OFFICE, HELD);
}

test('the rows that are left stand together, in their order, each with what people wrote beside it (P6)', async () => {
  await office([2, 4, 5, 8]);
  expect(rows()).toEqual(['1 note 1', '', '3 note 3', '', '', '6 note 6', '7 note 7']);
  await twoLooks();
  expect(rows()).toEqual(['1 note 1', '3 note 3', '6 note 6', '7 note 7']);
  await stand.seen(9);
  await stand.settle();
  await stand.check();
  expect(rows()).toEqual(['1 note 1', '3 note 3', '6 note 6', '7 note 7', '9']);
  expect([await stand.open(), stand.problems.codes()]).toEqual([0, {}]);
});

test('a row beside which people wrote stays where it is, and so do a note and a formula that shows nothing', async () => {
  await office([2, 3, 4, 5], [3, 4, 5]);
  stand.staff.setCell({ ...AT, cell: 'F5', value: '=""' });
  const noted = {
    start: { sheetId: 0, rowIndex: 5, columnIndex: 5 },
    rows: [{ values: [{ note: 'ask her' }] }],
    fields: 'note',
  };
  stand.staff.request({ spreadsheetId: OFFICE, request: { updateCells: noted } });
  await twoLooks();
  expect(rows()).toEqual(['1 note 1', 'note 2', '', '', '6 note 6', '7 note 7', '8 note 8']);
  expect(await stand.ground.api.notedRows(OFFICE, { sheetId: 0, startRow: 1, endRow: 20 })).toEqual(
    new Set([4]),
  );
});

test('unticked boxes that people filled down keep no gap open; a ticked one does', async () => {
  await office([2, 4], [2, 4]);
  for (let row = 2; row <= 12; row += 1) stand.staff.setCell({ ...AT, cell: `F${row}`, value: row === 5 });
  await twoLooks();
  expect(rows().slice(0, 7)).toEqual([
    '1 note 1',
    '3 note 3',
    '',
    '5 note 5',
    '6 note 6',
    '7 note 7',
    '8 note 8',
  ]);
});

test('gaps stay while a write waits to be checked: its notes name rows by their number', async () => {
  await office([2, 4], [2, 4]);
  const before = rows();
  const open = await stand.store.sentRows.sent(OFFICE, []);
  await twoLooks();
  expect(rows()).toEqual(before);
  await stand.store.sentRows.ended(OFFICE, open);
  await twoLooks();
  expect(rows().indexOf('')).toBe(-1);
});

test('gaps are closed once a day', async () => {
  await office([2]);
  await twoLooks();
  await stand.seen(3, { status: 'cancelled' });
  await stand.settle();
  stand.staff.clearRange({ ...AT, range: 'E3:E3' });
  const open = ['1 note 1', '', '4 note 4', '5 note 5', '6 note 6', '7 note 7', '8 note 8'];
  stand.clock.advance(DAY_MS / 2);
  await twoLooks();
  expect(rows()).toEqual(open);
  stand.clock.advance(DAY_MS / 2);
  await twoLooks();
  expect(rows()).toEqual(open.filter((row) => row !== ''));
});

test('without compact the gaps stay', async () => {
  await office([2]);
  const { compact: _, ...without } = stand.mirror;
  const { problems, clock, log } = stand;
  const tabs = new RememberedTabs(stand.store.memory);
  await twoLooks(
    new BlankRows({
      ...{ api: stand.ground.api, mirrors: [without as SheetMirror], tabs, problems, clock, log },
      ...{ sent: stand.store.sentRows, overWrites: stand.store.overWrites },
    }),
  );
  expect(rows()[1]).toBe('');
});

test('of the blank rows below the last, a thousand stay and a further thousand are deleted', async () => {
  await office([2]);
  const grow = { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 1_500 } };
  stand.staff.request({ spreadsheetId: OFFICE, request: grow });
  await twoLooks();
  const rowCount = async () => (await stand.ground.api.tabs(OFFICE))[0]?.rows;
  expect(await rowCount()).toBeGreaterThan(2_500);
  stand.clock.advance(DAY_MS);
  await twoLooks();
  expect([await rowCount(), rows().length]).toEqual([1_008, 7]);
});

/** What people do in the moment between the last read and the write. */
const HANDS: Record<string, () => void> = {
  'people sort the tab': () => stand.staff.sortTab({ ...AT, column: 'Who', descending: true }),
  'people insert a row above': () =>
    stand.staff.insertRow({ ...AT, row: 2, values: ['', '', '', '', 'lunch'] }),
  'people delete a row above': () => stand.staff.deleteRow({ ...AT, row: 2 }),
  'people type into a gap': () => stand.staff.setCell({ ...AT, cell: 'E3', value: 'call her' }),
  'people move a row': () => stand.staff.moveRow({ ...AT, row: 9, before: 3 }),
  'people add a row below': () => void stand.staff.addRow({ ...AT, values: ['', '', '', '', 'total'] }),
};

test.each(Object.entries(HANDS))(
  'no row is lost or torn when, under the write, %s (P6, P7)',
  async (_, act) => {
    await office([2, 4, 5]);
    let after: readonly string[] = [];
    stand.sandbox.faults.add({
      path: /:batchUpdate/,
      times: 1,
      // The call is matched before it is performed.
      onStrike: () => {
        act();
        after = content();
      },
      fault: { kind: 'delay', ms: 1 },
    });
    await twoLooks();
    expect(after.length).toBeGreaterThan(3);
    expect(content()).toEqual(after);
    // Whatever order that left, the next day closes the gaps.
    stand.clock.advance(DAY_MS);
    await twoLooks();
    expect(content()).toEqual(after);
    expect(rows().every((row) => row !== '')).toBe(true);
  },
);

test('rows that went to the end because people sorted under the write are named, for a day', async () => {
  await office([2, 4]);
  stand.sandbox.faults.add({
    path: /:batchUpdate/,
    times: 1,
    onStrike: () => stand.staff.sortTab({ ...AT, column: 'Who', descending: true }),
    fault: { kind: 'delay', ms: 1 },
  });
  stand.problems.now = () => stand.clock.now();
  await twoLooks();
  expect(Object.values(stand.problems.codes())).toEqual(['rows-moved']);
  stand.clock.advance(2 * DAY_MS);
  await stand.check();
  expect(stand.problems.codes()).toEqual({});
});

test('what Google refuses to move is told, and ends by itself', async () => {
  await office([2]);
  const { protectedRange } = stand.staff.protectRange({ ...AT, range: 'E:E' });
  await twoLooks();
  expect(stand.problems.codes()).toEqual({ [`sheet-gaps:${stand.mirror.name}/Visits`]: 'gaps-stay' });
  expect(rows()[1]).toBe('');
  const { protectedRangeId } = protectedRange as { protectedRangeId: number };
  stand.staff.request({ spreadsheetId: OFFICE, request: { deleteProtectedRange: { protectedRangeId } } });
  stand.clock.advance(DAY_MS);
  await twoLooks();
  expect([rows()[1], stand.problems.codes()]).toEqual(['3 note 3', {}]);
});

test.each(MOMENTS)(
  'a death %s any call leaves every row whole, and the next process closes the gaps (case 72)',
  async (moment) => {
    await office([2, 4, 5]);
    const whole = content();
    const end = await sweepCalls({ chosen: () => true, variant: 0, callsMax: CALLS_MAX }, async (at) => {
      for (const row of [3, 5, 5]) stand.staff.insertRow({ ...AT, row, values: [] });
      await stand.store.memory.forget(`sheet-compacted ${OFFICE} Visits`);
      const { api } = doomed({ api: stand.ground.api }, { at, moment, made: 0 });
      const died = await twoLooks(blankRows(api)).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Death)) throw error;
          return true;
        },
      );
      expect([at, content()]).toEqual([at, whole]);
      await twoLooks();
      expect([at, content(), rows().length]).toEqual([at, whole, whole.length]);
      return died;
    });
    expect(end).toBeGreaterThan(5);
  },
);
