import { expect } from 'vitest';
import { messageOf } from '../office/api.ts';
import { type Desk, Lacking, type Sent } from '../office/desk.ts';
import { writing } from '../office/fact.ts';
import type { Tab } from '../office/tab.ts';

const BOLD = { userEnteredFormat: { textFormat: { bold: true } } };

/** `cell`: the CellData of A1. */
function put(desk: Desk, { sheetId }: Tab, { cell, fields = '*' }: { cell: unknown; fields?: string }) {
  const start = { sheetId, rowIndex: 0, columnIndex: 0 };
  return desk.batch({ updateCells: { start, rows: [{ values: [cell] }], fields } });
}

function number(numberValue: number, numberFormat: unknown) {
  return { userEnteredValue: { numberValue }, userEnteredFormat: { numberFormat } };
}

writing('[cells.1] a stringValue is a text, whatever it says', async (desk) => {
  const tab = await desk.tab();
  await put(desk, tab, { cell: { userEnteredValue: { stringValue: '=1+2' } } });
  expect(await tab.values('A1')).toEqual([['=1+2']]);
});

writing('[cells.2] what the mask does not name stays', async (desk) => {
  const tab = await desk.tab({ values: [['kept']] });
  await put(desk, tab, {
    cell: { ...BOLD, userEnteredValue: { stringValue: 'other' } },
    fields: 'userEnteredFormat',
  });
  const cell = await tab.cell('A1');
  expect([cell.formattedValue, cell.userEnteredFormat.textFormat.bold]).toEqual(['kept', true]);
});

writing('[cells.3] without a mask nothing is written', async (desk) => {
  const tab = await desk.tab();
  const refused = await put(desk, tab, { cell: BOLD, fields: '' });
  expect([refused.status, messageOf(refused)]).toEqual([400, expect.stringContaining("'fields'")]);
});

writing('[cells.4] what the mask names and the cell lacks is cleared', async (desk) => {
  const tab = await desk.tab({ values: [['gone']] });
  await put(desk, tab, { cell: {}, fields: 'userEnteredValue' });
  expect(await tab.values('A1')).toBeUndefined();
});

writing('[cells.5] repeatCell fills a range', async (desk) => {
  const tab = await desk.tab();
  const cell = { userEnteredValue: { stringValue: 'x' } };
  await desk.batch({ repeatCell: { range: tab.grid([0, 2], [0, 2]), cell, fields: 'userEnteredValue' } });
  expect(await tab.values('A1:C3')).toEqual([
    ['x', 'x'],
    ['x', 'x'],
  ]);
});

writing('[cells.6] repeatCell stops where the grid ends', async (desk) => {
  const tab = await desk.tab({ rows: 3 });
  const answer = await desk.batch({
    repeatCell: { range: tab.grid([2, 50], [0, 1]), cell: BOLD, fields: 'userEnteredFormat' },
  });
  expect([answer.status, (await tab.shown()).properties.gridProperties.rowCount]).toEqual([200, 3]);
});

writing('[cells.7] a number reads as its format says, and stays the number', async (desk) => {
  const tab = await desk.tab();
  const format = { type: 'NUMBER', pattern: '#,##0.00' };
  await put(desk, tab, { cell: number(1234.5, format) });
  const cell = await tab.cell('A1');
  expect([cell.formattedValue, cell.effectiveValue]).toEqual(['1,234.50', { numberValue: 1234.5 }]);
  expect(cell.userEnteredFormat.numberFormat).toEqual(format);
});

writing('[cells.8] a date reads as a date', async (desk) => {
  const tab = await desk.tab();
  await put(desk, tab, { cell: number(46_347.5, { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' }) });
  expect(await tab.values('A1')).toEqual([['2026-11-21 12:00']]);
});

writing('[cells.9] money reads with its currency', async (desk) => {
  const tab = await desk.tab();
  await put(desk, tab, { cell: number(1500, { type: 'CURRENCY', pattern: '"CHF "#,##0.00' }) });
  expect(await tab.values('A1')).toEqual([['CHF 1,500.00']]);
});

writing('[cells.10] a pattern without a type is refused', async (desk) => {
  const tab = await desk.tab();
  expect((await put(desk, tab, { cell: number(1, { pattern: '0' }) })).status).toBe(400);
});

writing('[cells.11] a spreadsheet shows its cells when asked', async (desk) => {
  const tab = await desk.tab({ values: [['a']] });
  expect((await tab.shown()).data).toBeUndefined();
  const shown = await tab.shown({ includeGridData: true, ranges: tab.range('A1') });
  expect(shown.data[0].rowData[0].values[0].formattedValue).toBe('a');
});

writing('[cells.12] a mask that names cells asks for them', async (desk) => {
  const tab = await desk.tab({ values: [['a']] });
  expect((await tab.cell('A1')).formattedValue).toBe('a');
});

writing('[cells.13] a cell remembers what may be chosen in it', async (desk) => {
  const tab = await desk.tab({ values: [['a']] });
  const condition = { type: 'ONE_OF_LIST', values: [{ userEnteredValue: 'a' }, { userEnteredValue: 'b' }] };
  const range = tab.grid([0, 1], [0, 1]);
  await desk.batch({ setDataValidation: { range, rule: { condition, strict: true } } });
  expect((await tab.cell('A1')).dataValidation.condition).toEqual(condition);
  await desk.batch({ setDataValidation: { range } });
  expect((await tab.cell('A1')).dataValidation).toBeUndefined();
});

writing('[cells.14] a rule for colours comes and goes', async (desk) => {
  const tab = await desk.tab();
  const condition = { type: 'TEXT_EQ', values: [{ userEnteredValue: 'cancelled' }] };
  const rule = {
    ranges: [tab.grid([0, 5], [0, 1])],
    booleanRule: { condition, format: { textFormat: { strikethrough: true } } },
  };
  await desk.batch({ addConditionalFormatRule: { rule, index: 0 } });
  expect((await tab.shown()).conditionalFormats).toHaveLength(1);
  const { sheetId } = tab;
  expect((await desk.batch({ deleteConditionalFormatRule: { sheetId, index: 0 } })).status).toBe(200);
  expect((await desk.batch({ deleteConditionalFormatRule: { sheetId, index: 0 } })).status).toBe(400);
});

writing('[cells.15] a note lies over a cell', async (desk) => {
  const tab = await desk.tab();
  await put(desk, tab, { cell: { note: 'look' }, fields: 'note' });
  expect((await tab.cell('A1')).note).toBe('look');
});

writing('[cells.16] a word that formats do not know is refused', async (desk) => {
  const tab = await desk.tab();
  const cell = { userEnteredFormat: { wrapStrategy: 'TIGHT' } };
  expect((await put(desk, tab, { cell, fields: 'userEnteredFormat' })).status).toBe(400);
});

writing('[cells.17] a filter is set and cleared', async (desk) => {
  const tab = await desk.tab({ values: [['Name'], ['a']] });
  await desk.batch({ setBasicFilter: { filter: { range: tab.grid([0, 2], [0, 1]) } } });
  expect((await tab.shown()).basicFilter.range).toMatchObject({ sheetId: tab.sheetId, endRowIndex: 2 });
  await desk.batch({ clearBasicFilter: { sheetId: tab.sheetId } });
  expect((await tab.shown()).basicFilter).toBeUndefined();
});

writing('[cells.18] more cells than the range has are refused', async (desk) => {
  const tab = await desk.tab();
  const cell = { userEnteredValue: { stringValue: 'x' } };
  const rows = [{ values: [cell, cell] }];
  const range = tab.grid([0, 1], [0, 1]);
  expect((await desk.batch({ updateCells: { range, rows, fields: 'userEnteredValue' } })).status).toBe(400);
});

writing('[cells.19] nothing is an empty object', async (desk) => {
  const tab = await desk.tab();
  const query = { ranges: tab.range('A1:B2'), includeGridData: true, fields: 'sheets.data.rowData' };
  expect((await desk.sheets('GET', '', { query })).body.sheets[0].data).toEqual([{}]);
});

writing('[cells.20] a note is taken away', async (desk) => {
  const tab = await desk.tab({ values: [['x']] });
  await put(desk, tab, { cell: { note: 'look' }, fields: 'note' });
  await put(desk, tab, { cell: { note: '' }, fields: 'note' });
  expect(await tab.cell('A1')).not.toHaveProperty('note');
});

writing('[cells.21] a colour is rounded', async (desk) => {
  const tab = await desk.tab();
  const color = { red: 0.123456, green: 0.5, blue: 1 };
  await put(desk, tab, { cell: { userEnteredFormat: { backgroundColor: color } } });
  const { red, green, blue } = (await tab.cell('A1')).userEnteredFormat.backgroundColor;
  for (const channel of [red, green, blue]) {
    expect(Math.abs(channel * 255 - Math.round(channel * 255))).toBeLessThan(0.001);
  }
  expect([red, green, blue].map((channel) => Math.round(channel * 255))).toEqual([
    31,
    expect.toSatisfy((step) => step === 127 || step === 128),
    255,
  ]);
});

writing('[cells.22] a range names its tab', async (desk) => {
  const tab = await desk.tab();
  const filter = (sheetId: number) => ({
    setBasicFilter: { filter: { range: { sheetId, endRowIndex: 2 } } },
  });
  const { body } = await desk.sheets('GET', '', { query: { fields: 'sheets.properties.sheetId' } });
  const ids = body.sheets.map((sheet: Sent) => sheet.properties.sheetId ?? 0);
  if (!ids.includes(0)) throw new Lacking('the first tab was deleted');
  for (const sheetId of [0, tab.sheetId]) await desk.batch(filter(sheetId));
  const query = { fields: 'sheets(properties.sheetId,basicFilter.range)' };
  const shown = (await desk.sheets('GET', '', { query })).body.sheets;
  await desk.batch({ clearBasicFilter: { sheetId: 0 } });
  const ranged = shown.filter((sheet: Sent) => [0, tab.sheetId].includes(sheet.properties.sheetId ?? 0));
  expect(ranged.map((sheet: Sent) => sheet.basicFilter.range.sheetId)).toEqual([undefined, tab.sheetId]);
});
