// Rows and columns: insert, delete, move, append, sort, and their properties.
import { type JsonObject, listOf, numberOf, objectOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import { parseMask } from '../request/mask.ts';
import type { Box } from './a1.ts';
import { type Cell, isBlank } from './cell.ts';
import { gridTarget, tabOf } from './filters.ts';
import { filled } from './range.ts';
import type { Dimension, Tab } from './tab.ts';
import type { Batch } from './workbook.ts';
import { overlap } from './workbook.ts';

const columnsMax = 18_278;

export function insertDimension(batch: Batch, request: JsonObject): void {
  const { tab, dimension, start, end } = spanOf(batch, request['range']);
  const inheritsBefore = request['inheritFromBefore'] === true;
  if (start > tab.count(dimension))
    throw invalidArgument(
      `range.startIndex[${start}] is after the last index of the grid[${tab.count(dimension)}]`,
    );
  if (inheritsBefore && start === 0)
    throw invalidArgument('inheritFromBefore cannot be true when range.startIndex is 0.');
  if (!inheritsBefore && start === tab.count(dimension)) {
    throw invalidArgument('inheritFromBefore must be true when inserting after the last index of the grid.');
  }
  // Inserting a row inside a protected range changes that range.
  batch.book.checkProtection(tab, boxOf(tab, dimension, { start, end: start + 1 }), batch.principal);
  grow(tab, dimension, { at: start, count: end - start, formatFrom: inheritsBefore ? start - 1 : start });
}

export function deleteDimension(batch: Batch, request: JsonObject): void {
  const { tab, dimension, start, end: asked } = spanOf(batch, request['range'], { isEndOptional: true });
  const end = Math.min(asked, tab.count(dimension));
  if (start >= tab.count(dimension))
    throw invalidArgument(
      `range.startIndex[${start}] is after the last index of the grid[${tab.count(dimension) - 1}]`,
    );
  if (end - start >= tab.count(dimension))
    throw invalidArgument(`You can't delete all the ${dimension.toLowerCase()} on the sheet.`);
  const { frozenRowCount, frozenColumnCount } = tab.properties;
  const frozen = dimension === 'ROWS' ? frozenRowCount : frozenColumnCount;
  if (frozen > 0 && start <= frozen && end === tab.count(dimension))
    throw invalidArgument(`You can't delete all the non-frozen ${dimension.toLowerCase()} on the sheet.`);
  batch.book.checkProtection(tab, boxOf(tab, dimension, { start, end }), batch.principal);
  tab.delete(dimension, start, end);
}

/** `destinationIndex` counts as if the source were still in its place. */
export function moveDimension(batch: Batch, request: JsonObject): void {
  const { tab, dimension, start, end } = spanOf(batch, request['source']);
  const destination = numberOf(request['destinationIndex']) ?? 0;
  const count = tab.count(dimension);
  if (end > count || destination < 0 || destination > count)
    throw invalidArgument('The rows or columns to move are outside of the grid.');
  if (destination > start && destination < end)
    throw invalidArgument('destinationIndex must not be within the source.');
  batch.book.checkProtection(tab, boxOf(tab, dimension, { start, end }), batch.principal);
  if (tab.merges.some((merge) => isCut(merge, dimension, { start, end, destination })))
    throw invalidArgument('Rows or columns cannot be moved out of or into merged cells.');
  tab.move(dimension, { start, end }, destination);
}

/** True if the move would tear the merge apart. */
function isCut(
  merge: Box,
  dimension: Dimension,
  { start, end, destination }: { start: number; end: number; destination: number },
): boolean {
  const [first, last] =
    dimension === 'ROWS' ? [merge.rowStart, merge.rowEnd] : [merge.columnStart, merge.columnEnd];
  const isPart = start < last && first < end && !(start <= first && last <= end);
  return isPart || (first < destination && destination < last);
}

export function appendDimension(batch: Batch, request: JsonObject): void {
  const tab = tabOf(batch.book, request['sheetId']);
  const dimension = dimensionOf(request['dimension']);
  const length = numberOf(request['length']) ?? 0;
  if (length < 1) throw invalidArgument('length must be greater than 0.');
  grow(tab, dimension, { at: tab.count(dimension), count: length, formatFrom: tab.count(dimension) - 1 });
}

export function updateDimensionProperties(batch: Batch, request: JsonObject): void {
  const mask = parseMask(String(request['fields'] ?? ''));
  if (mask === undefined)
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  const { tab, dimension, start, end } = spanOf(batch, request['range'], { isEndOptional: true });
  const given = objectOf(request['properties']);
  const names = mask.all ? ['hiddenByUser', 'pixelSize'] : [...mask.children.keys()];
  for (let i = start; i < Math.min(end, tab.count(dimension)); i += 1) {
    const next: JsonObject = { ...tab.dimensions[dimension].get(i) };
    for (const name of names) next[name] = given[name];
    tab.dimensions[dimension].set(i, next);
  }
}

export function sortRange(batch: Batch, request: JsonObject): void {
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  const specs = listOf(request['sortSpecs']).map(objectOf);
  if (specs.length === 0) throw invalidArgument('At least one sort spec is required.');
  if (tab.merges.some((merge) => overlap(merge, box))) throw notInSandbox('a sort over merged cells');
  batch.book.checkProtection(tab, box, batch.principal);
  sortRows(
    tab,
    box,
    specs.map((spec) => ({
      column: numberOf(spec['dimensionIndex']) ?? 0,
      isDescending: spec['sortOrder'] === 'DESCENDING',
    })),
  );
}

export interface SortKey {
  column: number;
  isDescending: boolean;
}

/** Numbers before texts before booleans, blanks always last. Equal rows keep their order. */
export function sortRows(tab: Tab, box: Box, keys: readonly SortKey[]): void {
  const last = Math.min(box.rowEnd, tab.usedRows);
  const order = Array.from({ length: Math.max(0, last - box.rowStart) }, (_, i) => box.rowStart + i);
  order.sort((a, b) => {
    for (const { column, isDescending } of keys) {
      const [left, right] = [tab.cell(a, column), tab.cell(b, column)];
      if (isBlank(left) || isBlank(right)) {
        const difference = Number(isBlank(left)) - Number(isBlank(right));
        if (difference !== 0) return difference;
        continue;
      }
      const difference = compare(left, right);
      if (difference !== 0) return isDescending ? -difference : difference;
    }
    return 0;
  });
  const isWholeWidth = box.columnStart === 0 && box.columnEnd >= tab.columnCount;
  if (isWholeWidth || tab.metadata.length > 0) moveRows(tab, box, order);
  else permuteCells(tab, box, order);
}

/** Moves whole rows with everything anchored to them. */
function moveRows(tab: Tab, box: Box, order: readonly number[]): void {
  const outside = outsideCells(tab, box, order.length);
  const whole = Array.from({ length: tab.rowCount }, (_, i) => order[i - box.rowStart] ?? i);
  const protections = tab.protections;
  tab.reorder('ROWS', whole);
  // A sort moves values under a protected range, not the range.
  tab.protections = protections;
  for (const [r, cells] of outside.entries()) {
    const row: (Cell | undefined)[] = [...tab.row(box.rowStart + r)];
    for (let c = 0; c < Math.max(cells.length, row.length); c += 1)
      if (c < box.columnStart || c >= box.columnEnd) row[c] = cells[c];
    tab.setRow(box.rowStart + r, filled(row));
  }
}

/** Cells beside the sorted columns stay in place. */
function outsideCells(tab: Tab, box: Box, count: number): (Cell | undefined)[][] {
  if (box.columnStart === 0 && box.columnEnd >= tab.columnCount) return [];
  return Array.from({ length: count }, (_, r) => [...tab.row(box.rowStart + r)]);
}

function permuteCells(tab: Tab, box: Box, order: readonly number[]): void {
  const old = order.map((row) => tab.row(row));
  for (const [i, source] of old.entries()) {
    const row: (Cell | undefined)[] = [...tab.row(box.rowStart + i)];
    for (let c = box.columnStart; c < Math.min(box.columnEnd, Math.max(row.length, source.length)); c += 1)
      row[c] = source[c];
    tab.setRow(box.rowStart + i, filled(row));
  }
}

const ORDER = new Intl.Collator('en', { sensitivity: 'base' });

function compare(left: Cell | undefined, right: Cell | undefined): number {
  const [a, b] = [left?.value, right?.value];
  const kinds = ['number', 'string', 'boolean'];
  const kind = kinds.indexOf(typeof a) - kinds.indexOf(typeof b);
  if (kind !== 0) return kind;
  if (typeof a === 'string' && typeof b === 'string') return ORDER.compare(a, b);
  return Number(a) - Number(b);
}

function grow(tab: Tab, dimension: Dimension, how: { at: number; count: number; formatFrom: number }): void {
  if (dimension === 'COLUMNS' && tab.columnCount + how.count > columnsMax) {
    throw invalidArgument(
      `This action would increase the number of columns in the sheet above the limit of ${columnsMax} columns.`,
    );
  }
  tab.insert(dimension, how.at, { count: how.count, formatFrom: how.formatFrom });
}

interface Span {
  tab: Tab;
  dimension: Dimension;
  start: number;
  end: number;
}

function spanOf(
  batch: Batch,
  range: unknown,
  how: { isEndOptional: boolean } = { isEndOptional: false },
): Span {
  if (range === undefined) throw invalidArgument('range is required.');
  const given = objectOf(range);
  const tab = tabOf(batch.book, given['sheetId']);
  const dimension = dimensionOf(given['dimension']);
  const start = numberOf(given['startIndex']) ?? (how.isEndOptional ? 0 : undefined);
  const end = numberOf(given['endIndex']) ?? (how.isEndOptional ? tab.count(dimension) : undefined);
  if (start === undefined || end === undefined) throw invalidArgument('range must be bounded on both sides.');
  if (start < 0 || end <= start)
    throw invalidArgument('range.endIndex must be greater than range.startIndex.');
  return { tab, dimension, start, end };
}

function dimensionOf(value: unknown): Dimension {
  if (value !== 'ROWS' && value !== 'COLUMNS') throw invalidArgument('dimension must be ROWS or COLUMNS.');
  return value;
}

function boxOf(tab: Tab, dimension: Dimension, span: { start: number; end: number }): Box {
  return dimension === 'ROWS'
    ? { ...tab.box, rowStart: span.start, rowEnd: span.end }
    : { ...tab.box, columnStart: span.start, columnEnd: span.end };
}
