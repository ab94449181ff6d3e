import { expect } from 'vitest';
import type { Answer } from '../office/api.ts';
import type { Desk, Sent } from '../office/desk.ts';
import { needing, writing } from '../office/fact.ts';
import type { Tab } from '../office/tab.ts';

const ROWS = [['Id'], ['b'], ['a']];
const TAB_CHARS_MAX = 30_000;

/** Ties a key to a row. Rows count from 0. */
function tie(
  desk: Desk,
  tab: Tab,
  { row, key, ...more }: { row: number; key: string } & Record<string, unknown>,
): Promise<Answer> {
  const location = { dimensionRange: tab.span('ROWS', row, row + 1) };
  const developerMetadata = { metadataKey: key, location, visibility: 'DOCUMENT', ...more };
  return desk.batch({ createDeveloperMetadata: { developerMetadata } });
}

const lookup = (metadataKey: string) => ({ developerMetadataLookup: { metadataKey } });

async function found(desk: Desk, key: string): Promise<Sent[]> {
  const body = { dataFilters: [lookup(key)] };
  const answer = await desk.sheets('POST', '/developerMetadata:search', { body });
  return (answer.body.matchedDeveloperMetadata ?? []).map((match: Sent) => match.developerMetadata);
}

/** Index of the row that currently has the key. */
async function rowOf(desk: Desk, key: string): Promise<number | undefined> {
  return (await found(desk, key))[0]?.location.dimensionRange.startIndex;
}

writing('[metadata.1] a row, a column and a tab carry keys', async (desk) => {
  const tab = await desk.tab();
  const key = desk.freshId(12);
  const locations = [
    { dimensionRange: tab.span('ROWS', 1, 2) },
    { dimensionRange: tab.span('COLUMNS', 1, 2) },
    { sheetId: tab.sheetId },
  ];
  for (const location of locations)
    expect((await tie(desk, tab, { row: 0, key, location })).status).toBe(200);
  const types = (await found(desk, key)).map(({ location }) => location.locationType);
  expect(types.sort()).toEqual(['COLUMN', 'ROW', 'SHEET']);
});

writing('[metadata.2] a key moves down with its row', async (desk) => {
  const [tab, key] = [await desk.tab({ values: ROWS }), desk.freshId(12)];
  await tie(desk, tab, { row: 1, key });
  await desk.batch({ insertDimension: { range: tab.span('ROWS', 0, 1), inheritFromBefore: false } });
  expect(await rowOf(desk, key)).toBe(2);
});

writing('[metadata.3] a key goes with its row', async (desk) => {
  const [tab, key] = [await desk.tab({ values: ROWS }), desk.freshId(12)];
  await tie(desk, tab, { row: 1, key });
  await desk.batch({ deleteDimension: { range: tab.span('ROWS', 1, 2) } });
  expect(await found(desk, key)).toEqual([]);
});

writing('[metadata.4] a key follows its row through a sort', async (desk) => {
  const [tab, key] = [await desk.tab({ values: ROWS }), desk.freshId(12)];
  await tie(desk, tab, { row: 1, key });
  const sortSpecs = [{ dimensionIndex: 0, sortOrder: 'ASCENDING' }];
  await desk.batch({ sortRange: { range: tab.grid([1, 3]), sortSpecs } });
  expect([await tab.values('A1:A'), await rowOf(desk, key)]).toEqual([[['Id'], ['a'], ['b']], 2]);
});

writing('[metadata.5] a tab has room for thirty thousand characters', async (desk) => {
  const tab = await desk.tab();
  const metadataValue = 'x'.repeat(TAB_CHARS_MAX - 100);
  expect((await tie(desk, tab, { row: 0, key: 'k', metadataValue })).status).toBe(200);
  expect((await tie(desk, tab, { row: 1, key: 'k', metadataValue: 'x'.repeat(200) })).status).toBe(400);
});

writing('[metadata.6] a key is found with its value', async (desk) => {
  const [tab, key] = [await desk.tab(), desk.freshId(12)];
  await tie(desk, tab, { row: 1, key, metadataValue: '7' });
  expect((await found(desk, key)).map(({ metadataValue }) => metadataValue)).toEqual(['7']);
  const filter = { developerMetadataLookup: { metadataKey: key, metadataValue: '8' } };
  const none = await desk.sheets('POST', '/developerMetadata:search', { body: { dataFilters: [filter] } });
  expect(none.body.matchedDeveloperMetadata).toBeUndefined();
});

writing('[metadata.7] values are read and written where the key is', async (desk) => {
  const [tab, key] = [await desk.tab({ values: ROWS }), desk.freshId(12)];
  await tie(desk, tab, { row: 2, key });
  const read = await desk.sheets('POST', '/values:batchGetByDataFilter', {
    body: { dataFilters: [lookup(key)] },
  });
  expect(read.body.valueRanges[0].valueRange.values).toEqual([['a']]);
  const data = [{ dataFilter: lookup(key), majorDimension: 'ROWS', values: [['A']] }];
  await desk.sheets('POST', '/values:batchUpdateByDataFilter', { body: { valueInputOption: 'RAW', data } });
  expect(await tab.values('A1:A')).toEqual([['Id'], ['b'], ['A']]);
});

needing('people', '[metadata.8] a duplicated tab has no keys', async (stage) => {
  const tab = await stage.tab({ values: ROWS });
  await tie(stage, tab, { row: 1, key: 'crm' });
  await stage.batch({ duplicateSheet: { sourceSheetId: tab.sheetId, newSheetName: 'Copy' } });
  expect(await found(stage, 'crm')).toHaveLength(1);
});

writing('[metadata.9] a key without a name or a visibility is refused', async (desk) => {
  const tab = await desk.tab();
  expect((await tie(desk, tab, { row: 0, key: '' })).status).toBe(400);
  expect((await tie(desk, tab, { row: 0, key: 'k', visibility: undefined })).status).toBe(400);
});

writing('[metadata.10] a key gets another value, and is taken away', async (desk) => {
  const [tab, key] = [await desk.tab(), desk.freshId(12)];
  await tie(desk, tab, { row: 0, key, metadataValue: '1' });
  const developerMetadata = { metadataValue: '2' };
  await desk.batch({
    updateDeveloperMetadata: { dataFilters: [lookup(key)], developerMetadata, fields: 'metadataValue' },
  });
  expect((await found(desk, key))[0].metadataValue).toBe('2');
  await desk.batch({ deleteDeveloperMetadata: { dataFilter: lookup(key) } });
  expect(await found(desk, key)).toEqual([]);
});

writing('[metadata.11] two rows do not share one entry', async (desk) => {
  const tab = await desk.tab();
  const location = { dimensionRange: tab.span('ROWS', 0, 2) };
  expect((await tie(desk, tab, { row: 0, key: 'k', location })).status).toBe(400);
});

writing('[metadata.12] a row carries the same key twice', async (desk) => {
  const [tab, key] = [await desk.tab(), desk.freshId(12)];
  for (const _ of [1, 2]) expect((await tie(desk, tab, { row: 0, key })).status).toBe(200);
  expect(await found(desk, key)).toHaveLength(2);
});
