// Whole sheets (add, delete, duplicate, properties) and developer metadata.
import { type Json, type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import { type Mask, parseMask, touches } from '../request/mask.ts';
import { tabOf } from './filters.ts';
import { createMetadata, metadataMatching, replaceMetadata, showMetadata } from './metadata.ts';
import { retarget } from './rules.ts';
import { showProperties } from './show.ts';
import { Tab } from './tab.ts';
import type { Batch, Workbook } from './workbook.ts';

const rowsDefault = 1000;
const columnsDefault = 26;

export function addSheet(batch: Batch, request: JsonObject): JsonObject {
  const { book } = batch;
  const given = objectOf(request['properties']);
  const sheetId = numberOf(given['sheetId']) ?? batch.randomId();
  if (book.tabWithId(sheetId) !== undefined)
    throw invalidArgument(`Sheet with id ${sheetId} already exists.`);
  const title = stringOf(given['title']) ?? freeTitle(book);
  checkTitle(book, title, undefined);
  const grid = objectOf(given['gridProperties']);
  const size = {
    rows: numberOf(grid['rowCount']) ?? rowsDefault,
    columns: numberOf(grid['columnCount']) ?? columnsDefault,
  };
  if (size.rows < 1 || size.columns < 1)
    throw invalidArgument('A sheet must have at least one row and one column.');
  const tab = new Tab(
    {
      sheetId,
      title,
      hidden: given['hidden'] === true,
      frozenRowCount: numberOf(grid['frozenRowCount']) ?? 0,
      frozenColumnCount: numberOf(grid['frozenColumnCount']) ?? 0,
      extra: {},
    },
    size,
  );
  const index = numberOf(given['index']) ?? book.tabs.length;
  if (index > book.tabs.length) throw invalidArgument(`index[${index}] is too high.`);
  book.tabs = [...book.tabs.slice(0, index), tab, ...book.tabs.slice(index)];
  return { addSheet: { properties: showProperties(book, tab) } };
}

export function deleteSheet(batch: Batch, request: JsonObject): void {
  const tab = tabOf(batch.book, request['sheetId']);
  batch.book.checkProtection(tab, tab.box, batch.principal);
  if (!batch.book.tabs.some((other) => other !== tab && !other.properties.hidden)) {
    throw invalidArgument("You can't remove all the visible sheets in a document.");
  }
  batch.book.tabs = batch.book.tabs.filter((other) => other !== tab);
  retarget(batch.book, tab.properties.title, undefined);
}

/** A duplicated sheet has the values and formats, but no developer metadata and no protections. */
export function duplicateSheet(batch: Batch, request: JsonObject): JsonObject {
  const { book } = batch;
  const source = tabOf(book, request['sourceSheetId']);
  const copy = source.copy();
  const title = stringOf(request['newSheetName']) ?? `Copy of ${source.properties.title}`;
  checkTitle(book, title, undefined);
  const sheetId = numberOf(request['newSheetId']) ?? batch.randomId();
  if (book.tabWithId(sheetId) !== undefined)
    throw invalidArgument(`Sheet with id ${sheetId} already exists.`);
  copy.properties = { ...source.properties, sheetId, title };
  copy.metadata = [];
  copy.protections = [];
  if (copy.tables.length > 0) throw notInSandbox('a copy of a tab with a table');
  const index = numberOf(request['insertSheetIndex']) ?? 0;
  book.tabs = [...book.tabs.slice(0, index), copy, ...book.tabs.slice(index)];
  return { duplicateSheet: { properties: showProperties(book, copy) } };
}

export function updateSheetProperties(batch: Batch, request: JsonObject): void {
  const { book } = batch;
  const given = objectOf(request['properties']);
  const mask = parseMask(String(request['fields'] ?? ''));
  if (mask === undefined)
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  const tab = tabOf(book, given['sheetId']);
  batch.book.checkProtection(tab, tab.box, batch.principal);
  if (touches(mask, ['title'])) {
    const title = stringOf(given['title']) ?? '';
    checkTitle(book, title, tab);
    retarget(book, tab.properties.title, title);
    tab.properties.title = title;
  }
  if (touches(mask, ['hidden'])) {
    const isLast = !book.tabs.some((other) => other !== tab && !other.properties.hidden);
    if (given['hidden'] === true && isLast)
      throw invalidArgument("You can't hide all the sheets in a document.");
    tab.properties.hidden = given['hidden'] === true;
  }
  if (touches(mask, ['index']) && given['index'] !== undefined)
    moveTab(book, tab, numberOf(given['index']) ?? 0);
  for (const name of ['tabColor', 'tabColorStyle', 'rightToLeft']) {
    if (touches(mask, [name])) tab.properties.extra = { ...tab.properties.extra, [name]: given[name] };
  }
  resize(tab, objectOf(given['gridProperties']), mask);
}

export function createDeveloperMetadata(batch: Batch, request: JsonObject): JsonObject {
  const found = createMetadata(batch.book, objectOf(request['developerMetadata']), batch.randomId());
  return { createDeveloperMetadata: { developerMetadata: showMetadata(found) } };
}

export function updateDeveloperMetadata(batch: Batch, request: JsonObject): JsonObject {
  const given = objectOf(request['developerMetadata']);
  const mask = parseMask(String(request['fields'] ?? ''));
  if (mask === undefined)
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  if (touches(mask, ['location']) && !mask.all)
    throw invalidArgument('The sandbox does not move developer metadata.');
  const shown: Json[] = [];
  for (const found of filtersOf(request).flatMap((filter) => lookedUp(batch.book, filter))) {
    const entry = { ...found.entry };
    if (touches(mask, ['metadataKey'])) entry.key = stringOf(given['metadataKey']) ?? entry.key;
    if (touches(mask, ['metadataValue'])) entry.value = stringOf(given['metadataValue']);
    if (touches(mask, ['visibility'])) entry.visibility = stringOf(given['visibility']) ?? entry.visibility;
    replaceMetadata(batch.book, found, entry);
    shown.push(showMetadata({ tab: found.tab, entry }));
  }
  return { updateDeveloperMetadata: { developerMetadata: shown } };
}

export function deleteDeveloperMetadata(batch: Batch, request: JsonObject): JsonObject {
  const found = lookedUp(batch.book, objectOf(request['dataFilter']));
  for (const one of found) replaceMetadata(batch.book, one, undefined);
  return { deleteDeveloperMetadata: { deletedDeveloperMetadata: found.map(showMetadata) } };
}

function filtersOf(request: JsonObject): JsonObject[] {
  return listOf(request['dataFilters']).map(objectOf);
}

function lookedUp(book: Workbook, filter: JsonObject) {
  if (filter['developerMetadataLookup'] === undefined)
    throw invalidArgument('A developerMetadataLookup is required.');
  return metadataMatching(book, objectOf(filter['developerMetadataLookup']));
}

/** Titles are unique regardless of case. */
function checkTitle(book: Workbook, title: string, self: Tab | undefined): void {
  if (title === '') throw invalidArgument('The sheet name cannot be empty.');
  if (title.length > 100) throw invalidArgument('The sheet name cannot be greater than 100 characters.');
  const isTaken = book.tabs.some(
    (tab) => tab !== self && tab.properties.title.toLowerCase() === title.toLowerCase(),
  );
  if (isTaken)
    throw invalidArgument(`A sheet with the name "${title}" already exists. Please enter another name.`);
}

function freeTitle(book: Workbook): string {
  for (let number = book.tabs.length + 1; ; number += 1)
    if (book.tabTitled(`Sheet${number}`) === undefined) return `Sheet${number}`;
}

/** Indexes count as before the move. */
function moveTab(book: Workbook, tab: Tab, index: number): void {
  const current = book.tabs.indexOf(tab);
  if (index === current || index === current + 1) return;
  const others = book.tabs.filter((other) => other !== tab);
  others.splice(index > current ? index - 1 : index, 0, tab);
  book.tabs = others;
}

function resize(tab: Tab, grid: JsonObject, mask: Mask): void {
  const asked = (name: string): number | undefined =>
    touches(mask, ['gridProperties', name]) ? numberOf(grid[name]) : undefined;
  const sizes = [
    ['ROWS', asked('rowCount')],
    ['COLUMNS', asked('columnCount')],
  ] as const;
  for (const [dimension, count] of sizes) {
    if (count === undefined) continue;
    if (count < 1) throw invalidArgument('A sheet must have at least one row and one column.');
    const held = tab.count(dimension);
    if (count > held) tab.insert(dimension, held, { count: count - held, formatFrom: undefined });
    if (count < held) tab.delete(dimension, count, held);
  }
  tab.properties.frozenRowCount = touches(mask, ['gridProperties', 'frozenRowCount'])
    ? (numberOf(grid['frozenRowCount']) ?? 0)
    : tab.properties.frozenRowCount;
  tab.properties.frozenColumnCount = touches(mask, ['gridProperties', 'frozenColumnCount'])
    ? (numberOf(grid['frozenColumnCount']) ?? 0)
    : tab.properties.frozenColumnCount;
  if (tab.properties.frozenRowCount >= tab.rowCount && tab.properties.frozenRowCount > 0)
    throw invalidArgument("You can't freeze all visible rows on the sheet.");
}
