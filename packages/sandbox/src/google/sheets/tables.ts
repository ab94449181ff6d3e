// Tables: named ranges of a tab with a header row. Google's document says how they are made and changed. Cells written below one do not
// join it (google_workspace_mcp #643). What else happens to them is a guess.
import { type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import { type Mask, parseMask, touches } from '../request/mask.ts';
import type { Box } from './a1.ts';
import { isBlank } from './cell.ts';
import { display } from './display.ts';
import { gridTarget } from './filters.ts';
import { gridOf } from './protections.ts';
import type { Tab, Table } from './tab.ts';
import type { Batch } from './workbook.ts';
import { overlap, type Workbook } from './workbook.ts';

export function addTable(batch: Batch, request: JsonObject): JsonObject {
  const given = objectOf(request['table']);
  const { tab, box } = gridTarget(batch.book, objectOf(given['range']));
  const id = stringOf(given['tableId']) ?? `table-${batch.randomId().toString(36)}`;
  const name = stringOf(given['name']) ?? '';
  const columns = listOf(given['columnProperties'] ?? []).map(objectOf);
  const rows = given['rowsProperties'] === undefined ? undefined : objectOf(given['rowsProperties']);
  const table: Table = { id, name, box, columns, rows };
  check(batch, tab, table);
  tab.tables = [...tab.tables, table];
  return { addTable: { table: showTable(tab, table) } };
}

export function updateTable(batch: Batch, request: JsonObject): void {
  const mask = maskOf(request);
  const given = objectOf(request['table']);
  const { tab, table } = tableWithId(batch.book, given['tableId']);
  if (touches(mask, ['rowsProperties'])) throw notInSandbox('updateTable of rowsProperties');
  const target = touches(mask, ['range'])
    ? gridTarget(batch.book, objectOf(given['range']))
    : { tab, box: table.box };
  if (target.tab !== tab) throw invalidArgument('A table cannot move to another sheet.');
  const next: Table = {
    ...table,
    box: target.box,
    name: touches(mask, ['name']) ? (stringOf(given['name']) ?? '') : table.name,
    columns: touches(mask, ['columnProperties'])
      ? listOf(given['columnProperties'] ?? []).map(objectOf)
      : table.columns,
  };
  check(batch, tab, next);
  tab.tables = tab.tables.map((other) => (other === table ? next : other));
}

/** "The data will be only appended to the table body": after its last row with data. A full table grows by new rows. */
export function growForAppend(tab: Tab, table: Table, count: number): Box {
  let last = table.box.rowStart;
  for (let row = table.box.rowStart + 1; row < table.box.rowEnd; row += 1)
    for (let column = table.box.columnStart; column < table.box.columnEnd; column += 1)
      if (!isBlank(tab.cell(row, column))) last = row;
  const missing = last + 1 + count - table.box.rowEnd;
  if (missing > 0) {
    tab.insert('ROWS', table.box.rowEnd, { count: missing, formatFrom: table.box.rowEnd - 1 });
    const box = { ...table.box, rowEnd: table.box.rowEnd + missing };
    tab.tables = tab.tables.map((other) => (other.id === table.id ? { ...other, box } : other));
  }
  return { ...table.box, rowStart: last + 1, rowEnd: last + 1 + count };
}

/**
 * Google refuses data validation for cells in a typed column (field reports of its 400). That it also refuses a number format there is a
 * guess: scripts report it. Without a mask: data validation.
 */
export function checkTyped(tab: Tab, box: Box, mask?: Mask): void {
  const isLook =
    mask === undefined ||
    touches(mask, ['dataValidation']) ||
    touches(mask, ['userEnteredFormat', 'numberFormat']);
  if (!isLook) return;
  const isTyped = tab.tables.some((table) =>
    table.columns.some((column) => {
      const columnStart = table.box.columnStart + (numberOf(column['columnIndex']) ?? 0);
      const cells = {
        ...table.box,
        rowStart: table.box.rowStart + 1,
        columnStart,
        columnEnd: columnStart + 1,
      };
      return (column['columnType'] ?? UNTYPED) !== UNTYPED && overlap(cells, box);
    }),
  );
  if (isTyped) throw invalidArgument('This operation is not allowed on cells in typed columns.');
}

const UNTYPED = 'COLUMN_TYPE_UNSPECIFIED';

export function tableWithId(book: Workbook, id: unknown): { tab: Tab; table: Table } {
  for (const tab of book.tabs) for (const table of tab.tables) if (table.id === id) return { tab, table };
  throw invalidArgument(`No table with id: ${String(id)}`);
}

export function showTable(tab: Tab, table: Table): JsonObject {
  const header = tab.row(table.box.rowStart);
  const columns = Array.from({ length: table.box.columnEnd - table.box.columnStart }, (_, at) => {
    const cell = header[table.box.columnStart + at];
    const name = String(display(cell, { value: 'FORMATTED_VALUE', date: 'SERIAL_NUMBER' }));
    const own = table.columns.find((column) => (numberOf(column['columnIndex']) ?? 0) === at);
    const shown: JsonObject = { columnName: name === '' ? `Column ${at + 1}` : name, ...own };
    if (at > 0) shown['columnIndex'] = at;
    return shown;
  });
  return {
    tableId: table.id,
    name: table.name,
    range: { sheetId: tab.properties.sheetId, ...gridOf(table.box) },
    columnProperties: columns,
    ...(table.rows !== undefined && { rowsProperties: table.rows }),
  };
}

function check(batch: Batch, tab: Tab, table: Table): void {
  if (table.name === '') throw invalidArgument('A table needs a name.');
  const others = batch.book.tabs.flatMap(({ tables }) => tables).filter(({ id }) => id !== table.id);
  if (others.some(({ name }) => name.toLowerCase() === table.name.toLowerCase()))
    throw invalidArgument(`A table with the name "${table.name}" already exists.`);
  if (tab.tables.some((other) => other.id !== table.id && overlap(other.box, table.box)))
    throw invalidArgument('Tables cannot overlap.');
  if (tab.merges.some((merge) => overlap(merge, table.box))) throw notInSandbox('a table over merged cells');
  if (table.box.rowEnd - table.box.rowStart < 2) throw invalidArgument('A table needs a header and a row.');
  // "Only set for dropdown column type", "valid only if the BooleanCondition.type is ONE_OF_LIST".
  for (const { columnType, dataValidationRule: rule } of table.columns)
    if (rule !== undefined && (columnType !== 'DROPDOWN' || conditionOf(rule) !== 'ONE_OF_LIST'))
      throw invalidArgument('Only a column of drop-downs takes a rule, which must be ONE_OF_LIST.');
  batch.book.checkProtection(tab, table.box, batch.principal);
}

function conditionOf(rule: unknown): unknown {
  return objectOf(objectOf(rule)['condition'])['type'];
}

function maskOf(request: JsonObject): Mask {
  const mask = parseMask(String(request['fields'] ?? ''));
  if (mask === undefined)
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return mask;
}
