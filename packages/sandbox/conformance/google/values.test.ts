import { expect } from 'vitest';
import { messageOf } from '../office/api.ts';
import { needing, writing } from '../office/fact.ts';

const CELL_CHARS_MAX = 50_000;

writing('[values.1] how values are meant must be said', async (desk) => {
  const tab = await desk.tab();
  const path = `/values/${tab.range('A1')}`;
  expect((await desk.sheets('PUT', path, { body: { values: [['a']] } })).status).toBe(400);
  const body = { data: [{ range: tab.range('A1'), values: [['a']] }] };
  expect((await desk.sheets('POST', '/values:batchUpdate', { body })).status).toBe(400);
});

writing('[values.2] RAW keeps a formula a text', async (desk) => {
  const tab = await desk.tab();
  await tab.write('A1', [['=1+2', '001', '+1 555 0100', '2026-11-21', 'TRUE']]);
  const kept = [['=1+2', '001', '+1 555 0100', '2026-11-21', 'TRUE']];
  expect(await tab.values('A1:E1', 'UNFORMATTED_VALUE')).toEqual(kept);
  expect((await tab.cell('A1')).userEnteredValue).toEqual({ stringValue: '=1+2' });
});

writing('[values.3] USER_ENTERED reads numbers, booleans and dates', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [['1.5', 'TRUE', '11/21/2026', '50%', 'plain']]);
  expect(await tab.values('A1:E1', 'UNFORMATTED_VALUE')).toEqual([[1.5, true, 46_347, 0.5, 'plain']]);
});

writing('[values.4] USER_ENTERED spoils phone numbers and leading zeros', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [['+15550100', '001']]);
  expect(await tab.values('A1:B1', 'UNFORMATTED_VALUE')).toEqual([[15_550_100, 1]]);
});

writing('[values.5] USER_ENTERED runs a formula', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [['=2+3']]);
  expect((await tab.cell('A1')).userEnteredValue).toEqual({ formulaValue: '=2+3' });
  expect(await tab.values('A1', 'UNFORMATTED_VALUE')).toEqual([[5]]);
});

writing('[values.6] after an apostrophe everything is text', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [["'=1+2", "'001"]]);
  expect(await tab.values('A1:B1', 'UNFORMATTED_VALUE')).toEqual([['=1+2', '001']]);
});

writing('[values.7] RAW keeps numbers and booleans', async (desk) => {
  const tab = await desk.tab({ values: [[1, 0.1, true, false]] });
  expect(await tab.values('A1:D1', 'UNFORMATTED_VALUE')).toEqual([[1, 0.1, true, false]]);
});

writing('[values.8] null leaves a cell, the empty text clears it', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b', 'c']] });
  await tab.write('A1', [[null, '', 'C']]);
  expect(await tab.values('A1:C1')).toEqual([['a', '', 'C']]);
});

writing('[values.9] an update tells what it touched', async (desk) => {
  const tab = await desk.tab();
  const { body } = await tab.write('B2', [
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f'],
  ]);
  expect(body).toEqual({
    spreadsheetId: desk.spreadsheetId,
    updatedRange: `${tab.title}!B2:C4`,
    updatedRows: 3,
    updatedColumns: 2,
    updatedCells: 6,
  });
});

writing('[values.10] a range is a fence, a cell is an origin', async (desk) => {
  const tab = await desk.tab();
  const two = [['a'], ['b'], ['c']];
  const refused = await tab.write('A1:A2', two);
  expect(refused.status).toBe(400);
  expect(messageOf(refused)).toContain('but tried writing to row [3]');
  expect(messageOf(await tab.write('A1:A2', [['a', 'b']]))).toContain('tried writing to column [B]');
  expect((await tab.write('A1', two)).body.updatedRows).toBe(3);
});

writing('[values.11] an update stays within the grid', async (desk) => {
  const tab = await desk.tab({ rows: 2 });
  expect((await tab.write('A2', [['a'], ['b']])).status).toBe(400);
  expect((await tab.shown()).properties.gridProperties.rowCount).toBe(2);
});

writing('[values.12] a cell takes fifty thousand characters', async (desk) => {
  const tab = await desk.tab();
  expect((await tab.write('A1', [['x'.repeat(CELL_CHARS_MAX)]])).status).toBe(200);
  const refused = await tab.write('A1', [['x'.repeat(CELL_CHARS_MAX + 1)]]);
  expect(refused.status).toBe(400);
  expect(messageOf(refused)).toContain('more than the maximum of 50000 characters in a single cell');
});

writing('[values.13][values.14] one bad range, and nothing is written', async (desk) => {
  const tab = await desk.tab();
  const data = [
    { range: tab.range('A1'), values: [['a']] },
    { range: 'NoSuchTab!A1', values: [['b']] },
  ];
  const refused = await desk.sheets('POST', '/values:batchUpdate', {
    body: { valueInputOption: 'RAW', data },
  });
  expect([refused.status, messageOf(refused)]).toEqual([
    400,
    'Invalid data[1]: Unable to parse range: NoSuchTab!A1',
  ]);
  expect(await tab.values('A1')).toBeUndefined();
});

writing('[values.15] a batch sums up', async (desk) => {
  const tab = await desk.tab();
  const data = [
    { range: tab.range('A1'), values: [['a', 'b']] },
    { range: tab.range('A2'), values: [['c', 'd']] },
  ];
  const { body } = await desk.sheets('POST', '/values:batchUpdate', {
    body: { valueInputOption: 'RAW', data },
  });
  expect(body).toMatchObject({
    totalUpdatedRows: 2,
    totalUpdatedColumns: 2,
    totalUpdatedCells: 4,
    totalUpdatedSheets: 1,
  });
  expect(body.responses).toHaveLength(2);
});

writing('[values.16] columns are written as columns', async (desk) => {
  const tab = await desk.tab();
  const body = { majorDimension: 'COLUMNS', values: [['a', 'b'], ['c']] };
  await desk.sheets('PUT', `/values/${tab.range('A1')}`, { query: { valueInputOption: 'RAW' }, body });
  expect(await tab.values('A1:B2')).toEqual([['a', 'c'], ['b']]);
});

writing('[values.17] clear tells what it cleared', async (desk) => {
  const tab = await desk.tab({
    values: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
  const part = await desk.sheets('POST', `/values/${tab.range('A1:A2')}:clear`, { body: {} });
  expect(part.body.clearedRange).toBe(`${tab.title}!A1:A2`);
  expect(await tab.values('A1:B2')).toEqual([
    ['', 'b'],
    ['', 'd'],
  ]);
  const whole = await desk.sheets('POST', `/values/${tab.range('')}:clear`, { body: {} });
  expect(whole.body.clearedRange).toBe(`${tab.title}!A1:H20`);
});

writing('[values.18] clear leaves the format', async (desk) => {
  const tab = await desk.tab({ values: [['a']] });
  const cell = { userEnteredFormat: { textFormat: { bold: true } } };
  await desk.batch({ repeatCell: { range: tab.grid([0, 1], [0, 1]), cell, fields: 'userEnteredFormat' } });
  await desk.sheets('POST', `/values/${tab.range('A1')}:clear`, { body: {} });
  const held = await tab.cell('A1');
  expect([held.userEnteredValue, held.userEnteredFormat.textFormat.bold]).toEqual([undefined, true]);
});

writing('[values.19] an answer shows what stands there now', async (desk) => {
  const tab = await desk.tab();
  const query = { includeValuesInResponse: true, responseValueRenderOption: 'UNFORMATTED_VALUE' };
  const { body } = await tab.write('A1', [['a', 7]], query);
  expect(body.updatedData.values).toEqual([['a', 7]]);
});

writing('[values.20] path and body name the same range', async (desk) => {
  const tab = await desk.tab();
  const body = { range: tab.range('B1'), values: [['a']] };
  const query = { valueInputOption: 'RAW' };
  expect((await desk.sheets('PUT', `/values/${tab.range('A1')}`, { query, body })).status).toBe(400);
});

writing('[values.21] a precondition is ignored', async (desk) => {
  const tab = await desk.tab({ values: [['a']] });
  const answer = await desk.sheets('PUT', `/values/${tab.range('A1')}`, {
    query: { valueInputOption: 'RAW' },
    headers: { 'If-Match': '"1"' },
    body: { values: [['b']] },
  });
  expect([answer.status, await tab.values('A1')]).toEqual([200, [['b']]]);
  expect((await tab.read('A1')).headers.get('etag')).toBeNull();
});

writing('[values.22] a list is no value', async (desk) => {
  const tab = await desk.tab();
  for (const bad of [['a'], { a: 1 }]) expect((await tab.write('A1', [[bad]])).status).toBe(400);
});

writing('[values.23] several ranges are cleared at once', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b', 'c']] });
  const ranges = [tab.range('A1'), tab.range('C1')];
  const { body } = await desk.sheets('POST', '/values:batchClear', { body: { ranges } });
  expect(body.clearedRanges).toEqual(ranges);
  expect(await tab.values('A1:C1')).toEqual([['', 'b']]);
});

needing('guess', '[values.24] in a cell of plain text typing makes text', async (stage) => {
  const tab = await stage.tab();
  const cell = { userEnteredFormat: { numberFormat: { type: 'TEXT' } } };
  await stage.batch({ repeatCell: { range: tab.grid([0, 1], [0, 1]), cell, fields: 'userEnteredFormat' } });
  await tab.type('A1', [['001']]);
  expect(await tab.values('A1', 'UNFORMATTED_VALUE')).toEqual([['001']]);
});

writing('[values.25] a number in groups reads in groups', async (desk) => {
  const tab = await desk.tab();
  await tab.type('A1', [['2,000,000.01']]);
  expect(await tab.values('A1', 'UNFORMATTED_VALUE')).toEqual([[2_000_000.01]]);
  expect((await tab.cell('A1')).userEnteredFormat.numberFormat).toEqual({
    type: 'NUMBER',
    pattern: '#,##0.00',
  });
});

writing('[values.26] a flag with a capital letter counts', async (desk) => {
  const tab = await desk.tab();
  const answer = await tab.write('A1', [['x']], { includeValuesInResponse: 'False' });
  expect([answer.status, answer.body.updatedData]).toEqual([200, undefined]);
});
