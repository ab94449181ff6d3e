// Operations on rectangles of cells: copyPaste, insertRange, deleteRange, findReplace.
import { type JsonObject, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import type { Box } from './a1.ts';
import { type Cell, withValue } from './cell.ts';
import { gridTarget, tabOf } from './filters.ts';
import { enter } from './input.ts';
import type { Tab } from './tab.ts';
import type { Batch, Target } from './workbook.ts';

/**
 * A destination whose size is a multiple of the source is filled with copies. Otherwise it takes the size of
 * the source.
 */
export function copyPaste(batch: Batch, request: JsonObject): void {
  if (request['pasteOrientation'] === 'TRANSPOSE') throw notInSandbox('a transposed paste');
  const type = stringOf(request['pasteType']) ?? 'PASTE_NORMAL';
  const paste = pastes[type];
  if (paste === undefined) throw notInSandbox(`a paste of ${type}`);
  const { tab, box } = gridTarget(batch.book, objectOf(request['source']));
  const to = gridTarget(batch.book, objectOf(request['destination']));
  const source = cellsOf(tab, box);
  const [height, width] = [box.rowEnd - box.rowStart, box.columnEnd - box.columnStart];
  const reached = {
    ...to.box,
    rowEnd: to.box.rowStart + filling(to.box.rowEnd - to.box.rowStart, height),
    columnEnd: to.box.columnStart + filling(to.box.columnEnd - to.box.columnStart, width),
  };
  if (reached.rowEnd > to.tab.rowCount || reached.columnEnd > to.tab.columnCount)
    throw invalidArgument('The destination of the paste is outside of the grid.');
  batch.book.checkProtection(to.tab, reached, batch.principal);
  for (let r = reached.rowStart; r < reached.rowEnd; r += 1)
    for (let c = reached.columnStart; c < reached.columnEnd; c += 1) {
      const copied = source[(r - reached.rowStart) % height]?.[(c - reached.columnStart) % width];
      to.tab.setCell(r, c, paste(to.tab.cell(r, c), copied));
    }
}

export function insertRange(batch: Batch, request: JsonObject): void {
  shift(batch, request, (rest, count) => [...Array.from({ length: count }, () => undefined), ...rest]);
}

export function deleteRange(batch: Batch, request: JsonObject): void {
  shift(batch, request, (rest, count) => rest.slice(count));
}

export function findReplace(batch: Batch, request: JsonObject): JsonObject {
  const find = stringOf(request['find']) ?? '';
  if (find === '') throw invalidArgument('find must not be empty.');
  const pattern = patternOf(request, find);
  const replacement = stringOf(request['replacement']) ?? '';
  const targets = targetsOf(batch, request);
  const changed = { cells: 0, occurrences: 0, rows: new Set<string>(), sheets: new Set<number>() };
  for (const { tab, box } of targets) {
    batch.book.checkProtection(tab, box, batch.principal);
    for (let r = box.rowStart; r < Math.min(box.rowEnd, tab.usedRows); r += 1)
      for (let c = box.columnStart; c < Math.min(box.columnEnd, tab.row(r).length); c += 1) {
        const cell = tab.cell(r, c);
        // Skips formulas. Google searches them only on request, which would require the sandbox to calculate.
        if (cell?.value === undefined || cell.formula !== undefined) continue;
        const text = String(cell.value);
        const count = [...text.matchAll(pattern)].length;
        if (count === 0) continue;
        tab.setCell(r, c, enter(cell, text.replace(pattern, replacement), 'USER_ENTERED'));
        changed.cells += 1;
        changed.occurrences += count;
        changed.rows.add(`${tab.properties.sheetId} ${r}`);
        changed.sheets.add(tab.properties.sheetId);
      }
  }
  if (changed.cells === 0) return { findReplace: {} };
  return {
    findReplace: {
      valuesChanged: changed.cells,
      occurrencesChanged: changed.occurrences,
      rowsChanged: changed.rows.size,
      sheetsChanged: changed.sheets.size,
    },
  };
}

const pastes: Record<string, (held: Cell | undefined, copied: Cell | undefined) => Cell | undefined> = {
  PASTE_NORMAL: (_, copied) => copied,
  PASTE_VALUES: (held, copied) => withValue(held, copied?.value),
  PASTE_FORMULA: (held, copied) => withValue(held, copied?.value, copied?.formula),
  PASTE_FORMAT: (held, copied) => {
    const { format: _, ...rest } = held ?? {};
    return copied?.format === undefined ? rest : { ...rest, format: copied.format };
  },
};

function filling(asked: number, size: number): number {
  return asked % size === 0 ? asked : size;
}

function cellsOf(tab: Tab, box: Box): (Cell | undefined)[][] {
  return Array.from({ length: box.rowEnd - box.rowStart }, (_, r) =>
    Array.from({ length: box.columnEnd - box.columnStart }, (__, c) =>
      tab.cell(box.rowStart + r, box.columnStart + c),
    ),
  );
}

/**
 * Moves the cells beyond the range along one dimension. The grid keeps its size, and cells that leave it are
 * lost.
 */
function shift(
  batch: Batch,
  request: JsonObject,
  change: (rest: (Cell | undefined)[], count: number) => (Cell | undefined)[],
): void {
  const dimension = request['shiftDimension'];
  if (dimension !== 'ROWS' && dimension !== 'COLUMNS') throw invalidArgument('shiftDimension must be set.');
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  const moved =
    dimension === 'ROWS' ? { ...box, rowEnd: tab.rowCount } : { ...box, columnEnd: tab.columnCount };
  batch.book.checkProtection(tab, moved, batch.principal);
  const isRows = dimension === 'ROWS';
  const [first, last] = isRows ? [box.columnStart, box.columnEnd] : [box.rowStart, box.rowEnd];
  const [from, to] = isRows ? [box.rowStart, tab.rowCount] : [box.columnStart, tab.columnCount];
  const count = isRows ? box.rowEnd - box.rowStart : box.columnEnd - box.columnStart;
  for (let line = first; line < last; line += 1) {
    const cellAt = (at: number) => (isRows ? tab.cell(at, line) : tab.cell(line, at));
    const rest = change(
      Array.from({ length: to - from }, (_, i) => cellAt(from + i)),
      count,
    );
    for (let i = 0; i < to - from; i += 1)
      if (isRows) tab.setCell(from + i, line, rest[i]);
      else tab.setCell(line, from + i, rest[i]);
  }
}

function targetsOf(batch: Batch, request: JsonObject): Pick<Target, 'tab' | 'box'>[] {
  const scopes = ['range', 'sheetId', 'allSheets'].filter((name) => request[name] !== undefined);
  if (scopes.length !== 1) throw invalidArgument('Exactly one of range, sheetId and allSheets must be set.');
  if (request['range'] !== undefined) return [gridTarget(batch.book, objectOf(request['range']))];
  const tabs =
    request['allSheets'] === true ? batch.book.tabs : [tabOf(batch.book, numberOf(request['sheetId']))];
  return tabs.map((tab) => ({ tab, box: tab.box }));
}

function patternOf(request: JsonObject, find: string): RegExp {
  const source = request['searchByRegex'] === true ? find : find.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const whole = request['matchEntireCell'] === true ? `^(?:${source})$` : source;
  try {
    return new RegExp(whole, request['matchCase'] === true ? 'g' : 'gi');
  } catch {
    throw invalidArgument('The regular expression is invalid.');
  }
}
