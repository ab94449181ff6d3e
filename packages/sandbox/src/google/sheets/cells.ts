// updateCells, appendCells, repeatCell, cutPaste.
import { type JsonObject, listOf, numberOf, objectOf } from '../json.ts';
import { invalidArgument } from '../refusal.ts';
import type { Mask } from '../request/mask.ts';
import type { Box } from './a1.ts';
import type { Cell } from './cell.ts';
import { cellMask, writeCell } from './celldata.ts';
import { gridTarget, tabOf } from './filters.ts';
import { filled } from './range.ts';
import type { Tab } from './tab.ts';
import { checkTyped, growForAppend, tableWithId } from './tables.ts';
import type { Batch } from './workbook.ts';

export function updateCells(batch: Batch, request: JsonObject): void {
  const mask = cellMask(request['fields']);
  const rows = rowsOf(request);
  if ((request['range'] === undefined) === (request['start'] === undefined))
    throw invalidArgument('Exactly one of range and start must be set.');
  if (request['start'] !== undefined) {
    const start = objectOf(request['start']);
    const tab = tabOf(batch.book, start['sheetId']);
    const [row, column] = [numberOf(start['rowIndex']) ?? 0, numberOf(start['columnIndex']) ?? 0];
    checkCorner(tab, row, column);
    const box = { rowStart: row, rowEnd: tab.rowCount, columnStart: column, columnEnd: tab.columnCount };
    writeRows(batch, { tab, box, rows, mask, clearsRest: false });
    return;
  }
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  writeRows(batch, { tab, box, rows, mask, clearsRest: true });
}

/** Writes after the last row that has a value, from the first column on. Adds rows when the grid is full. */
export function appendCells(batch: Batch, request: JsonObject): void {
  const mask = cellMask(request['fields']);
  const rows = rowsOf(request);
  if (request['tableId'] !== undefined) {
    const { tab, table } = tableWithId(batch.book, request['tableId']);
    if (rows.length === 0) return;
    writeRows(batch, { tab, box: growForAppend(tab, table, rows.length), rows, mask, clearsRest: false });
    return;
  }
  const tab = tabOf(batch.book, request['sheetId']);
  const from = tab.lastRowWithData();
  const missing = from + rows.length - tab.rowCount;
  if (missing > 0) tab.insert('ROWS', tab.rowCount, { count: missing, formatFrom: tab.rowCount - 1 });
  if (rows.length === 0) return;
  writeRows(batch, { tab, box: { ...tab.box, rowStart: from }, rows, mask, clearsRest: false });
}

/**
 * Writes the same cell everywhere. A range that starts inside the grid may end outside; the grid does not
 * grow.
 */
export function repeatCell(batch: Batch, request: JsonObject): void {
  const mask = cellMask(request['fields']);
  if (request['range'] === undefined) throw invalidArgument('range is required.');
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  const data = objectOf(request['cell']);
  batch.book.checkProtection(tab, box, batch.principal);
  checkTyped(tab, box, mask);
  for (let r = box.rowStart; r < box.rowEnd; r += 1) {
    const row: (Cell | undefined)[] = [...tab.row(r)];
    for (let c = box.columnStart; c < box.columnEnd; c += 1) row[c] = writeCell(row[c], data, mask);
    tab.setRow(r, filled(row));
  }
}

/** Moves cells with their formats to another place, and replaces what was there. */
export function cutPaste(batch: Batch, request: JsonObject): void {
  const { tab, box } = gridTarget(batch.book, objectOf(request['source']));
  const destination = objectOf(request['destination']);
  const to = tabOf(batch.book, destination['sheetId']);
  const [row, column] = [numberOf(destination['rowIndex']) ?? 0, numberOf(destination['columnIndex']) ?? 0];
  checkCorner(to, row, column);
  const height = box.rowEnd - box.rowStart;
  const width = box.columnEnd - box.columnStart;
  if (row + height > to.rowCount || column + width > to.columnCount)
    throw invalidArgument('The destination of the paste is outside of the grid.');
  batch.book.checkProtection(tab, box, batch.principal);
  batch.book.checkProtection(
    to,
    { rowStart: row, rowEnd: row + height, columnStart: column, columnEnd: column + width },
    batch.principal,
  );
  const cut = Array.from({ length: height }, (_, r) =>
    Array.from({ length: width }, (__, c) => tab.cell(box.rowStart + r, box.columnStart + c)),
  );
  for (const [r, cells] of cut.entries())
    for (const c of cells.keys()) tab.setCell(box.rowStart + r, box.columnStart + c, undefined);
  for (const [r, cells] of cut.entries())
    for (const [c, cell] of cells.entries()) to.setCell(row + r, column + c, cell);
}

interface RowWriting {
  tab: Tab;
  box: Box;
  rows: readonly JsonObject[][];
  mask: Mask;
  /** With `range`, the masked fields of cells beyond the rows are cleared. */
  clearsRest: boolean;
}

function writeRows(batch: Batch, { tab, box, rows, mask, clearsRest }: RowWriting): void {
  const width = rows.reduce((longest, row) => Math.max(longest, row.length), 0);
  if (box.rowStart + rows.length > box.rowEnd) {
    throw invalidArgument(
      `Attempting to write row: ${box.rowEnd}, beyond the last requested row of: ${box.rowEnd - 1}`,
    );
  }
  if (box.columnStart + width > box.columnEnd) {
    throw invalidArgument(
      `Attempting to write column: ${box.columnEnd}, beyond the last requested column of: ${box.columnEnd - 1}`,
    );
  }
  const reached = clearsRest
    ? box
    : {
        ...box,
        rowEnd: box.rowStart + Math.max(1, rows.length),
        columnEnd: box.columnStart + Math.max(1, width),
      };
  batch.book.checkProtection(tab, reached, batch.principal);
  checkTyped(tab, reached, mask);
  const last = clearsRest
    ? Math.min(box.rowEnd, Math.max(tab.usedRows, box.rowStart + rows.length))
    : box.rowStart + rows.length;
  for (let r = box.rowStart; r < last; r += 1) {
    const given = rows[r - box.rowStart] ?? [];
    const cells: (Cell | undefined)[] = [...tab.row(r)];
    for (const [c, data] of given.entries())
      cells[box.columnStart + c] = writeCell(cells[box.columnStart + c], data, mask);
    if (clearsRest) {
      for (let c = box.columnStart + given.length; c < Math.min(box.columnEnd, cells.length); c += 1)
        cells[c] = writeCell(cells[c], {}, mask);
    }
    tab.setRow(r, filled(cells));
  }
}

function checkCorner(tab: Tab, row: number, column: number): void {
  if (row < 0 || row >= tab.rowCount)
    throw invalidArgument(`GridCoordinate.rowIndex[${row}] is after last row in grid[${tab.rowCount - 1}]`);
  if (column < 0 || column >= tab.columnCount) {
    throw invalidArgument(
      `GridCoordinate.columnIndex[${column}] is after last column in grid[${tab.columnCount - 1}]`,
    );
  }
}

function rowsOf(request: JsonObject): JsonObject[][] {
  return listOf(request['rows']).map((row) => listOf(objectOf(row)['values']).map(objectOf));
}
