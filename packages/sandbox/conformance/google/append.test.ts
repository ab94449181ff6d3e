import { expect } from 'vitest';
import { writing } from '../office/fact.ts';

const ROW = [['x', 'y', 'z']];

writing('[append.1] in an empty tab rows begin at the top', async (desk) => {
  const tab = await desk.tab();
  const { body } = await tab.append('', ROW);
  expect([body.tableRange, body.updates.updatedRange]).toEqual([undefined, `${tab.title}!A1:C1`]);
});

writing('[append.2] rows go below the table', async (desk) => {
  const tab = await desk.tab();
  await tab.write('B2', [
    ['Id', 'Name'],
    ['1', 'Ann'],
  ]);
  const { body } = await tab.append('B2:C2', ROW);
  expect([body.tableRange, body.updates.updatedRange]).toEqual([`${tab.title}!B2:C3`, `${tab.title}!B4:D4`]);
});

writing('[append.3] a blank cell above a table is the place itself', async (desk) => {
  const tab = await desk.tab();
  await tab.write('A2', [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  const { body } = await tab.append('A1', ROW);
  expect([body.tableRange, body.updates.updatedRange]).toEqual([undefined, `${tab.title}!A1:C1`]);
});

writing('[append.4] a gap parts the table that the range meets from the rest', async (desk) => {
  const tab = await desk.tab({ values: [['a', '', 'c']] });
  const { body } = await tab.append('A1', ROW);
  expect([body.tableRange, body.updates.updatedRange]).toEqual([`${tab.title}!A1`, `${tab.title}!A2:C2`]);
});

writing('[append.5] a bare title takes the last table', async (desk) => {
  const tab = await desk.tab({ values: [['a', '', 'c']] });
  const { body } = await tab.append('', ROW);
  expect([body.tableRange, body.updates.updatedRange]).toEqual([`${tab.title}!C1`, `${tab.title}!C2:E2`]);
});

writing('[append.6] rows are written over what stands below, or moved in before it', async (desk) => {
  const values = [['Id'], ['1'], [], ['foot']];
  const over = await desk.tab({ values });
  await over.append('A1:A2', [['2'], ['3']]);
  expect(await over.values('A1:A')).toEqual([['Id'], ['1'], ['2'], ['3']]);
  const between = await desk.tab({ values });
  await between.append('A1:A2', [['2'], ['3']], { insertDataOption: 'INSERT_ROWS' });
  expect(await between.values('A1:A')).toEqual([['Id'], ['1'], ['2'], ['3'], [], ['foot']]);
});

writing('[append.7] a full tab grows', async (desk) => {
  const tab = await desk.tab({ rows: 2, values: [['Id'], ['1']] });
  expect((await tab.append('A1:A', [['2'], ['3']])).status).toBe(200);
  expect((await tab.shown()).properties.gridProperties.rowCount).toBeGreaterThanOrEqual(4);
});

writing('[append.8] how values are meant must be said', async (desk) => {
  const tab = await desk.tab();
  expect(
    (await desk.sheets('POST', `/values/${tab.range('A1')}:append`, { body: { values: ROW } })).status,
  ).toBe(400);
});

writing('[append.9] twice is twice', async (desk) => {
  const tab = await desk.tab({ values: [['Id']] });
  await tab.append('A1:A', [['1']]);
  await tab.append('A1:A', [['1']]);
  expect(await tab.values('A1:A')).toEqual([['Id'], ['1'], ['1']]);
});

const cellsOf = (...texts: string[]) => [
  { values: texts.map((stringValue) => ({ userEnteredValue: { stringValue } })) },
];

writing('[append.10] appendCells goes below the last row with data', async (desk) => {
  const tab = await desk.tab({ values: [['Id'], [], ['', 'far']] });
  await desk.batch({ appendCells: { sheetId: tab.sheetId, rows: cellsOf('1'), fields: 'userEnteredValue' } });
  expect(await tab.values('A1:B')).toEqual([['Id'], [], ['', 'far'], ['1']]);
});

writing('[append.11] several rows are one append', async (desk) => {
  const tab = await desk.tab({ values: [['Id']] });
  const { body } = await tab.append('A1:A', [['1'], ['2'], ['3']]);
  expect(body.updates).toMatchObject({ updatedRange: `${tab.title}!A2:A4`, updatedRows: 3, updatedCells: 3 });
});

writing('[append.12] appendCells makes a full tab grow', async (desk) => {
  const tab = await desk.tab({ rows: 1, values: [['Id']] });
  const request = { sheetId: tab.sheetId, rows: cellsOf('1'), fields: 'userEnteredValue' };
  expect((await desk.batch({ appendCells: request })).status).toBe(200);
  expect(await tab.values('A1:A')).toEqual([['Id'], ['1']]);
});
