import { expect } from 'vitest';
import { messageOf } from '../office/api.ts';
import { needing, reading, writing } from '../office/fact.ts';

const LETTERS = [['a'], ['b'], ['c'], ['d']];

writing(
  '[batches.1][batches.3] when one request fails, none is done, and the message names it',
  async (desk) => {
    const tab = await desk.tab({ values: LETTERS });
    const refused = await desk.batch(
      { deleteDimension: { range: tab.span('ROWS', 0, 1) } },
      { updateCells: { start: { sheetId: 999_999 }, rows: [], fields: '*' } },
    );
    expect([refused.status, messageOf(refused)]).toEqual([
      400,
      'Invalid requests[1].updateCells: No grid with id: 999999',
    ]);
    expect(await tab.values('A1:A')).toEqual(LETTERS);
  },
);

writing('[batches.2][batches.4] each request has a reply, and comments are untouched', async (desk) => {
  const tab = await desk.tab();
  const { body } = await desk.batch(
    { deleteDimension: { range: tab.span('ROWS', 0, 1) } },
    { findReplace: { find: 'x', replacement: 'y', sheetId: tab.sheetId } },
  );
  expect(body.replies).toEqual([{}, { findReplace: {} }]);
  expect(body.commentUpdateState).toBe('NO_UPDATES_REQUESTED');
});

writing('[batches.5] a batch needs a request', async (desk) => {
  expect((await desk.batch()).status).toBe(400);
});

writing('[batches.6] a tab has the title and the size that were asked for', async (desk) => {
  const tab = await desk.tab({ rows: 3, columns: 2 });
  const { properties } = await tab.shown();
  expect(properties).toMatchObject({
    title: tab.title,
    sheetType: 'GRID',
    gridProperties: { rowCount: 3, columnCount: 2 },
  });
});

writing('[batches.7] a title is taken, whatever its case', async (desk) => {
  const tab = await desk.tab();
  expect((await desk.batch({ addSheet: { properties: { title: tab.title.toUpperCase() } } })).status).toBe(
    400,
  );
});

writing('[batches.8] a renamed tab has one name', async (desk) => {
  const tab = await desk.tab({ values: LETTERS });
  const title = `New_${desk.freshId(8)}`;
  const properties = { sheetId: tab.sheetId, title };
  await desk.batch({ updateSheetProperties: { properties, fields: 'title' } });
  expect((await tab.read('A1')).status).toBe(400);
  expect((await desk.sheets('GET', `/values/${title}!A1`)).body.values).toEqual([['a']]);
});

needing('people', '[batches.9] the last tab stays', async (stage) => {
  const tab = await stage.tab();
  const { body } = await stage.sheets('GET');
  const others = body.sheets.map((sheet: { properties: { sheetId: number } }) => sheet.properties.sheetId);
  for (const sheetId of others.filter((id: number) => id !== tab.sheetId))
    expect((await stage.batch({ deleteSheet: { sheetId } })).status).toBe(200);
  expect((await stage.batch({ deleteSheet: { sheetId: tab.sheetId } })).status).toBe(400);
});

needing('people', '[batches.10] a duplicate has the values of its model', async (stage) => {
  const tab = await stage.tab({ values: LETTERS });
  const request = { sourceSheetId: tab.sheetId, newSheetName: 'Copy' };
  expect((await stage.batch({ duplicateSheet: request })).status).toBe(200);
  expect((await stage.sheets('GET', '/values/Copy!A1:A')).body.values).toEqual(LETTERS);
});

needing('people', '[batches.11] a tab of no size has a thousand rows', async (stage) => {
  const { body } = await stage.batch({ addSheet: {} });
  expect(body.replies[0].addSheet.properties.gridProperties).toEqual({ rowCount: 1000, columnCount: 26 });
});

writing('[batches.12] ten million cells are enough', async (desk) => {
  const tab = await desk.tab();
  const refused = await desk.batch({
    appendDimension: { sheetId: tab.sheetId, dimension: 'ROWS', length: 2_000_000 },
  });
  expect(refused.status).toBe(400);
  expect(messageOf(refused)).toContain('above the limit of 10000000 cells');
});

writing('[batches.13] a row comes in between', async (desk) => {
  const tab = await desk.tab({ values: LETTERS });
  await desk.batch({ insertDimension: { range: tab.span('ROWS', 1, 2), inheritFromBefore: true } });
  expect(await tab.values('A1:A')).toEqual([['a'], [], ['b'], ['c'], ['d']]);
});

writing('[batches.14] a row goes', async (desk) => {
  const tab = await desk.tab({ values: LETTERS });
  await desk.batch({ deleteDimension: { range: tab.span('ROWS', 1, 3) } });
  expect(await tab.values('A1:A')).toEqual([['a'], ['d']]);
  expect((await tab.shown()).properties.gridProperties.rowCount).toBe(18);
});

writing('[batches.15] a row moves down and up', async (desk) => {
  const tab = await desk.tab({ values: LETTERS });
  await desk.batch({ moveDimension: { source: tab.span('ROWS', 0, 1), destinationIndex: 3 } });
  expect(await tab.values('A1:A')).toEqual([['b'], ['c'], ['a'], ['d']]);
  await desk.batch({ moveDimension: { source: tab.span('ROWS', 2, 3), destinationIndex: 0 } });
  expect(await tab.values('A1:A')).toEqual(LETTERS);
});

writing('[batches.16] rows come at the end', async (desk) => {
  const tab = await desk.tab();
  await desk.batch({ appendDimension: { sheetId: tab.sheetId, dimension: 'ROWS', length: 5 } });
  expect((await tab.shown()).properties.gridProperties.rowCount).toBe(25);
});

writing('[batches.17] a tab keeps a row', async (desk) => {
  const tab = await desk.tab();
  expect((await desk.batch({ deleteDimension: { range: tab.span('ROWS', 0, 20) } })).status).toBe(400);
});

writing('[batches.18] columns come, move and go', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b', 'c']] });
  await desk.batch({ insertDimension: { range: tab.span('COLUMNS', 1, 2), inheritFromBefore: false } });
  expect(await tab.values('1:1')).toEqual([['a', '', 'b', 'c']]);
  await desk.batch({ moveDimension: { source: tab.span('COLUMNS', 3, 4), destinationIndex: 0 } });
  expect(await tab.values('1:1')).toEqual([['c', 'a', '', 'b']]);
  await desk.batch({ deleteDimension: { range: tab.span('COLUMNS', 2, 3) } });
  expect(await tab.values('1:1')).toEqual([['c', 'a', 'b']]);
});

writing('[batches.19] a range is sorted, and blanks are last both ways', async (desk) => {
  const tab = await desk.tab({ values: [['Name'], ['b'], [''], ['a'], ['c']] });
  const sort = (sortOrder: string) =>
    desk.batch({
      sortRange: { range: tab.grid([1, 5], [0, 1]), sortSpecs: [{ dimensionIndex: 0, sortOrder }] },
    });
  await sort('ASCENDING');
  expect(await tab.values('A1:A')).toEqual([['Name'], ['a'], ['b'], ['c']]);
  await sort('DESCENDING');
  expect(await tab.values('A1:A')).toEqual([['Name'], ['c'], ['b'], ['a']]);
});

writing('[batches.20] what is cut is gone', async (desk) => {
  const tab = await desk.tab({ values: LETTERS });
  const destination = { sheetId: tab.sheetId, rowIndex: 5, columnIndex: 1 };
  await desk.batch({
    cutPaste: { source: tab.grid([0, 1], [0, 1]), destination, pasteType: 'PASTE_NORMAL' },
  });
  expect(await tab.values('A1:B6')).toEqual([[], ['b'], ['c'], ['d'], [], ['', 'a']]);
});

writing('[batches.21] what is copied stays, and fills a larger place', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b']] });
  await desk.batch({
    copyPaste: {
      source: tab.grid([0, 1], [0, 2]),
      destination: tab.grid([1, 3], [0, 2]),
      pasteType: 'PASTE_VALUES',
    },
  });
  expect(await tab.values('A1:B3')).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

writing('[batches.22] cells make room, and close up again', async (desk) => {
  const tab = await desk.tab({
    values: [
      ['a', 'x'],
      ['b', 'y'],
    ],
  });
  const request = { range: tab.grid([0, 1], [0, 1]), shiftDimension: 'ROWS' };
  await desk.batch({ insertRange: request });
  expect(await tab.values('A1:B3')).toEqual([['', 'x'], ['a', 'y'], ['b']]);
  await desk.batch({ deleteRange: request });
  expect(await tab.values('A1:B3')).toEqual([
    ['a', 'x'],
    ['b', 'y'],
  ]);
});

writing('[batches.23] what was found and replaced is counted', async (desk) => {
  const tab = await desk.tab({ values: [['one two'], ['two'], ['three']] });
  const { body } = await desk.batch({
    findReplace: { find: 'two', replacement: '2', sheetId: tab.sheetId },
  });
  expect(body.replies[0].findReplace).toMatchObject({
    occurrencesChanged: 2,
    valuesChanged: 2,
    rowsChanged: 2,
    sheetsChanged: 1,
  });
  expect(await tab.values('A1:A')).toEqual([['one 2'], ['2'], ['three']]);
});

reading('[batches.24] a spreadsheet tells its title, zone and locale', async (desk) => {
  const { body } = await desk.sheets('GET');
  expect(body.spreadsheetId).toBe(desk.spreadsheetId);
  expect(body.properties).toMatchObject({
    title: expect.any(String),
    timeZone: expect.any(String),
    locale: expect.any(String),
  });
});

needing('people', '[batches.24] a spreadsheet gets another zone, not an invented one', async (stage) => {
  const change = (timeZone: string) =>
    stage.batch({ updateSpreadsheetProperties: { properties: { timeZone }, fields: 'timeZone' } });
  expect((await change('Asia/Tokyo')).status).toBe(200);
  expect((await change('Mars/Olympus')).status).toBe(400);
  expect((await stage.sheets('GET')).body.properties.timeZone).toBe('Asia/Tokyo');
});

needing('people', '[batches.28] a spreadsheet gets a zone that has no name', async (stage) => {
  const properties = { timeZone: 'GMT-07:00' };
  const answer = await stage.batch({ updateSpreadsheetProperties: { properties, fields: 'timeZone' } });
  expect(answer.status).toBe(200);
  expect((await stage.sheets('GET')).body.properties.timeZone).toBe('GMT-07:00');
});

writing('[batches.25] a row is frozen', async (desk) => {
  const tab = await desk.tab({ rows: 3 });
  const freeze = (frozenRowCount: number) => {
    const properties = { sheetId: tab.sheetId, gridProperties: { frozenRowCount } };
    return desk.batch({
      updateSheetProperties: { properties, fields: 'gridProperties.frozenRowCount' },
    });
  };
  expect((await freeze(1)).status).toBe(200);
  expect((await tab.shown()).properties.gridProperties.frozenRowCount).toBe(1);
  expect((await freeze(3)).status).toBe(400);
});

writing('[batches.26] a batch shows the spreadsheet when asked', async (desk) => {
  const tab = await desk.tab({ values: LETTERS });
  const { body } = await desk.sheets('POST', ':batchUpdate', {
    body: {
      requests: [{ deleteDimension: { range: tab.span('ROWS', 0, 1) } }],
      includeSpreadsheetInResponse: true,
      responseRanges: [tab.range('A1')],
      responseIncludeGridData: true,
    },
  });
  const [sheet] = body.updatedSpreadsheet.sheets;
  expect(sheet.data[0].rowData[0].values[0].formattedValue).toBe('b');
});

writing('[batches.29][batches.30] a batch shows the cells of each range, by its field mask', async (desk) => {
  const tab = await desk.tab({ values: [['a', 'b'], ['c']] });
  const answer = (fields: string) =>
    desk.sheets('POST', ':batchUpdate', {
      query: { fields },
      body: {
        requests: [{ deleteDimension: { range: tab.span('ROWS', 0, 1) } }],
        includeSpreadsheetInResponse: true,
        responseRanges: [tab.range('1:1'), tab.range('A:A')],
      },
    });
  const sheets = 'updatedSpreadsheet.sheets';
  const { body } = await answer(`${sheets}(properties.sheetId,data(startRow,rowData.values.effectiveValue))`);
  const [sheet] = body.updatedSpreadsheet.sheets;
  expect(sheet.properties.sheetId).toBe(tab.sheetId);
  expect(sheet.data).toHaveLength(2);
  for (const part of sheet.data)
    expect(part.rowData[0].values[0]).toEqual({ effectiveValue: { stringValue: 'c' } });
  const without = await answer(`${sheets}.properties.sheetId`);
  expect(without.body.updatedSpreadsheet.sheets[0]).toEqual({ properties: { sheetId: tab.sheetId } });
});

needing('guess', '[batches.31] a batch shows rows that it has added itself', async (stage) => {
  const tab = await stage.tab({ rows: 2, values: [['a'], ['b']] });
  const { body } = await stage.sheets('POST', ':batchUpdate', {
    query: { fields: 'updatedSpreadsheet.sheets.data(startRow,rowData.values.formattedValue)' },
    body: {
      requests: [
        { appendDimension: { sheetId: tab.sheetId, dimension: 'ROWS', length: 1 } },
        { moveDimension: { source: tab.span('ROWS', 0, 1), destinationIndex: 3 } },
      ],
      includeSpreadsheetInResponse: true,
      responseRanges: [tab.range('A3:A')],
    },
  });
  expect(body.updatedSpreadsheet.sheets[0].data).toEqual([
    { startRow: 2, rowData: [{ values: [{ formattedValue: 'a' }] }] },
  ]);
});

writing('[batches.27] a batch knows no revision', async (desk) => {
  const tab = await desk.tab();
  const requests = [{ deleteDimension: { range: tab.span('ROWS', 0, 1) } }];
  const body = { requests, writeControl: { requiredRevisionId: '1' } };
  expect((await desk.sheets('POST', ':batchUpdate', { body })).status).toBe(400);
});

writing('[batches.32] a row stays below the frozen ones', async (desk) => {
  const tab = await desk.tab({ rows: 3 });
  const properties = { sheetId: tab.sheetId, gridProperties: { frozenRowCount: 1 } };
  await desk.batch({ updateSheetProperties: { properties, fields: 'gridProperties.frozenRowCount' } });
  expect((await desk.batch({ deleteDimension: { range: tab.span('ROWS', 1, 3) } })).status).toBe(400);
  expect((await desk.batch({ deleteDimension: { range: tab.span('ROWS', 1, 2) } })).status).toBe(200);
});

needing('people', '[batches.33] one tab stays visible', async (stage) => {
  const { sheets } = (await stage.sheets('GET')).body;
  const hide = ({ properties: { sheetId } }: { properties: { sheetId: number } }) => ({
    updateSheetProperties: { properties: { sheetId, hidden: true }, fields: 'hidden' },
  });
  expect((await stage.batch(...sheets.map(hide))).status).toBe(400);
});
