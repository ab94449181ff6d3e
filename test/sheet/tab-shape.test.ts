// Tabs as offices use them: with a Sheets table, merged cells and a filter.

import type { JsonObject } from '@slotbridge/sandbox/google/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SheetCheck } from '../../src/engine/mirror.ts';
import { SheetChecker } from '../../src/sheet/check.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemorySheetRows } from '../doubles/sheet-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, line, type Stand, startStand } from './stand.ts';

const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const RESTORE: SheetCheck = { everyMs: 600_000, removed: 'restore', edited: 'restore' };
const DAY_MS = 86_400_000;

let stand: Stand;
let nowMs: number;
let tabs: RememberedTabs;
let checker: SheetChecker;

beforeEach(async () => {
  tabs = new RememberedTabs(new MapMemory());
  stand = await startStand({ tabs: [{ title: 'Contacts', rows: 40, columns: 6 }], parts: { tabs } });
  nowMs = Date.now();
  stand.put(...[1, 2, 3].map((n) => contact(n)));
  await stand.flush();
  checker = new SheetChecker({
    ...{ api: stand.api, rows: double(new MemorySheetRows(stand.outbox)), unkept: double(stand.unkept) },
    ...{ mirrors: [{ ...CONTACTS, check: RESTORE }], tabs },
    zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
    ...{ problems: stand.problems, clock: { now: () => nowMs }, log: stand.log },
  });
});
afterEach(() => stand.close());

const request = (asked: JsonObject) =>
  stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request: asked });
const grid = (rows: [number, number], columns: [number, number]) => ({
  ...{ sheetId: 0, startRowIndex: rows[0], endRowIndex: rows[1] },
  ...{ startColumnIndex: columns[0], endColumnIndex: columns[1] },
});
const shown = async () => {
  const [sheet] = stand.sandbox.truth.spreadsheet(BOOK)['sheets'] as JsonObject[];
  return sheet as { tables?: { range: { endRowIndex: number } }[]; merges?: { endRowIndex: number }[] };
};
const rows = () => stand.values().filter((cells) => cells.some((cell) => cell !== ''));
const check = () => checker.check(BOOK);

describe('a tab with a table', () => {
  const makeTable = (range = grid([0, 4], [0, 4])) =>
    request({ addTable: { table: { name: 'People', range } } });
  const end = async () => (await shown()).tables?.[0]?.range.endRowIndex;

  it('new rows come into the table, and what people wrote below it stays there', async () => {
    makeTable();
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'D6', value: 'total' });
    await check();
    stand.put(contact(4), contact(5));
    await stand.flush();
    expect(rows()).toEqual([
      ['ID', 'Name', 'Phone'],
      ...[1, 2, 3, 4, 5].map((n) => line(n)),
      ['', '', '', 'total'],
    ]);
    expect([await end(), stand.problems.codes()]).toEqual([6, {}]);
  });

  it('rows that came below a table nobody knew of come into it with the next new row', async () => {
    makeTable();
    stand.put(contact(4));
    await stand.flush();
    expect(await end()).toBe(4);
    await check();
    stand.put(contact(5));
    await stand.flush();
    expect(await end()).toBe(6);
  });

  it('rows are added above the totals of the table', async () => {
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B5', value: 'Total' });
    makeTable(grid([0, 5], [0, 4]));
    await check();
    stand.put(contact(4));
    await stand.flush();
    expect(rows().at(-1)).toEqual(['', 'Total']);
    expect(await end()).toBe(6);
  });

  it('a table that does not begin with the header, or that other rows follow, is left as it is', async () => {
    makeTable(grid([2, 4], [0, 4]));
    await check();
    stand.put(contact(4));
    await stand.flush();
    expect(await end()).toBe(4);
  });

  it('rows are written all the same when Google does not change the table', async () => {
    makeTable();
    await check();
    const body = {
      error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Invalid requests[2].updateTable: No.' },
    };
    stand.sandbox.faults.add({
      path: /:batchUpdate/,
      times: 1,
      fault: { kind: 'status', status: 400, body: JSON.stringify(body) },
    });
    stand.put(contact(4));
    await stand.flush();
    expect(rows().at(-1)).toEqual(line(4));
    expect([await stand.waiting(), await end()]).toEqual([[], 4]);
  });

  it('a tab that lost its table is looked at no more', async () => {
    makeTable();
    await check();
    expect(await tabs.isShaped(BOOK, 'Contacts')).toBe(true);
    request({ deleteDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 4 } } });
    stand.put(contact(1));
    await stand.flush();
    await check();
    expect(await tabs.isShaped(BOOK, 'Contacts')).toBe(false);
  });
});

describe('merged cells', () => {
  const merge = (rows: [number, number], columns: [number, number]) =>
    request({ mergeCells: { range: grid(rows, columns), mergeType: 'MERGE_ALL' } });
  const unmerge = () => request({ unmergeCells: { range: { sheetId: 0 } } });

  it('a row of which a merge covers cells waits with advice, and others are written: no dead letter, however often', async () => {
    merge([2, 3], [1, 3]);
    for (let turn = 0; turn < 12; turn += 1) {
      stand.put(contact(2, `New ${turn}`), contact(1, `Other ${turn}`));
      await stand.flush().catch(() => undefined);
    }
    expect(stand.refused).toEqual([]);
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Contacts`]: 'cells-merged' });
    expect([await stand.waiting(), stand.values()[1]]).toEqual([[id(2)], line(1, 'Other 11')]);
    unmerge();
    await stand.flushAll();
    expect([stand.values()[2], stand.problems.codes()]).toEqual([line(2, 'New 11'), {}]);
  });

  it('a row that people merge again and again is never given up; one beside it that a script changes is', async () => {
    stand.sandbox.onSheetWrite(() =>
      stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B4', value: 'SCRIPT' }),
    );
    stand.put(contact(2, 'New 2'), contact(3, 'New 3'), contact(4, 'New 4'));
    for (let turn = 0; turn < 6; turn += 1) {
      merge([2, 3], [1, 3]);
      await stand.flush().catch(() => undefined);
      unmerge();
      await tabs.noteShape(BOOK, 'Contacts', false);
    }
    expect(stand.refused.map(({ row }) => row.rowKey)).toEqual([id(3)]);
    await stand.flush();
    expect(stand.values()[2]).toEqual(line(2, 'New 2'));
  });

  it('new rows that a merge covers are not given up either', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      stand.put(contact(9, 'New 9'));
      merge([4, 5], [0, 3]);
      await stand.flush().catch(() => undefined);
      unmerge();
      await tabs.noteShape(BOOK, 'Contacts', false);
    }
    expect(stand.refused).toEqual([]);
  });

  it('a check names covered cells and restores nothing; once they are whole they are restored', async () => {
    merge([2, 3], [1, 3]);
    for (let look = 0; look < 6; look += 1) {
      await check();
      await stand.flush();
    }
    const [problem] = await stand.problems.list();
    expect(problem).toMatchObject({ target: 'sheet-merged:contacts', code: 'cells-merged' });
    expect(problem?.message).toContain('row 3 (C)');
    expect([stand.unkept.letters, await stand.waiting()]).toEqual([[], []]);
    unmerge();
    await check();
    await stand.flushAll();
    expect([rows()[2], stand.problems.codes()]).toEqual([line(2), {}]);
  });

  it('a new row does not become part of a merge over the last one', async () => {
    merge([3, 5], [0, 1]);
    await check();
    stand.put(contact(4));
    await stand.flush();
    expect(stand.values()[5]).toEqual(line(4));
    expect((await shown()).merges?.[0]).toMatchObject({ endRowIndex: 5 });
  });

  it('nor does it if nobody knew of the merge, and it stands there once', async () => {
    merge([3, 5], [0, 1]);
    stand.put(contact(4));
    for (let turn = 0; turn < 4; turn += 1) await stand.flush().catch(() => undefined);
    expect(stand.values().filter((cells) => cells[0] === id(4))).toHaveLength(1);
    expect([await stand.waiting(), stand.refused]).toEqual([[], []]);
  });

  it('the first cell of a merge is written', async () => {
    merge([1, 2], [2, 5]);
    await check();
    stand.put(contact(1, 'Name 1', '+41790000'));
    await stand.flush();
    expect(stand.values()[1]).toEqual(line(1, 'Name 1', '+41790000'));
    expect(stand.problems.codes()).toEqual({});
  });
});

describe('a filter that hides rows', () => {
  const filter = () =>
    request({
      setBasicFilter: {
        filter: { range: grid([0, 4], [0, 3]), criteria: { 1: { hiddenValues: ['Name 2'] } } },
      },
    });

  it('is told after a day, ends by itself, and keeps no row from being written', async () => {
    filter();
    await check();
    stand.put(contact(2, 'New 2'), contact(4));
    await stand.flush();
    expect(rows()).toEqual([['ID', 'Name', 'Phone'], line(1), line(2, 'New 2'), line(3), line(4)]);
    expect(stand.problems.codes()).toEqual({});
    nowMs += DAY_MS;
    await check();
    expect(stand.problems.codes()).toEqual({ 'sheet-filter:contacts': 'tab-filtered' });
    request({ clearBasicFilter: { sheetId: 0 } });
    await check();
    expect(stand.problems.codes()).toEqual({});
  });

  it('a filter of another day begins anew, and one that hides nothing is none', async () => {
    filter();
    await check();
    request({ clearBasicFilter: { sheetId: 0 } });
    nowMs += DAY_MS / 2;
    await check();
    request({ setBasicFilter: { filter: { range: grid([0, 4], [0, 3]) } } });
    nowMs += DAY_MS / 2;
    await check();
    expect(stand.problems.codes()).toEqual({});
  });
});
