import { expect } from 'vitest';
import type { Desk, Sent } from '../office/desk.ts';
import { needing, writing } from '../office/fact.ts';
import type { Tab } from '../office/tab.ts';

const PEOPLE = [
  ['Name', 'Phone'],
  ['a', '1'],
  ['b', '2'],
];
const text = (stringValue: string) => ({ userEnteredValue: { stringValue } });

/** A tab with a table over its three filled rows. */
async function tabled(desk: Desk): Promise<{ tab: Tab; table: Sent }> {
  const tab = await desk.tab({ values: PEOPLE });
  const name = `People_${desk.freshId(8)}`;
  const { body } = await desk.batch({ addTable: { table: { name, range: tab.grid([0, 3], [0, 2]) } } });
  return { tab, table: body.replies[0].addTable.table };
}

/** First row and row after the last of the tab's only table. */
async function rowsOfTable(tab: Tab): Promise<[number, number]> {
  const { range } = (await tab.shown()).tables[0];
  return [range.startRowIndex ?? 0, range.endRowIndex];
}

const merge = (range: Record<string, number>, mergeType = 'MERGE_ALL') => ({
  mergeCells: { range, mergeType },
});

writing('[tables.1] a table has its id, its name and the headers of its columns', async (desk) => {
  const { tab, table } = await tabled(desk);
  expect(table.tableId).toMatch(/./);
  const [shown] = (await tab.shown()).tables;
  expect(shown).toMatchObject({ tableId: table.tableId, name: table.name });
  expect(shown.columnProperties.map(({ columnName }: Sent) => columnName)).toEqual(['Name', 'Phone']);
  expect(await rowsOfTable(tab)).toEqual([0, 3]);
});

writing('[tables.2] the name of a table is taken in the whole spreadsheet', async (desk) => {
  const { table } = await tabled(desk);
  const other = await desk.tab({ values: PEOPLE });
  const range = other.grid([0, 3], [0, 2]);
  expect((await desk.batch({ addTable: { table: { name: table.name, range } } })).status).toBe(400);
});

writing('[tables.3] what is written below a table stays outside of it', async (desk) => {
  const { tab } = await tabled(desk);
  await tab.write('A4', [['c', '3']]);
  expect(await rowsOfTable(tab)).toEqual([0, 3]);
});

writing(
  '[tables.4] a table gets another range, and keeps the name that its mask leaves out',
  async (desk) => {
    const { tab, table } = await tabled(desk);
    const { tableId } = table;
    const range = tab.grid([0, 5], [0, 2]);
    await desk.batch({ updateTable: { table: { tableId, range, name: 'Other' }, fields: 'range' } });
    expect(await rowsOfTable(tab)).toEqual([0, 5]);
    expect((await tab.shown()).tables[0].name).toBe(table.name);
    const unknown = { updateTable: { table: { tableId: 'none', name: 'Other' }, fields: 'name' } };
    expect((await desk.batch(unknown)).status).toBe(400);
  },
);

writing('[tables.5] cells appended to a full table come into it, above what stands below', async (desk) => {
  const { tab, table } = await tabled(desk);
  await tab.write('A5', [['below']]);
  const rows = [{ values: [text('c'), text('3')] }];
  await desk.batch({ appendCells: { tableId: table.tableId, rows, fields: 'userEnteredValue' } });
  expect(await tab.values('A1:B7')).toEqual([...PEOPLE, ['c', '3'], [], ['below']]);
  expect(await rowsOfTable(tab)).toEqual([0, 4]);
});

needing('guess', '[tables.6] a row belongs to the table that it is inserted into', async (stage) => {
  const { tab } = await tabled(stage);
  const insert = (at: number) =>
    stage.batch({ insertDimension: { range: tab.span('ROWS', at, at + 1), inheritFromBefore: true } });
  await insert(3);
  expect(await rowsOfTable(tab)).toEqual([0, 3]);
  await insert(2);
  expect(await rowsOfTable(tab)).toEqual([0, 4]);
});

needing('guess', '[tables.7] a row moved below the table has left it', async (stage) => {
  const { tab } = await tabled(stage);
  await stage.batch({ moveDimension: { source: tab.span('ROWS', 1, 2), destinationIndex: 5 } });
  expect(await rowsOfTable(tab)).toEqual([0, 2]);
  expect(await tab.values('A1:A5')).toEqual([['Name'], ['b'], [], [], ['a']]);
});

writing('[tables.8] cells are merged in three ways', async (desk) => {
  const tab = await desk.tab();
  await desk.batch(
    merge(tab.grid([0, 2], [0, 2])),
    merge(tab.grid([2, 4], [0, 2]), 'MERGE_COLUMNS'),
    merge(tab.grid([4, 6], [0, 2]), 'MERGE_ROWS'),
  );
  const { merges } = await tab.shown();
  const boxes = merges.map((range: Sent) => [
    [range.startRowIndex ?? 0, range.endRowIndex],
    [range.startColumnIndex ?? 0, range.endColumnIndex],
  ]);
  expect(boxes).toHaveLength(5);
  expect(boxes).toEqual(
    expect.arrayContaining([
      [
        [0, 2],
        [0, 2],
      ],
      [
        [2, 4],
        [0, 1],
      ],
      [
        [2, 4],
        [1, 2],
      ],
      [
        [4, 5],
        [0, 2],
      ],
      [
        [5, 6],
        [0, 2],
      ],
    ]),
  );
});

writing('[tables.9] a covered cell shows nothing of what is written into it', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b']] });
  await desk.batch(merge(tab.grid([0, 1], [0, 2])));
  expect((await tab.write('A1', [['c', 'd']])).status).toBe(200);
  expect(await tab.values('A1:B1')).toEqual([['c']]);
});

writing('[tables.10] a merge is undone as a whole', async (desk) => {
  const tab = await desk.tab();
  await desk.batch(merge(tab.grid([0, 2], [0, 2])));
  expect((await desk.batch({ unmergeCells: { range: tab.grid([0, 1], [0, 2]) } })).status).toBe(400);
  expect((await desk.batch({ unmergeCells: { range: tab.grid([0, 3], [0, 3]) } })).status).toBe(200);
  expect((await tab.shown()).merges).toBeUndefined();
});

needing('guess', '[tables.11] a merge takes a row up, and lets none go', async (stage) => {
  const tab = await stage.tab();
  await stage.batch(merge(tab.grid([0, 2], [0, 1])));
  await stage.batch({ insertDimension: { range: tab.span('ROWS', 1, 2), inheritFromBefore: true } });
  expect((await tab.shown()).merges[0]).toMatchObject({ endRowIndex: 3 });
  const out = { moveDimension: { source: tab.span('ROWS', 1, 2), destinationIndex: 6 } };
  expect((await stage.batch(out)).status).toBe(400);
});

writing('[tables.12] a filter says what it hides', async (desk) => {
  const tab = await desk.tab({ values: PEOPLE });
  const filterSpecs = [{ columnIndex: 0, filterCriteria: { hiddenValues: ['a'] } }];
  await desk.batch({ setBasicFilter: { filter: { range: tab.grid([0, 3], [0, 2]), filterSpecs } } });
  const { basicFilter, data } = await tab.shown({ includeGridData: true, ranges: tab.range('A1:B3') });
  expect(basicFilter.criteria).toEqual({ 0: { hiddenValues: ['a'] } });
  expect(basicFilter.filterSpecs[0].filterCriteria).toEqual({ hiddenValues: ['a'] });
  const hidden = data[0].rowMetadata.map((row: Sent) => row.hiddenByFilter ?? false);
  expect(hidden).toEqual([false, true, false]);
});

needing('guess', '[tables.13] values do not care for a filter', async (stage) => {
  const tab = await stage.tab({ values: PEOPLE });
  const criteria = { 0: { hiddenValues: ['a'] } };
  await stage.batch({ setBasicFilter: { filter: { range: tab.grid([0, 3], [0, 2]), criteria } } });
  expect(await tab.values('A1:B3')).toEqual(PEOPLE);
});

const looks = {
  rule: { condition: { type: 'BOOLEAN' } },
  format: { userEnteredFormat: { numberFormat: { type: 'DATE', pattern: 'yyyy-mm-dd' } } },
};

/** A tab whose table has a column of dates beside an untyped one. */
async function typed(desk: Desk): Promise<Tab> {
  const tab = await desk.tab({ values: PEOPLE });
  const columnProperties = [{ columnIndex: 1, columnName: 'Phone', columnType: 'DATE' }];
  const range = tab.grid([0, 3], [0, 2]);
  await desk.batch({ addTable: { table: { name: `People_${desk.freshId(8)}`, range, columnProperties } } });
  return tab;
}

writing('[tables.14] a typed column takes values, and no data validation', async (desk) => {
  const tab = await typed(desk);
  const validate = (column: number) =>
    desk.batch({
      setDataValidation: { range: tab.grid([1, 3], [column, column + 1]), rule: looks.rule },
    });
  const { status, body } = await validate(1);
  expect([status, body.error.message]).toEqual([
    400,
    'Invalid requests[0].setDataValidation: This operation is not allowed on cells in typed columns.',
  ]);
  expect((await validate(0)).status).toBe(200);
  const rows = [{ values: [{ userEnteredValue: { numberValue: 46_084 } }] }];
  const written = { range: tab.grid([1, 2], [1, 2]), rows, fields: 'userEnteredValue' };
  expect((await desk.batch({ updateCells: written })).status).toBe(200);
});

needing('guess', '[tables.15] a typed column takes no number format', async (stage) => {
  const tab = await typed(stage);
  const format = (column: number) =>
    stage.batch({
      repeatCell: {
        range: tab.grid([1, 3], [column, column + 1]),
        cell: looks.format,
        fields: 'userEnteredFormat.numberFormat',
      },
    });
  expect((await format(1)).status).toBe(400);
  expect((await format(0)).status).toBe(200);
});
