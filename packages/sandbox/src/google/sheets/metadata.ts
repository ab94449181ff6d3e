// Developer metadata: keys and values tied to the spreadsheet, a sheet, rows or columns. It is limited to 30,000 characters for each sheet
// and 30,000 for the spreadsheet, so it cannot name every row of a large one.
import { type JsonObject, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument } from '../refusal.ts';
import type { Dimension, Tab, TabMetadata } from './tab.ts';
import type { Workbook } from './workbook.ts';

const charsMax = 30_000;

/** An entry and its tab. Without a tab it belongs to the spreadsheet. */
export interface Found {
  tab: Tab | undefined;
  entry: TabMetadata;
}

export function allMetadata(book: Workbook): Found[] {
  const ofTabs = book.tabs.flatMap((tab) => tab.metadata.map((entry) => ({ tab, entry })));
  return [...book.metadata.map((entry) => ({ tab: undefined, entry })), ...ofTabs];
}

export function metadataMatching(book: Workbook, lookup: JsonObject): Found[] {
  const location = objectOf(lookup['metadataLocation']);
  const id = numberOf(lookup['metadataId']);
  return allMetadata(book).filter((found) => {
    const { entry } = found;
    if (id !== undefined && entry.id !== id) return false;
    if (lookup['metadataKey'] !== undefined && entry.key !== lookup['metadataKey']) return false;
    if (lookup['metadataValue'] !== undefined && entry.value !== lookup['metadataValue']) return false;
    if (lookup['visibility'] !== undefined && entry.visibility !== lookup['visibility']) return false;
    if (lookup['locationType'] !== undefined && typeOf(found) !== lookup['locationType']) return false;
    return isAt(found, location, lookup['locationMatchingStrategy'] === 'INTERSECTING_LOCATION');
  });
}

/** Adds an entry; `newId` is used when the caller gives no id. */
export function createMetadata(book: Workbook, given: JsonObject, newId: number): Found {
  const key = stringOf(given['metadataKey']);
  if (key === undefined || key === '') throw invalidArgument('developerMetadata.metadataKey is required.');
  const visibility = stringOf(given['visibility']);
  if (visibility !== 'DOCUMENT' && visibility !== 'PROJECT')
    throw invalidArgument('developerMetadata.visibility is required.');
  const id = numberOf(given['metadataId']) ?? newId;
  if (allMetadata(book).some(({ entry }) => entry.id === id))
    throw invalidArgument(`Developer metadata with id ${id} already exists.`);
  const { tab, at } = placeOf(book, objectOf(given['location']));
  const entry: TabMetadata = { id, key, value: stringOf(given['metadataValue']), visibility, at };
  if (tab === undefined) book.metadata = [...book.metadata, entry];
  else tab.metadata = [...tab.metadata, entry];
  checkSize(tab === undefined ? book.metadata : tab.metadata);
  return { tab, entry };
}

/** Replaces one entry in place; undefined removes it. */
export function replaceMetadata(book: Workbook, found: Found, entry: TabMetadata | undefined): void {
  const replace = (entries: TabMetadata[]): TabMetadata[] =>
    entries.flatMap((other) => (other.id !== found.entry.id ? [other] : entry === undefined ? [] : [entry]));
  if (found.tab === undefined) book.metadata = replace(book.metadata);
  else found.tab.metadata = replace(found.tab.metadata);
  checkSize(found.tab === undefined ? book.metadata : found.tab.metadata);
}

export function showMetadata({ tab, entry }: Found): JsonObject {
  const location: JsonObject = { locationType: typeOf({ tab, entry }) };
  if (tab === undefined) location['spreadsheet'] = true;
  else if (entry.at === undefined) location['sheetId'] = tab.properties.sheetId;
  else
    location['dimensionRange'] = {
      sheetId: tab.properties.sheetId,
      dimension: entry.at.dimension,
      startIndex: entry.at.start,
      endIndex: entry.at.end,
    };
  const shown: JsonObject = {
    metadataId: entry.id,
    metadataKey: entry.key,
    location,
    visibility: entry.visibility,
  };
  if (entry.value !== undefined) shown['metadataValue'] = entry.value;
  return shown;
}

function typeOf({ tab, entry }: Found): string {
  if (tab === undefined) return 'SPREADSHEET';
  if (entry.at === undefined) return 'SHEET';
  return entry.at.dimension === 'ROWS' ? 'ROW' : 'COLUMN';
}

function placeOf(book: Workbook, location: JsonObject): { tab: Tab | undefined; at: TabMetadata['at'] } {
  if (location['spreadsheet'] === true) return { tab: undefined, at: undefined };
  const range = location['dimensionRange'];
  const sheetId = range === undefined ? location['sheetId'] : objectOf(range)['sheetId'];
  if (range === undefined && sheetId === undefined)
    throw invalidArgument('developerMetadata.location is required.');
  const tab = book.tabWithId(numberOf(sheetId) ?? 0);
  if (tab === undefined) throw invalidArgument(`No grid with id: ${numberOf(sheetId) ?? 0}`);
  if (range === undefined) return { tab, at: undefined };
  const dimension = objectOf(range)['dimension'];
  const start = numberOf(objectOf(range)['startIndex']) ?? 0;
  const end = numberOf(objectOf(range)['endIndex']);
  if (dimension !== 'ROWS' && dimension !== 'COLUMNS')
    throw invalidArgument('dimensionRange.dimension is required.');
  // "A DimensionRange in a location must have a length of one."
  if (end !== start + 1)
    throw invalidArgument('Developer metadata can only be associated with a single row or column.');
  if (start < 0 || end > tab.count(dimension))
    throw invalidArgument(`dimensionRange is outside of the grid.`);
  return { tab, at: { dimension, start, end } };
}

function isAt(found: Found, location: JsonObject, intersects: boolean): boolean {
  if (Object.keys(location).length === 0) return true;
  if (location['spreadsheet'] === true) return intersects || found.tab === undefined;
  if (found.tab === undefined) return false;
  const range = location['dimensionRange'];
  if (range === undefined) {
    return (
      numberOf(location['sheetId']) === found.tab.properties.sheetId &&
      (intersects || found.entry.at === undefined)
    );
  }
  const { at } = found.entry;
  const wanted = objectOf(range);
  if ((numberOf(wanted['sheetId']) ?? 0) !== found.tab.properties.sheetId || at === undefined) return false;
  if (at.dimension !== (wanted['dimension'] as Dimension)) return false;
  const [start, end] = [
    numberOf(wanted['startIndex']) ?? 0,
    numberOf(wanted['endIndex']) ?? Number.POSITIVE_INFINITY,
  ];
  return intersects ? at.start < end && start < at.end : at.start === start && at.end === end;
}

function checkSize(entries: readonly TabMetadata[]): void {
  const chars = entries.reduce((sum, entry) => sum + entry.key.length + (entry.value?.length ?? 0), 0);
  if (chars > charsMax)
    throw invalidArgument(`Developer metadata storage limit of ${charsMax} characters exceeded.`);
}
