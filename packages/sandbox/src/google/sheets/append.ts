// values.append: where the rows go. The given range is only a search area: the last block of filled cells in it is the table. The rows go
// below that block, from its first column on. In an empty range, they go to its start.
import type { Box } from './a1.ts';
import { isBlank } from './cell.ts';
import type { Tab } from './tab.ts';

export interface AppendPlace {
  /** The table that was found, if any. */
  table: Box | undefined;
  row: number;
  column: number;
}

export function placeForAppend(tab: Tab, search: Box): AppendPlace {
  const seed = lastFilledCell(tab, search);
  if (seed === undefined) return { table: undefined, row: search.rowStart, column: search.columnStart };
  const table = blockAround(tab, seed);
  return { table, row: table.rowEnd, column: table.columnStart };
}

/** The right-most filled cell of the last filled row. It belongs to the last table. */
function lastFilledCell(tab: Tab, box: Box): { row: number; column: number } | undefined {
  for (let row = Math.min(box.rowEnd, tab.usedRows) - 1; row >= box.rowStart; row -= 1) {
    const cells = tab.row(row);
    for (let column = Math.min(box.columnEnd, cells.length) - 1; column >= box.columnStart; column -= 1) {
      if (!isBlank(cells[column])) return { row, column };
    }
  }
  return undefined;
}

/** Grows the box until blank cells surround it, including corners. */
function blockAround(tab: Tab, seed: { row: number; column: number }): Box {
  const box: Box = {
    rowStart: seed.row,
    rowEnd: seed.row + 1,
    columnStart: seed.column,
    columnEnd: seed.column + 1,
  };
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    while (box.rowStart > 0 && isRowFilled(tab, box, box.rowStart - 1)) {
      box.rowStart -= 1;
      hasGrown = true;
    }
    while (isRowFilled(tab, box, box.rowEnd)) {
      box.rowEnd += 1;
      hasGrown = true;
    }
    while (box.columnStart > 0 && isColumnFilled(tab, box, box.columnStart - 1)) {
      box.columnStart -= 1;
      hasGrown = true;
    }
    while (isColumnFilled(tab, box, box.columnEnd)) {
      box.columnEnd += 1;
      hasGrown = true;
    }
  }
  return box;
}

function isRowFilled(tab: Tab, box: Box, row: number): boolean {
  const cells = tab.row(row);
  for (let column = Math.max(0, box.columnStart - 1); column <= box.columnEnd; column += 1)
    if (!isBlank(cells[column])) return true;
  return false;
}

function isColumnFilled(tab: Tab, box: Box, column: number): boolean {
  for (let row = Math.max(0, box.rowStart - 1); row <= box.rowEnd; row += 1)
    if (!isBlank(tab.cell(row, column))) return true;
  return false;
}
