import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig({ quotas: { sheetsReadsPerMinutePerUser: 1000, sheetsWritesPerMinutePerUser: 1000 } });
});
afterEach(() => rig.sandbox.close());

const range = (text: string) => `${rig.sheet}/values/${encodeURIComponent(text)}`;
const put = (
  text: string,
  values: unknown[][],
  { option = 'RAW', ...more }: { option?: string } & Record<string, unknown> = {},
) => rig.call('PUT', `${range(text)}?valueInputOption=${option}`, { values, ...more });
const get = async (text: string, query = '') => (await rig.call('GET', `${range(text)}${query}`)).body;
const truth = (tab = 'Sheet1') => rig.sandbox.truth.values(book, tab);

test('a range is echoed with the title plain when it is plain and quoted when not', async () => {
  expect((await get('Sheet1!A1:B2')).range).toBe('Sheet1!A1:B2');
  expect((await get('A1')).range).toBe('Sheet1!A1');
  expect((await get("'My Tab'!A1:B2")).range).toBe("'My Tab'!A1:B2");
  expect((await get('My Tab!B2')).range).toBe("'My Tab'!B2");
});

test('unbounded ranges are echoed with the grid’s bounds', async () => {
  expect((await get('Sheet1')).range).toBe('Sheet1!A1:Z1000');
  expect((await get('Sheet1!A:C')).range).toBe('Sheet1!A1:C1000');
  expect((await get('Sheet1!2:3')).range).toBe('Sheet1!A2:Z3');
  expect((await get('Sheet1!B5:C')).range).toBe('Sheet1!B5:C1000');
  expect((await get('Sheet1!$B$2:C')).range).toBe('Sheet1!B2:C1000');
});

test('a tab that does not exist cannot be parsed', async () => {
  const reply = await rig.call('GET', range('NoSuchTab!A1'));
  expect(reply.body).toEqual({
    error: { code: 400, message: 'Unable to parse range: NoSuchTab!A1', status: 'INVALID_ARGUMENT' },
  });
  for (const text of ['Sheet1!A1:B2:C3', 'Sheet1!', 'Sheet1!A0', "'Sheet1'A1"])
    expect((await rig.call('GET', range(text))).status).toBe(400);
});

test('a range that starts past the grid is refused, one that ends past it is cut', async () => {
  const reply = await rig.call('GET', range('Sheet1!A1001'));
  expect(reply.body.error.message).toBe(
    'Range (Sheet1!A1001) exceeds grid limits. Max rows: 1000, max columns: 26',
  );
  expect((await rig.call('GET', range('Sheet1!AA1'))).status).toBe(400);
  expect((await get('Sheet1!A999:B2000')).range).toBe('Sheet1!A999:B1000');
});

test('an empty range has no values, and blank ends are trimmed while inner blanks stay', async () => {
  expect(await get('Sheet1!A1:C3')).toEqual({ range: 'Sheet1!A1:C3', majorDimension: 'ROWS' });
  await put('A2', [['a', null, 'c', ''], [], ['x']]);
  expect((await get('Sheet1')).values).toEqual([[], ['a', '', 'c'], [], ['x']]);
});

test('columns can be the major dimension', async () => {
  await put('A1', [['a', 'b'], ['c']]);
  expect((await get('A1:B2', '?majorDimension=COLUMNS')).values).toEqual([['a', 'c'], ['b']]);
  await put('C1', [['x', 'y']], { majorDimension: 'COLUMNS' });
  expect(truth()).toEqual([
    ['a', 'b', 'x'],
    ['c', '', 'y'],
  ]);
});

test('an update tells what it has written', async () => {
  const { body } = await put('Sheet1!B2:D4', [
    ['a', null],
    ['b', 'c'],
  ]);
  expect(body).toEqual({
    spreadsheetId: book,
    updatedRange: 'Sheet1!B2:C3',
    updatedRows: 2,
    updatedColumns: 2,
    updatedCells: 3,
  });
});

test('null skips a cell and the empty text clears it', async () => {
  await put('A1', [['a', 'b', 'c']]);
  await put('A1', [[null, '', 'd']]);
  expect(truth()).toEqual([['a', '', 'd']]);
});

test('valueInputOption is required', async () => {
  const reply = await rig.call('PUT', range('A1'), { values: [['x']] });
  expect(reply.body.error.message).toBe("'valueInputOption' is required but not specified");
  expect((await put('A1', [['x']], { option: 'INPUT_VALUE_OPTION_UNSPECIFIED' })).status).toBe(400);
});

test('a range of several cells bounds the data, one cell is only an origin', async () => {
  const reply = await put('A1:B2', [['a'], ['b'], ['c']]);
  expect(reply.body.error.message).toBe(
    "Requested writing within range ['Sheet1'!A1:B2], but tried writing to row [3]",
  );
  expect((await put('A1:B2', [['a', 'b', 'c']])).status).toBe(400);
  expect((await put('A1', [['a'], ['b'], ['c']])).status).toBe(200);
});

test('an update does not grow the grid', async () => {
  const reply = await put("'My Tab'!A10", [['a'], ['b']]);
  expect(reply.body.error.message).toMatch(
    /^Range \('My Tab'!A10:A11\) exceeds grid limits. Max rows: 10, max columns: 5/,
  );
  expect(truth('My Tab')).toEqual([]);
});

test('RAW stores what it is given', async () => {
  await put('A1', [['=1+1', '001', '+15551234567', '2026-05-04', 'TRUE', "'x", 5, true]]);
  expect(truth()).toEqual([['=1+1', '001', '+15551234567', '2026-05-04', 'TRUE', "'x", 5, true]]);
  expect(rig.sandbox.truth.formulas(book, 'Sheet1')[0]?.[0]).toBe('=1+1');
  const [first] = (await get('A1', '?valueRenderOption=UNFORMATTED_VALUE')).values[0];
  expect(first).toBe('=1+1');
});

test('USER_ENTERED reads as if it were typed', async () => {
  await put(
    'A1',
    [['=1+1', '001', '+1 555 123 4567', '1,234.5', 'true', "'001", '12%', '=IMPORTXML("http://x")']],
    { option: 'USER_ENTERED' },
  );
  expect(truth()).toEqual([[2, 1, 15551234567, 1234.5, true, '001', 0.12, '#NAME?']]);
  expect((await get('A1:H1', '?valueRenderOption=FORMULA')).values[0][0]).toBe('=1+1');
  expect((await get('A1:H1')).values[0]).toEqual([
    '2',
    '1',
    '15551234567',
    '1,234.50',
    'TRUE',
    '001',
    '12%',
    '#NAME?',
  ]);
});

test('a typed date is a serial number with a format', async () => {
  await put('A1', [['2026-05-04', '5/4/2026', '10:30', '2026-05-04 12:00']], { option: 'USER_ENTERED' });
  expect(truth()).toEqual([[46146, 46146, 0.4375, 46146.5]]);
  expect((await get('A1:D1')).values[0]).toEqual(['2026-05-04', '5/4/2026', '10:30', '2026-05-04 12:00']);
  const unformatted = '?valueRenderOption=UNFORMATTED_VALUE';
  expect((await get('A1', unformatted)).values).toEqual([[46146]]);
  expect((await get('A1', `${unformatted}&dateTimeRenderOption=FORMATTED_STRING`)).values).toEqual([
    ['2026-05-04'],
  ]);
});

test('in a cell of plain text what is typed stays text', async () => {
  const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 2 };
  const cell = { userEnteredFormat: { numberFormat: { type: 'TEXT' } } };
  await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ repeatCell: { range, cell, fields: 'userEnteredFormat.numberFormat' } }],
  });
  await put('A1', [['001', '=1+1']], { option: 'USER_ENTERED' });
  expect(truth()).toEqual([['001', '=1+1']]);
});

test('number formats show as people read them', async () => {
  const patterns: [number, string, string, string][] = [
    [1234.5, 'NUMBER', '#,##0.00', '1,234.50'],
    [1234.5, 'CURRENCY', '"€"#,##0.00', '€1,234.50'],
    [0.256, 'PERCENT', '0.0%', '25.6%'],
    [7, 'NUMBER', '000', '007'],
    [-3, 'NUMBER', '0', '-3'],
    [46146.75, 'DATE_TIME', 'dd.mm.yyyy hh:mm', '04.05.2026 18:00'],
    [46146, 'DATE', 'ddd, d mmm yy', 'Mon, 4 May 26'],
    [0.5625, 'TIME', 'h:mm am/pm', '1:30 PM'],
  ];
  const values = patterns.map(([numberValue, type, pattern]) => ({
    userEnteredValue: { numberValue },
    userEnteredFormat: { numberFormat: { type, pattern } },
  }));
  await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ updateCells: { start: { sheetId: 0 }, rows: [{ values }], fields: '*' } }],
  });
  expect((await get('A1:H1')).values[0]).toEqual(patterns.map(([, , , shown]) => shown));
});

test('a cell holds at most 50,000 characters', async () => {
  expect((await put('A1', [['x'.repeat(50_000)]])).status).toBe(200);
  const reply = await put('A1', [['x'.repeat(50_001)]]);
  expect(reply.body.error.message).toBe(
    'Your input contains more than the maximum of 50000 characters in a single cell.',
  );
});

test('values are scalars', async () => {
  expect((await put('A1', [[{ a: 1 }]])).body.error.message).toBe('Invalid values[0][0]: struct_value');
  expect((await put('A1', [[['x']]])).status).toBe(400);
});

test('a batch of updates with one bad part writes nothing', async () => {
  const data = [
    { range: 'Sheet1!A1', values: [['a']] },
    { range: 'Nope!A1', values: [['b']] },
  ];
  const reply = await rig.call('POST', `${rig.sheet}/values:batchUpdate`, { valueInputOption: 'RAW', data });
  expect([reply.status, reply.body.error.message]).toEqual([
    400,
    'Invalid data[1]: Unable to parse range: Nope!A1',
  ]);
  const long = await rig.call('POST', `${rig.sheet}/values:batchUpdate`, {
    valueInputOption: 'RAW',
    data: [data[0], { range: 'A2', values: [['x'.repeat(50_001)]] }],
  });
  expect(long.body.error.message).toMatch(/^Invalid data\[1\]: Your input contains more/);
  expect(truth()).toEqual([]);
});

test('a batch of updates sums up what it wrote', async () => {
  const data = [
    { range: 'Sheet1!A1:B1', values: [['a', 'b']] },
    { range: "'My Tab'!A1", values: [['c'], ['d']] },
  ];
  const { body } = await rig.call('POST', `${rig.sheet}/values:batchUpdate`, {
    valueInputOption: 'RAW',
    data,
    includeValuesInResponse: true,
  });
  expect(body).toMatchObject({
    totalUpdatedRows: 3,
    totalUpdatedColumns: 3,
    totalUpdatedCells: 4,
    totalUpdatedSheets: 2,
  });
  expect(body.responses[0]).toMatchObject({
    updatedRange: 'Sheet1!A1:B1',
    updatedData: { range: 'Sheet1!A1:B1', values: [['a', 'b']] },
  });
});

test('several ranges are read at once', async () => {
  await put('A1', [['a', 'b']]);
  const { body } = await rig.call(
    'GET',
    `${rig.sheet}/values:batchGet?ranges=A1&ranges=Sheet1!B:B&valueRenderOption=UNFORMATTED_VALUE`,
  );
  expect(body).toEqual({
    spreadsheetId: book,
    valueRanges: [
      { range: 'Sheet1!A1', majorDimension: 'ROWS', values: [['a']] },
      { range: 'Sheet1!B1:B1000', majorDimension: 'ROWS', values: [['b']] },
    ],
  });
});

test('clear echoes the full range and leaves formats', async () => {
  await put('A1', [['2026-05-04']], { option: 'USER_ENTERED' });
  expect((await rig.call('POST', `${range('Sheet1')}:clear`, {})).body).toEqual({
    spreadsheetId: book,
    clearedRange: 'Sheet1!A1:Z1000',
  });
  await put('A1', [[46147]]);
  expect((await get('A1')).values).toEqual([['2026-05-05']]);
  expect((await rig.call('POST', `${rig.sheet}/values:batchClear`, { ranges: ['A1', 'Nope'] })).status).toBe(
    400,
  );
  expect(truth()).toEqual([[46147]]);
});

test('data filters read and write by grid range and A1', async () => {
  const gridRange = { sheetId: 0, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 };
  const write = await rig.call('POST', `${rig.sheet}/values:batchUpdateByDataFilter`, {
    valueInputOption: 'RAW',
    data: [{ dataFilter: { gridRange }, values: [['a', 'b']] }],
  });
  expect(write.body.responses[0]).toMatchObject({ updatedRange: 'Sheet1!A2:B2', dataFilter: { gridRange } });
  const read = await rig.call('POST', `${rig.sheet}/values:batchGetByDataFilter`, {
    dataFilters: [{ gridRange }, { a1Range: 'Sheet1!A2' }],
  });
  expect(
    read.body.valueRanges.map((one: { valueRange: { values: unknown } }) => one.valueRange.values),
  ).toEqual([[['a', 'b']], [['a']]]);
  const tooMany = await rig.call('POST', `${rig.sheet}/values:batchUpdateByDataFilter`, {
    valueInputOption: 'RAW',
    data: [{ dataFilter: { gridRange }, values: [['a'], ['b']] }],
  });
  expect(tooMany.status).toBe(400);
});

test('a range in the body must be the one in the path', async () => {
  expect((await put('Sheet1!A1', [['x']], { range: 'Sheet1!B1' })).status).toBe(400);
  expect((await put('A1', [['x']], { range: 'Sheet1!A1' })).status).toBe(200);
});

test('If-Match means nothing to a sheet', async () => {
  const call = rig.callWith({ 'if-match': '"1"' });
  const reply = await call('PUT', `${range('A1')}?valueInputOption=RAW`, { values: [['x']] });
  expect(reply.status).toBe(200);
});
