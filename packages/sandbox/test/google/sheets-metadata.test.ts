import { afterEach, beforeEach, expect, test } from 'vitest';
import { book, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig({ quotas: { sheetsReadsPerMinutePerUser: 1000, sheetsWritesPerMinutePerUser: 1000 } });
  await rig.call('PUT', `${rig.sheet}/values/A1?valueInputOption=RAW`, {
    values: [['id'], ['c'], ['a'], ['b']],
  });
});
afterEach(() => rig.sandbox.close());

const batch = (...requests: unknown[]) => rig.call('POST', `${rig.sheet}:batchUpdate`, { requests });
const row = (index: number) => ({
  dimensionRange: { sheetId: 0, dimension: 'ROWS', startIndex: index, endIndex: index + 1 },
});
const tag = (metadataValue: string, location: unknown, metadataKey = 'k') => ({
  createDeveloperMetadata: {
    developerMetadata: { metadataKey, metadataValue, location, visibility: 'DOCUMENT' },
  },
});
const find = async (lookup: Record<string, unknown>) =>
  (
    await rig.call('POST', `${rig.sheet}/values:batchGetByDataFilter`, {
      dataFilters: [{ developerMetadataLookup: lookup }],
    })
  ).body.valueRanges.map((one: { valueRange: { range: string; values?: unknown[][] } }) => one.valueRange);

test('metadata finds its row', async () => {
  const { body } = await batch(tag('7', row(2)));
  expect(body.replies[0].createDeveloperMetadata.developerMetadata).toMatchObject({
    metadataKey: 'k',
    metadataValue: '7',
    location: { locationType: 'ROW', dimensionRange: { startIndex: 2, endIndex: 3 } },
  });
  expect(await find({ metadataKey: 'k', metadataValue: '7' })).toEqual([
    { range: 'Sheet1!A3:Z3', majorDimension: 'ROWS', values: [['a']] },
  ]);
  expect(await find({ metadataKey: 'other' })).toEqual([]);
});

test('metadata follows its row through sorting, inserting and moving', async () => {
  await batch(tag('7', row(1)));
  rig.sandbox.staff.sheets.sortTab({ spreadsheetId: book, tab: 'Sheet1', column: 'id' });
  rig.sandbox.staff.sheets.insertRow({ spreadsheetId: book, tab: 'Sheet1', row: 1 });
  rig.sandbox.staff.sheets.moveRow({ spreadsheetId: book, tab: 'Sheet1', row: 5, before: 3 });
  expect(await find({ metadataKey: 'k' })).toEqual([
    { range: 'Sheet1!A3:Z3', majorDimension: 'ROWS', values: [['c']] },
  ]);
});

test('with its row metadata is deleted', async () => {
  await batch(tag('7', row(1)));
  rig.sandbox.staff.sheets.deleteRow({ spreadsheetId: book, tab: 'Sheet1', row: 2 });
  expect(rig.sandbox.truth.developerMetadata(book)).toEqual([]);
});

test('cutting a row leaves its metadata behind, duplicating copies none', async () => {
  await batch(tag('7', row(1)));
  rig.sandbox.staff.sheets.duplicateRow({ spreadsheetId: book, tab: 'Sheet1', row: 2 });
  expect(rig.sandbox.truth.developerMetadata(book)).toHaveLength(1);
  rig.sandbox.staff.sheets.cutRow({ spreadsheetId: book, tab: 'Sheet1', row: 2, to: 9 });
  expect((await find({ metadataKey: 'k' }))[0]).toEqual({ range: 'Sheet1!A2:Z2', majorDimension: 'ROWS' });
});

test('a sheet holds 30,000 characters of metadata', async () => {
  const uuid = 'x'.repeat(36);
  const fits = await batch(...Array.from({ length: 810 }, (_, i) => tag(uuid, row(i))));
  expect(fits.status).toBe(200);
  const reply = await batch(tag(uuid, row(900)));
  expect(reply.status).toBe(400);
  expect(rig.sandbox.truth.developerMetadata(book)).toHaveLength(810);
  expect((await batch(tag(uuid, { spreadsheet: true }))).status).toBe(200);
});

test('metadata names one row or column at a time', async () => {
  const two = { dimensionRange: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 2 } };
  expect((await batch(tag('7', two))).status).toBe(400);
  expect((await batch(tag('7', undefined))).status).toBe(400);
});

test('a row’s values can be written through its metadata, within its width', async () => {
  await batch(tag('7', row(1)));
  const write = (values: unknown[][]) =>
    rig.call('POST', `${rig.sheet}/values:batchUpdateByDataFilter`, {
      valueInputOption: 'RAW',
      data: [{ dataFilter: { developerMetadataLookup: { metadataValue: '7' } }, values }],
    });
  expect((await write([['c2', 'more']])).body.responses[0].updatedRange).toBe('Sheet1!A2:B2');
  expect((await write([['x'], ['y']])).status).toBe(400);
});

test('metadata is searched, updated and deleted', async () => {
  await batch(tag('7', { sheetId: 0 }), tag('8', { spreadsheet: true }));
  const search = await rig.call('POST', `${rig.sheet}/developerMetadata:search`, {
    dataFilters: [{ developerMetadataLookup: { locationType: 'SHEET' } }],
  });
  expect(search.body.matchedDeveloperMetadata).toHaveLength(1);
  const id = search.body.matchedDeveloperMetadata[0].developerMetadata.metadataId;
  const lookup = { developerMetadataLookup: { metadataId: id } };
  await batch({
    updateDeveloperMetadata: {
      dataFilters: [lookup],
      developerMetadata: { metadataValue: '9' },
      fields: 'metadataValue',
    },
  });
  expect((await rig.call('GET', `${rig.sheet}/developerMetadata/${id}`)).body.metadataValue).toBe('9');
  await batch({ deleteDeveloperMetadata: { dataFilter: lookup } });
  expect((await rig.call('GET', `${rig.sheet}/developerMetadata/${id}`)).status).toBe(404);
});
