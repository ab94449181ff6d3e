// Reading and writing rectangles of values: trimming, bounds, limits.
import type { Principal } from '../auth/principal.ts';
import type { Json, JsonObject } from '../json.ts';
import { invalidArgument } from '../refusal.ts';
import { type Box, columnName, showRange } from './a1.ts';
import type { Cell, CellValue } from './cell.ts';
import { display, type Rendering } from './display.ts';
import { enter, type InputOption } from './input.ts';
import { beyondGrid, quotedRange, type Target, type Workbook } from './workbook.ts';

const cellCharsMax = 50_000;

export type Major = 'ROWS' | 'COLUMNS';

/**
 * Values of a box, without trailing blanks in each row and without trailing blank rows. Inner blanks are empty texts.
 */
export function readValues(target: Pick<Target, 'tab' | 'box'>, how: Rendering): CellValue[][] {
  const { tab, box } = target;
  const values: CellValue[][] = [];
  let filled = 0;
  for (let r = box.rowStart; r < Math.min(box.rowEnd, tab.usedRows); r += 1) {
    const row = tab.row(r);
    const shown: CellValue[] = [];
    let length = 0;
    for (let c = box.columnStart; c < Math.min(box.columnEnd, row.length); c += 1) {
      const value = display(row[c], how);
      shown.push(value);
      if (value !== '') length = shown.length;
    }
    shown.length = length;
    values.push(shown);
    if (length > 0) filled = values.length;
  }
  values.length = filled;
  return values;
}

/** A ValueRange; without `values` when the range is blank. */
export function showValues(
  target: Pick<Target, 'tab' | 'box'>,
  how: Rendering & { major: Major },
): JsonObject {
  const rows = readValues(target, how);
  const values = how.major === 'ROWS' ? rows : transposed(rows);
  const shown: JsonObject = {
    range: showRange(target.tab.properties.title, target.box),
    majorDimension: how.major,
  };
  if (values.length > 0) shown['values'] = values;
  return shown;
}

export interface Written {
  box: Box;
  cells: number;
  rows: number;
  columns: number;
}

/** Checks the values of a body and turns columns into rows. null skips a cell. */
export function readMatrix(values: readonly Json[], major: Major): (CellValue | null)[][] {
  const matrix = values.map((line, i) => {
    if (!Array.isArray(line)) throw invalidArgument(`Invalid values[${i}]: ${kindOf(line)}`);
    return line.map((value, j) => {
      if (value === null) return null;
      if (typeof value === 'object') throw invalidArgument(`Invalid values[${i}][${j}]: ${kindOf(value)}`);
      if (typeof value === 'string' && value.length > cellCharsMax) throw tooLong();
      return value;
    });
  });
  if (major === 'ROWS') return matrix;
  const width = matrix.reduce((longest, line) => Math.max(longest, line.length), 0);
  return Array.from({ length: width }, (_, i) => matrix.map((line) => line[i] ?? null));
}

export interface Writing {
  book: Workbook;
  target: Target;
  matrix: readonly (readonly (CellValue | null)[])[];
  option: InputOption;
  principal: Principal;
}

/**
 * Writes values starting at the top left of the target. A range of more than one cell bounds them, and so does the
 * grid.
 */
export function writeValues({ book, target, matrix, option, principal }: Writing): Written {
  const { tab, box } = target;
  const width = matrix.reduce((longest, row) => Math.max(longest, row.length), 0);
  const reached: Box = {
    rowStart: box.rowStart,
    rowEnd: box.rowStart + Math.max(matrix.length, 1),
    columnStart: box.columnStart,
    columnEnd: box.columnStart + Math.max(width, 1),
  };
  checkBounds(target, reached);
  book.checkProtection(tab, reached, principal);
  const written = { box: reached, cells: 0, rows: 0, columns: 0 };
  const columns = new Set<number>();
  for (const [r, values] of matrix.entries()) {
    const cells: (Cell | undefined)[] = [...tab.row(box.rowStart + r)];
    let isTouched = false;
    for (const [c, value] of values.entries()) {
      if (value === null) continue;
      const column = box.columnStart + c;
      cells[column] = enter(cells[column], value, option);
      written.cells += 1;
      columns.add(column);
      isTouched = true;
    }
    if (!isTouched) continue;
    written.rows += 1;
    tab.setRow(box.rowStart + r, filled(cells));
  }
  written.columns = columns.size;
  return written;
}

/** Clears values and keeps formats. */
export function clearValues(book: Workbook, target: Target, principal: Principal): void {
  const { tab, box } = target;
  book.checkProtection(tab, box, principal);
  for (let r = box.rowStart; r < Math.min(box.rowEnd, tab.usedRows); r += 1) {
    const row = tab.row(r);
    if (row.length <= box.columnStart) continue;
    tab.setRow(
      r,
      row.map((cell, c) => (c >= box.columnStart && c < box.columnEnd ? enter(cell, '', 'RAW') : cell)),
    );
  }
}

export function tooLong() {
  return invalidArgument(
    `Your input contains more than the maximum of ${cellCharsMax} characters in a single cell.`,
  );
}

/** Fills holes with undefined: sparse arrays are slow and print badly. */
export function filled(cells: (Cell | undefined)[]): (Cell | undefined)[] {
  return Array.from(cells);
}

function checkBounds(target: Target, reached: Box): void {
  const { tab, box, isCell, isBeyondGrid } = target;
  if (isBeyondGrid) throw beyondGrid(tab, reached);
  if (reached.rowEnd > tab.rowCount || reached.columnEnd > tab.columnCount) throw beyondGrid(tab, reached);
  if (isCell) return;
  if (reached.rowEnd > box.rowEnd) {
    throw invalidArgument(
      `Requested writing within range [${quotedRange(tab, box)}], but tried writing to row [${box.rowEnd + 1}]`,
    );
  }
  if (reached.columnEnd > box.columnEnd) {
    throw invalidArgument(
      `Requested writing within range [${quotedRange(tab, box)}], but tried writing to column [${columnName(box.columnEnd)}]`,
    );
  }
}

function transposed(rows: readonly (readonly CellValue[])[]): CellValue[][] {
  const width = rows.reduce((longest, row) => Math.max(longest, row.length), 0);
  return Array.from({ length: width }, (_, c) => {
    const column = rows.map((row) => row[c] ?? '');
    while (column.at(-1) === '') column.pop();
    return column;
  });
}

function kindOf(value: Json | undefined): string {
  return Array.isArray(value)
    ? 'list_value'
    : typeof value === 'object'
      ? 'struct_value'
      : `${typeof value}_value`;
}
