import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, type Rig, startRig, worker } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig({ quotas: { sheetsReadsPerMinutePerUser: 1000, sheetsWritesPerMinutePerUser: 1000 } });
});
afterEach(() => rig.sandbox.close());

const batch = (...requests: unknown[]) => rig.call('POST', `${rig.sheet}:batchUpdate`, { requests });
const truth = (tab = 'Sheet1') => rig.sandbox.truth.values(book, tab);
const fill = (values: unknown[][]) =>
  rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, { values });
const text = (stringValue: string) => ({ userEnteredValue: { stringValue } });
const rows = (...given: unknown[][]) => given.map((values) => ({ values }));
const start = { sheetId: 0, rowIndex: 0, columnIndex: 0 };
const grid = async (tab = 0) =>
  (await rig.call('GET', `${rig.sheet}?fields=sheets.properties`)).body.sheets[tab].properties;

test('replies mirror requests', async () => {
  const { body } = await batch(
    { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 5 } },
    { addSheet: { properties: { title: 'New' } } },
  );
  expect(body).toMatchObject({
    spreadsheetId: book,
    commentUpdateState: 'NO_UPDATES_REQUESTED',
    replies: [
      {},
      {
        addSheet: {
          properties: { title: 'New', index: 2, gridProperties: { rowCount: 1000, columnCount: 26 } },
        },
      },
    ],
  });
});

test('one bad request undoes those before it', async () => {
  const reply = await batch(
    { addSheet: { properties: { title: 'New' } } },
    { updateCells: { start, rows: rows([text('x')]), fields: '*' } },
    { updateCells: { start: { sheetId: 999999 }, rows: [], fields: '*' } },
  );
  expect(reply.body.error.message).toBe('Invalid requests[2].updateCells: No grid with id: 999999');
  expect(rig.sandbox.truth.tabs(book)).toEqual(['Sheet1', 'My Tab']);
  expect(truth()).toEqual([]);
});

test('requests are performed in their order', async () => {
  await batch(
    { updateCells: { start, rows: rows([text('a')]), fields: 'userEnteredValue' } },
    { insertDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 1 } } },
  );
  expect(truth()).toEqual([[], ['a']]);
});

test('a new value erases the runs of the former one, and chips stand at an @', async () => {
  const person = { chip: { personProperties: { email: 'anna@clinic.example' } } };
  const chip = { userEnteredValue: { stringValue: '@' }, chipRuns: [person] };
  const write = (cell: unknown, fields: string) =>
    batch({ updateCells: { start, rows: rows([cell]), fields } });
  const runs = async () =>
    (await rig.call('GET', `${rig.sheet}?fields=sheets.data.rowData.values.chipRuns&ranges=A1`)).body
      .sheets[0];
  await write(chip, 'chipRuns,userEnteredValue');
  expect(JSON.stringify(await runs())).toContain('anna@clinic.example');
  await write(text('Anna'), 'userEnteredValue');
  expect(JSON.stringify(await runs())).not.toContain('anna@clinic.example');
  const place = { chip: { richLinkProperties: { uri: 'https://maps.google.com/x' } } };
  for (const refused of [
    { ...chip, ...text('Anna') },
    { ...chip, chipRuns: [place] },
  ])
    expect(await write(refused, 'userEnteredValue,chipRuns')).toMatchObject({ status: 400 });
});

test('a rule of a table column is a list of a column of drop-downs', async () => {
  const rule = (type: string) => ({ condition: { type, values: [{ userEnteredValue: 'a' }] } });
  const table = (columnType: string, type: string) => ({
    addTable: {
      table: {
        name: `${columnType} ${type}`,
        range: { sheetId: 0, startRowIndex: 0, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 2 },
        columnProperties: [{ columnName: 'A', columnType, dataValidationRule: rule(type) }],
      },
    },
  });
  expect(await batch(table('TEXT', 'ONE_OF_LIST'))).toMatchObject({ status: 400 });
  expect(await batch(table('DROPDOWN', 'TEXT_CONTAINS'))).toMatchObject({ status: 400 });
  expect(await batch(table('DROPDOWN', 'ONE_OF_LIST'))).toMatchObject({ status: 200 });
});

test('a stringValue is text, whatever it says', async () => {
  await batch({
    updateCells: {
      start,
      rows: rows([
        text('=1+1'),
        text('001'),
        { userEnteredValue: { formulaValue: '=1+1' } },
        { userEnteredValue: { numberValue: 1.5 } },
        { userEnteredValue: { boolValue: false } },
      ]),
      fields: '*',
    },
  });
  expect(truth()).toEqual([['=1+1', '001', 2, 1.5, false]]);
  expect(rig.sandbox.truth.formulas(book, 'Sheet1')[0]).toEqual(['=1+1', '001', '=1+1', 1.5, false]);
});

test('only the masked fields are written, and what they lack is cleared', async () => {
  const numberFormat = { type: 'DATE', pattern: 'yyyy-mm-dd' };
  await batch({
    updateCells: {
      start,
      rows: rows([
        {
          userEnteredValue: { numberValue: 46146 },
          userEnteredFormat: { numberFormat, textFormat: { bold: true } },
          note: 'n',
        },
      ]),
      fields: '*',
    },
  });
  await batch({
    updateCells: {
      start,
      rows: rows([{ userEnteredValue: { numberValue: 46147 }, note: 'lost' }]),
      fields: 'userEnteredValue',
    },
  });
  await batch({
    updateCells: {
      start,
      rows: rows([{ userEnteredFormat: { numberFormat: { type: 'DATE', pattern: 'd.m.yyyy' } } }]),
      fields: 'userEnteredFormat.numberFormat',
    },
  });
  const { body } = await rig.call('GET', `${rig.sheet}?ranges=A1&fields=sheets.data.rowData.values`);
  expect(body.sheets[0].data[0].rowData[0].values[0]).toMatchObject({
    userEnteredValue: { numberValue: 46147 },
    formattedValue: '5.5.2026',
    userEnteredFormat: { numberFormat: { type: 'DATE', pattern: 'd.m.yyyy' }, textFormat: { bold: true } },
    note: 'n',
  });
  await batch({ updateCells: { start, rows: rows([{}]), fields: 'userEnteredValue' } });
  expect(truth()).toEqual([]);
});

test('a field mask is required and must name fields that exist', async () => {
  expect((await batch({ updateCells: { start, rows: rows([text('x')]) } })).body.error.message).toBe(
    "Invalid requests[0].updateCells: At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)",
  );
  expect((await batch({ updateCells: { start, rows: rows([text('x')]), fields: 'value' } })).status).toBe(
    400,
  );
  expect((await batch({ updateCells: { rows: rows([text('x')]), fields: '*' } })).status).toBe(400);
});

test('with a range, what the rows do not reach is cleared', async () => {
  await fill([
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f'],
  ]);
  const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 };
  await batch({ updateCells: { range, rows: rows([text('x')]), fields: 'userEnteredValue' } });
  expect(truth()).toEqual([['x'], [], ['e', 'f']]);
});

test('cells cannot be written past the range or the grid', async () => {
  const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 1 };
  expect(
    (await batch({ updateCells: { range, rows: rows([text('a')], [text('b')]), fields: '*' } })).body.error
      .message,
  ).toMatch(/Attempting to write row: 1, beyond the last requested row of: 0/);
  expect(
    (await batch({ updateCells: { range, rows: rows([text('a'), text('b')]), fields: '*' } })).body.error
      .message,
  ).toMatch(/Attempting to write column: 1/);
  expect(
    (
      await batch({
        updateCells: { start: { sheetId: 0, rowIndex: 1000 }, rows: rows([text('a')]), fields: '*' },
      })
    ).status,
  ).toBe(400);
});

test('appended cells go below the last row with data and grow the grid', async () => {
  await fill([['a'], [], ['b']]);
  await batch({
    appendCells: { sheetId: 0, rows: rows([text('c'), text('d')]), fields: 'userEnteredValue' },
  });
  expect(truth()).toEqual([['a'], [], ['b'], ['c', 'd']]);
  const many = Array.from({ length: 1000 }, () => ({ values: [text('x')] }));
  await batch({ appendCells: { sheetId: 0, rows: many, fields: '*' } });
  expect((await grid()).gridProperties.rowCount).toBe(1004);
});

test('rows are inserted and deleted', async () => {
  await fill([['a'], ['b'], ['c']]);
  await batch({
    insertDimension: {
      range: { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 3 },
      inheritFromBefore: true,
    },
  });
  expect(truth()).toEqual([['a'], [], [], ['b'], ['c']]);
  await batch({ deleteDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 3 } } });
  expect(truth()).toEqual([['b'], ['c']]);
  expect((await grid()).gridProperties.rowCount).toBe(999);
});

test('inheriting from before needs something before', async () => {
  const range = { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 1 };
  expect((await batch({ insertDimension: { range, inheritFromBefore: true } })).status).toBe(400);
  expect(
    (await batch({ insertDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0 } } })).status,
  ).toBe(400);
  expect((await batch({ deleteDimension: { range: { sheetId: 0, dimension: 'ROWS' } } })).status).toBe(400);
});

test('a move counts its destination before the move', async () => {
  await fill([[0], [1], [2], [3], [4]]);
  await batch({
    moveDimension: {
      source: { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 3 },
      destinationIndex: 4,
    },
  });
  expect(truth()).toEqual([[0], [3], [1], [2], [4]]);
});

test('columns move with their cells', async () => {
  await fill([
    ['a', 'b', 'c'],
    [1, 2, 3],
  ]);
  await batch({
    moveDimension: {
      source: { sheetId: 0, dimension: 'COLUMNS', startIndex: 0, endIndex: 1 },
      destinationIndex: 3,
    },
  });
  expect(truth()).toEqual([
    ['b', 'c', 'a'],
    [2, 3, 1],
  ]);
});

test('a sort puts numbers before texts and blanks last, either way', async () => {
  await fill([['b'], [10], [''], ['a'], [9]]);
  const range = { sheetId: 0 };
  await batch({ sortRange: { range, sortSpecs: [{ dimensionIndex: 0, sortOrder: 'ASCENDING' }] } });
  expect(truth()).toEqual([[9], [10], ['a'], ['b']]);
  await batch({ sortRange: { range, sortSpecs: [{ dimensionIndex: 0, sortOrder: 'DESCENDING' }] } });
  expect(truth()).toEqual([['b'], ['a'], [10], [9]]);
});

test('a sort of some columns leaves the others', async () => {
  await fill([
    ['b', 1],
    ['a', 2],
  ]);
  await batch({
    sortRange: {
      range: { sheetId: 0, startColumnIndex: 0, endColumnIndex: 1 },
      sortSpecs: [{ dimensionIndex: 0, sortOrder: 'ASCENDING' }],
    },
  });
  expect(truth()).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

test('a repeated cell may end outside the grid, which does not grow', async () => {
  const range = { sheetId: 0, startRowIndex: 998, endRowIndex: 1005, startColumnIndex: 0, endColumnIndex: 1 };
  expect((await batch({ repeatCell: { range, cell: text('x'), fields: 'userEnteredValue' } })).status).toBe(
    200,
  );
  expect(truth()).toHaveLength(1000);
  expect((await grid()).gridProperties.rowCount).toBe(1000);
});

test('titles are unique, and the last visible sheet stays', async () => {
  expect((await batch({ addSheet: { properties: { title: 'sheet1' } } })).body.error.message).toMatch(
    /A sheet with the name "sheet1" already exists. Please enter another name./,
  );
  const second = (await grid(1)).sheetId;
  expect((await batch({ deleteSheet: { sheetId: second } })).status).toBe(200);
  expect((await batch({ deleteSheet: { sheetId: 0 } })).status).toBe(400);
});

test('properties of a sheet change as masked', async () => {
  await batch({
    updateSheetProperties: {
      properties: { sheetId: 0, title: 'Contacts', gridProperties: { frozenRowCount: 1, rowCount: 2 } },
      fields: 'title,gridProperties.frozenRowCount',
    },
  });
  expect(await grid()).toMatchObject({
    title: 'Contacts',
    gridProperties: { rowCount: 1000, frozenRowCount: 1 },
  });
  expect((await batch({ updateSheetProperties: { properties: { sheetId: 0, title: 'x' } } })).status).toBe(
    400,
  );
});

test('a workbook holds ten million cells', async () => {
  const reply = await batch({ appendDimension: { sheetId: 0, dimension: 'ROWS', length: 400_000 } });
  expect(reply.body.error.message).toBe(
    'This action would increase the number of cells in the workbook above the limit of 10000000 cells.',
  );
  expect((await grid()).gridProperties.rowCount).toBe(1000);
});

test('the spreadsheet can come with the answer', async () => {
  const { body } = await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ updateCells: { start, rows: rows([text('x')]), fields: '*' } }],
    includeSpreadsheetInResponse: true,
    responseIncludeGridData: true,
    responseRanges: ['Sheet1!A1:B2'],
  });
  expect(body.updatedSpreadsheet.sheets).toHaveLength(1);
  expect(body.updatedSpreadsheet.sheets[0].data[0].rowData[0].values[0].formattedValue).toBe('x');
});

test('a field mask chooses what comes with the answer, cells included', async () => {
  const write = (fields: string, isAsked = false) =>
    rig.call('POST', `${rig.sheet}:batchUpdate?fields=${encodeURIComponent(fields)}`, {
      requests: [
        {
          updateCells: {
            start,
            rows: rows([text('x'), { userEnteredValue: { boolValue: true } }]),
            fields: '*',
          },
        },
      ],
      includeSpreadsheetInResponse: true,
      responseIncludeGridData: isAsked,
      responseRanges: ['Sheet1!A1:B2', 'Sheet1!B:B'],
    });
  const cells =
    'updatedSpreadsheet.sheets(properties.sheetId,data(startColumn,rowData.values.effectiveValue))';
  const shown = {
    properties: { sheetId: 0 },
    data: [
      {
        rowData: [
          { values: [{ effectiveValue: { stringValue: 'x' } }, { effectiveValue: { boolValue: true } }] },
        ],
      },
      { startColumn: 1, rowData: [{ values: [{ effectiveValue: { boolValue: true } }] }] },
    ],
  };
  expect((await write(cells)).body).toEqual({ updatedSpreadsheet: { sheets: [shown] } });
  const withoutCells = await write('updatedSpreadsheet.sheets.properties.sheetId', true);
  expect(withoutCells.body).toEqual({ updatedSpreadsheet: { sheets: [{ properties: { sheetId: 0 } }] } });
});

test('a range of the answer on a tab that is not there is refused', async () => {
  const { status } = await rig.call('POST', `${rig.sheet}:batchUpdate`, {
    requests: [{ updateCells: { start, rows: rows([text('x')]), fields: '*' } }],
    includeSpreadsheetInResponse: true,
    responseRanges: ['Gone!A1'],
  });
  expect(status).toBe(400);
});

test('an empty batch is refused', async () => {
  expect((await batch()).body.error.message).toBe('Must specify at least one request.');
});

test('a protected range stops who is not its editor', async () => {
  rig.sandbox.staff.sheets.protectRange({ spreadsheetId: book, tab: 'Sheet1', range: 'A:A' });
  const message =
    'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if you need to edit.';
  expect((await fill([['x']])).body.error).toEqual({ code: 400, message, status: 'INVALID_ARGUMENT' });
  const values = await rig.call('POST', `${rig.sheet}/values:batchUpdate`, {
    valueInputOption: 'RAW',
    data: [{ range: 'A1', values: [['x']] }],
  });
  expect(values.body.error.message).toBe(`Invalid data[0]: ${message}`);
  expect(
    (await batch({ updateCells: { start, rows: rows([text('x')]), fields: '*' } })).body.error.message,
  ).toBe(`Invalid requests[0].updateCells: ${message}`);
  expect(
    (await rig.call('PUT', `${rig.sheet}/values/B1?valueInputOption=RAW`, { values: [['x']] })).status,
  ).toBe(200);
});

test('editors, warnings and one’s own protection do not stop', async () => {
  rig.sandbox.staff.sheets.protectRange({
    spreadsheetId: book,
    tab: 'Sheet1',
    range: 'A1:A5',
    editors: [worker],
  });
  rig.sandbox.staff.sheets.protectRange({ spreadsheetId: book, tab: 'Sheet1', warningOnly: true });
  const own = await batch({
    addProtectedRange: { protectedRange: { range: { sheetId: 0, startRowIndex: 0, endRowIndex: 1 } } },
  });
  expect(own.body.replies[0].addProtectedRange.protectedRange.editors.users).toEqual([worker]);
  expect((await fill([['x']])).status).toBe(200);
});

test('a protected range moves with its rows', async () => {
  rig.sandbox.staff.sheets.protectRange({ spreadsheetId: book, tab: 'Sheet1', range: '1:1' });
  rig.sandbox.staff.sheets.insertRow({ spreadsheetId: book, tab: 'Sheet1', row: 1 });
  expect((await fill([['x']])).status).toBe(200);
  expect((await fill([['x'], ['y']])).status).toBe(400);
});

test('a drop-down from a range needs one that exists, follows its tab, and is lost with it', async () => {
  const ruled = (...values: string[]) => ({
    setDataValidation: {
      range: { sheetId: 0, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 1 },
      rule: {
        condition: { type: 'ONE_OF_RANGE', values: values.map((userEnteredValue) => ({ userEnteredValue })) },
      },
      filteredRowsIncluded: true,
    },
  });
  const rule = async () => {
    const fields = 'sheets.data.rowData.values.dataValidation.condition.values';
    const { body } = await rig.call('GET', `${rig.sheet}?ranges=Sheet1!A2&fields=${fields}`);
    return body.sheets[0].data[0].rowData[0].values[0].dataValidation.condition.values[0].userEnteredValue;
  };
  expect((await batch(ruled("='Our lists'!$A$2:$A$9"))).status).toBe(400);
  const listTab = { addSheet: { properties: { title: 'Our lists', sheetId: 77, hidden: true } } };
  expect((await batch(listTab, ruled("='Our lists'!$A$2:$A$9"))).status).toBe(200);
  expect((await batch(ruled())).status).toBe(400);
  expect((await batch(listTab)).status).toBe(400);
  await batch({ updateSheetProperties: { properties: { sheetId: 77, title: 'Lists' }, fields: 'title' } });
  expect(await rule()).toBe('=Lists!$A$2:$A$9');
  await batch({ deleteSheet: { sheetId: 77 } });
  expect(await rule()).toBe('=#REF!');
});
