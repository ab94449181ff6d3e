// Blank rows that moves to the archive leave behind are deleted; rows in which anything stands are not.

import type { JsonObject } from '@slotbridge/sandbox/google/json';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import type { SheetsApi } from '../../src/google/sheets-api.ts';
import { BlankRows } from '../../src/sheet/blank-rows.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { APPOINTMENTS, type ArchiveStand, OFFICE, startArchiveStand } from './archive-stand.ts';
import { id } from './stand.ts';

/** A lease that is not lost. */
const HELD = { signal: new AbortController().signal };
const AT = { spreadsheetId: OFFICE, tab: 'Visits' };
let redis: TestRedis;
let stand: ArchiveStand;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
afterEach(() => stand.close());

/** Appointment 1, five blank rows, appointment 2, a row with a note and no key, a formula that shows nothing, appointment 3. */
beforeEach(async () => {
  stand = await startArchiveStand(redis.url);
  for (const n of [1, 2, 3]) await stand.seen(n);
  await stand.settle();
  for (let i = 0; i < 5; i += 1) stand.staff.insertRow({ ...AT, row: 3, values: [] });
  stand.staff.insertRow({ ...AT, row: 9, values: ['', '', '', '', 'remember'] });
  stand.staff.insertRow({ ...AT, row: 10, values: [] });
  stand.staff.setCell({ ...AT, cell: 'F10', value: '=""' });
});

/** Does something after the first read of whole rows, as if many more followed. */
function meanwhile(act: () => void): Pick<SheetsApi, 'readTyped'> {
  let reads = 0;
  return {
    readTyped: async (...asked) => {
      const read = await stand.ground.api.readTyped(...asked);
      reads += 1;
      if (reads === 1) act();
      return read;
    },
  };
}

/** `over`: calls to Google that go another way. */
function blankRows(
  mirror: SheetMirror = APPOINTMENTS,
  rowsMin = 5,
  over: Partial<SheetsApi> = {},
): BlankRows {
  const tabs = new RememberedTabs(stand.store.memory);
  const { api } = stand.ground;
  const calls = new Proxy(api, {
    get(target, name) {
      const value: unknown = Reflect.get(name in over ? over : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { problems, clock, log } = stand;
  return new BlankRows({
    ...{ api: calls, mirrors: [mirror], tabs, problems, clock, log, rowsMin },
    ...{ sent: stand.store.sentRows, overWrites: stand.store.overWrites },
  });
}

/** The keys of the tab down to the last row with one. */
const keys = () => {
  const column = stand.sandbox.truth.values(OFFICE, 'Visits').map(([key]) => String(key ?? ''));
  return column.slice(1, column.findLastIndex((key) => key !== '') + 1);
};

test('they are deleted when nobody has touched the tab since the last look, and nothing else is', async () => {
  const blank = blankRows();
  await blank.remove(OFFICE, HELD);
  expect(keys()).toHaveLength(10);
  await blank.remove(OFFICE, HELD);
  expect(keys()).toEqual([id(1), id(2), '', '', id(3)]);
  expect(stand.sandbox.truth.values(OFFICE, 'Visits')[3]?.[4]).toBe('remember');
  await stand.check();
  expect([await stand.open(), stand.problems.codes()]).toEqual([0, {}]);
});

test('a row in which a cell carries a note stays; a colour and a rule for what may be typed keep no row', async () => {
  const cell = (row: number, data: JsonObject, fields: string) =>
    stand.staff.request({
      spreadsheetId: OFFICE,
      request: {
        updateCells: {
          start: { sheetId: 0, rowIndex: row - 1, columnIndex: 4 },
          rows: [{ values: [data] }],
          fields,
        },
      },
    });
  cell(4, { note: 'ask her about the invoice' }, 'note');
  cell(5, { userEnteredFormat: { backgroundColor: { red: 1 } } }, 'userEnteredFormat');
  cell(6, { dataValidation: { condition: { type: 'BOOLEAN' } } }, 'dataValidation');
  const blank = blankRows(APPOINTMENTS, 4);
  await blank.remove(OFFICE, HELD);
  await blank.remove(OFFICE, HELD);
  expect(keys()).toEqual([id(1), '', id(2), '', '', id(3)]);
  const noted = await stand.ground.api.notedRows(OFFICE, { sheetId: 0, startRow: 1, endRow: 20 });
  expect(noted).toEqual(new Set([2]));
});

test('nothing is deleted when Google says nothing of the notes', async () => {
  const body = JSON.stringify({ spreadsheetId: OFFICE });
  stand.sandbox.faults.add({
    path: /:getByDataFilter/,
    fault: { kind: 'status', status: 200, body, contentType: 'application/json' },
  });
  const blank = blankRows();
  for (let look = 0; look < 2; look += 1) await blank.remove(OFFICE, HELD);
  expect(keys()).toHaveLength(10);
});

test('a tab that people sort between two looks is left alone', async () => {
  const blank = blankRows();
  await blank.remove(OFFICE, HELD);
  stand.staff.sortTab({ ...AT, column: 'Who', descending: true });
  const before = stand.sandbox.truth.values(OFFICE, 'Visits');
  await blank.remove(OFFICE, HELD);
  expect(stand.sandbox.truth.values(OFFICE, 'Visits')).toEqual(before);
});

test('few of them are left alone, and so are all of a mirror that keeps them or has no archive', async () => {
  const { archive, ...without } = APPOINTMENTS;
  const kept = { ...APPOINTMENTS, archive: archive && { ...archive, blankRows: 'keep' } } as SheetMirror;
  for (const blank of [blankRows(APPOINTMENTS, 6), blankRows(kept), blankRows(without as SheetMirror)]) {
    await blank.remove(OFFICE, HELD);
    await blank.remove(OFFICE, HELD);
    expect(keys()).toHaveLength(10);
  }
});

test('a lost answer deletes nothing twice', async () => {
  const blank = blankRows();
  await blank.remove(OFFICE, HELD);
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
  await blank.remove(OFFICE, HELD).catch(() => undefined);
  for (let look = 0; look < 3; look += 1) await blank.remove(OFFICE, HELD);
  expect(keys()).toEqual([id(1), id(2), '', '', id(3)]);
});

test.each([
  [
    'another worker adds a row that shifts those below',
    () => stand.staff.insertRow({ ...AT, row: 3, values: [id(9)] }),
  ],
  ['people add a row that shifts those below', () => stand.staff.insertRow({ ...AT, row: 3, values: [] })],
  ['people write into one of them', () => stand.staff.setCell({ ...AT, cell: 'E5', value: 'call her' })],
])('nothing is deleted when, during many reads, %s (P7)', async (_, act) => {
  let before: unknown;
  const over = meanwhile(() => {
    act();
    before = stand.sandbox.truth.values(OFFICE, 'Visits');
  });
  await blankRowsSeenOnce(over);
  expect(stand.sandbox.truth.values(OFFICE, 'Visits')).toEqual(before);
});

test('a row that people sort into the gap under the write is not deleted (P6, P7)', async () => {
  const blank = blankRows();
  await blank.remove(OFFICE, HELD);
  const content = () =>
    stand.sandbox.truth
      .values(OFFICE, 'Visits')
      .map((row) => row.join(' ').trim())
      .filter((row) => row !== '')
      .sort();
  const before = content();
  stand.sandbox.faults.add({
    path: /:batchUpdate/,
    times: 1,
    onStrike: () => stand.staff.sortTab({ ...AT, column: 'Who', descending: true }),
    fault: { kind: 'delay', ms: 1 },
  });
  await blank.remove(OFFICE, HELD);
  expect(before).toHaveLength(5);
  expect(content()).toEqual(before);
});

test('nothing is deleted by a look that has lost its lease (P7)', async () => {
  const lost = new AbortController();
  const blank = blankRows(
    APPOINTMENTS,
    5,
    meanwhile(() => lost.abort()),
  );
  await blank.remove(OFFICE, HELD);
  await expect(blank.remove(OFFICE, { signal: lost.signal })).rejects.toMatchObject({ code: 'stopped' });
  expect(keys()).toHaveLength(10);
});

/** The look that deletes, with such calls. */
async function blankRowsSeenOnce(over: Partial<SheetsApi>): Promise<void> {
  const blank = blankRows(APPOINTMENTS, 5, over);
  await blank.remove(OFFICE, HELD);
  await blank.remove(OFFICE, HELD);
}
