import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const append = async (range: string, values: unknown[][], query = '') =>
  (
    await rig.call(
      'POST',
      `${rig.sheet}/values/${encodeURIComponent(range)}:append?valueInputOption=RAW${query}`,
      { values },
    )
  ).body;
const set = (cell: string, value: string, tab = 'Sheet1') =>
  rig.sandbox.staff.sheets.setCell({ spreadsheetId: book, tab, cell, value });
const truth = (tab = 'Sheet1') => rig.sandbox.truth.values(book, tab);

test('in an empty sheet rows go to A1 and no table is named', async () => {
  expect(await append('Sheet1', [['a', 'b', 'c']])).toEqual({
    spreadsheetId: book,
    updates: {
      spreadsheetId: book,
      updatedRange: 'Sheet1!A1:C1',
      updatedRows: 1,
      updatedColumns: 3,
      updatedCells: 3,
    },
  });
});

test('the table is the block around the given cell', async () => {
  set('A1', 'id');
  set('C1', 'name');
  const answer = await append('Sheet1!A1', [['1', '2', '3']]);
  expect([answer.tableRange, answer.updates.updatedRange]).toEqual(['Sheet1!A1', 'Sheet1!A2:C2']);
});

test('a blank cell is no table, even when data stands below', async () => {
  set('A2', 'data');
  const answer = await append('Sheet1!A1', [['x', 'y']]);
  expect([answer.tableRange, answer.updates.updatedRange]).toEqual([undefined, 'Sheet1!A1:B1']);
});

test('a bare sheet name takes the last table, and rows go into wrong columns', async () => {
  set('A1', 'id');
  set('C1', 'name');
  const answer = await append('Sheet1', [['1', '2', '3']]);
  expect([answer.tableRange, answer.updates.updatedRange]).toEqual(['Sheet1!C1', 'Sheet1!C2:E2']);
});

test('rows go below the table, from its first column', async () => {
  for (const cell of ['B2', 'C2', 'B3', 'C4']) set(cell, 'x');
  const answer = await append('Sheet1!B2:C2', [['1', '2']]);
  expect([answer.tableRange, answer.updates.updatedRange]).toEqual(['Sheet1!B2:C4', 'Sheet1!B5:C5']);
});

test('a blank row ends the table, and OVERWRITE writes over what stands below', async () => {
  set('A1', 'id');
  set('A3', 'note of somebody');
  await append('Sheet1!A1', [['1'], ['2']]);
  expect(truth()).toEqual([['id'], ['1'], ['2']]);
});

test('cells that touch at a corner belong to one table', async () => {
  set('A1', 'x');
  set('B2', 'y');
  expect((await append('Sheet1!A1', [['z']])).tableRange).toBe('Sheet1!A1:B2');
});

test('INSERT_ROWS makes room for the rows', async () => {
  set('A1', 'id');
  set('A3', 'note of somebody');
  await append('Sheet1!A1', [['1'], ['2']], '&insertDataOption=INSERT_ROWS');
  expect(truth()).toEqual([['id'], ['1'], ['2'], [], ['note of somebody']]);
});

test('at its end the grid grows', async () => {
  rig.sandbox.staff.sheets.setRow({ spreadsheetId: book, tab: 'My Tab', row: 10, values: ['last'] });
  const answer = await append("'My Tab'!A10", [['1', '2', '3', '4', '5', '6']]);
  expect(answer.updates.updatedRange).toBe("'My Tab'!A11:F11");
  const { body } = await rig.call('GET', `${rig.sheet}?fields=sheets.properties.gridProperties`);
  expect(body.sheets[1].properties.gridProperties).toEqual({ rowCount: 11, columnCount: 6 });
});

test('an append is not idempotent', async () => {
  set('A1', 'id');
  await append('Sheet1!A1', [['1']]);
  await append('Sheet1!A1', [['1']]);
  expect(truth()).toEqual([['id'], ['1'], ['1']]);
});

test('an append whose answer is lost has been performed', async () => {
  rig.sandbox.faults.add({ path: /:append/, times: 1, fault: { kind: 'commit-then-reset' } });
  await expect(append('Sheet1!A1', [['1']])).rejects.toThrow();
  expect(truth()).toEqual([['1']]);
});

test('an append can show what it wrote', async () => {
  const answer = await append(
    'Sheet1',
    [[1, true]],
    '&includeValuesInResponse=true&responseValueRenderOption=UNFORMATTED_VALUE',
  );
  expect(answer.updates.updatedData).toEqual({
    range: 'Sheet1!A1:B1',
    majorDimension: 'ROWS',
    values: [[1, true]],
  });
});
