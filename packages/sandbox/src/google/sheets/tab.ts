// One sheet of a spreadsheet: a grid of rows, and the things anchored to its rows and columns. Rows are replaced, never mutated,
// because snapshots share them. To undo a batch then costs only a copy of the list of rows.
import type { JsonObject } from '../json.ts';
import type { Box } from './a1.ts';
import { type Cell, isBlank, type Row, withValue } from './cell.ts';

export type Dimension = 'ROWS' | 'COLUMNS';

/** Maps an old index to its new one when rows or columns are inserted, deleted or moved; undefined: deleted. */
export type Shift = (index: number) => number | undefined;

/** A protected range with its box. Unbounded sides are stored with the grid's bounds. */
export interface Protection {
  id: number;
  box: Box | undefined;
  description: string | undefined;
  editors: readonly string[];
  warningOnly: boolean;
  /** For protected sheets only: the areas that everyone may edit. */
  unprotected: readonly Box[];
}

/** A range with a name and a header row. */
export interface Table {
  readonly id: string;
  readonly name: string;
  readonly box: Box;
  readonly columns: readonly JsonObject[];
  readonly rows: JsonObject | undefined;
}

/** The basic filter: its range, and values that it hides by column. */
export interface Filter {
  readonly box: Box;
  readonly hidden: ReadonlyMap<number, readonly string[]>;
}

/** Developer metadata of a sheet, or of its rows or columns; it moves with them. */
export interface TabMetadata {
  id: number;
  key: string;
  value: string | undefined;
  visibility: string;
  /** Undefined: the whole sheet. */
  at: { dimension: Dimension; start: number; end: number } | undefined;
}

export interface TabProperties {
  sheetId: number;
  title: string;
  hidden: boolean;
  frozenRowCount: number;
  frozenColumnCount: number;
  extra: JsonObject;
}

export class Tab {
  properties: TabProperties;
  rowCount: number;
  columnCount: number;
  protections: Protection[] = [];
  metadata: TabMetadata[] = [];
  tables: readonly Table[] = [];
  merges: readonly Box[] = [];
  filter: Filter | undefined;
  /** `conditionalFormats`, as they are shown. Replaced, never mutated. */
  overlays: JsonObject = {};
  /** Height, width and hidden state, by dimension and index. */
  dimensions: Record<Dimension, Map<number, JsonObject>> = { ROWS: new Map(), COLUMNS: new Map() };
  /** Shorter than `rowCount`: the remaining rows have never had content. */
  #rows: Row[] = [];

  constructor(properties: TabProperties, size: { rows: number; columns: number }) {
    this.properties = properties;
    this.rowCount = size.rows;
    this.columnCount = size.columns;
  }

  /** A copy that is independent of later changes. */
  copy(): Tab {
    const copy = new Tab({ ...this.properties }, { rows: this.rowCount, columns: this.columnCount });
    copy.#rows = this.#rows.slice();
    copy.protections = this.protections.slice();
    copy.overlays = this.overlays;
    copy.tables = this.tables;
    copy.merges = this.merges;
    copy.filter = this.filter;
    copy.metadata = this.metadata.slice();
    copy.dimensions = { ROWS: new Map(this.dimensions.ROWS), COLUMNS: new Map(this.dimensions.COLUMNS) };
    return copy;
  }

  row(index: number): Row {
    return this.#rows[index] ?? [];
  }

  cell(row: number, column: number): Cell | undefined {
    return this.#rows[row]?.[column];
  }

  /** Number of rows up to the last one that ever had content. Rows after it are blank. */
  get usedRows(): number {
    return this.#rows.length;
  }

  setRow(index: number, row: Row): void {
    while (this.#rows.length < index) this.#rows.push([]);
    this.#rows[index] = this.merges.length === 0 ? row : row.map((cell, at) => this.#shown(cell, index, at));
  }

  /** A cell that a merge covers holds no value. */
  #shown(cell: Cell | undefined, row: number, column: number): Cell | undefined {
    const merge = this.merges.find((box) => isInside(box, row, column));
    const isCovered = merge !== undefined && (merge.rowStart !== row || merge.columnStart !== column);
    return isCovered ? withValue(cell, undefined) : cell;
  }

  setCell(row: number, column: number, cell: Cell | undefined): void {
    const cells = [...this.row(row)];
    cells[column] = cell;
    this.setRow(row, cells);
  }

  /** Index after the last row with a value. */
  lastRowWithData(): number {
    for (let i = this.#rows.length - 1; i >= 0; i -= 1)
      if (this.row(i).some((cell) => !isBlank(cell))) return i + 1;
    return 0;
  }

  get box(): Box {
    return { rowStart: 0, rowEnd: this.rowCount, columnStart: 0, columnEnd: this.columnCount };
  }

  count(dimension: Dimension): number {
    return dimension === 'ROWS' ? this.rowCount : this.columnCount;
  }

  /** Inserts rows or columns. Their formats come from the neighbour at `formatFrom`, if given. */
  insert(dimension: Dimension, at: number, what: { count: number; formatFrom: number | undefined }): void {
    const { count, formatFrom } = what;
    if (dimension === 'ROWS') {
      const blank = formatFrom === undefined ? [] : this.row(formatFrom).map(formatOnly);
      if (at < this.#rows.length)
        this.#rows = [
          ...this.#rows.slice(0, at),
          ...Array.from({ length: count }, () => blank),
          ...this.#rows.slice(at),
        ];
      this.rowCount += count;
    } else {
      this.#rows = this.#rows.map((row) => {
        if (row.length <= at) return row;
        const blank = formatFrom === undefined ? undefined : formatOnly(row[formatFrom]);
        return [...row.slice(0, at), ...Array.from({ length: count }, () => blank), ...row.slice(at)];
      });
      this.columnCount += count;
    }
    const shift: Shift = (index) => (index < at ? index : index + count);
    this.#shift(dimension, shift);
    this.#reshape((box) => shiftBox(box, dimension, shift));
  }

  delete(dimension: Dimension, from: number, to: number): void {
    const count = to - from;
    if (dimension === 'ROWS') {
      this.#rows = [...this.#rows.slice(0, from), ...this.#rows.slice(to)];
      this.rowCount -= count;
    } else {
      this.#rows = this.#rows.map((row) =>
        row.length <= from ? row : [...row.slice(0, from), ...row.slice(to)],
      );
      this.columnCount -= count;
    }
    const shift: Shift = (index) => (index < from ? index : index < to ? undefined : index - count);
    this.#shift(dimension, shift);
    this.#reshape((box) => shiftBox(box, dimension, shift));
  }

  /** Moves rows or columns. What lies around them loses them; what they come to lie in takes them up. */
  move(dimension: Dimension, span: { start: number; end: number }, destination: number): void {
    const order = Array.from({ length: this.count(dimension) }, (_, i) => i);
    const moved = order.splice(span.start, span.end - span.start);
    const to = destination > span.start ? destination - moved.length : destination;
    order.splice(to, 0, ...moved);
    this.reorder(dimension, order);
    this.#reshape((box) => moveBox(box, dimension, { ...span, to }));
  }

  #reshape(change: (box: Box) => Box | undefined): void {
    this.tables = this.tables.flatMap((table) => {
      const box = change(table.box);
      return box === undefined || box.rowEnd - box.rowStart < 1 ? [] : [{ ...table, box }];
    });
    this.merges = this.merges.flatMap((merge) => {
      const box = change(merge);
      return box === undefined || isSingle(box) ? [] : [box];
    });
    const box = this.filter && change(this.filter.box);
    this.filter = this.filter && box && { ...this.filter, box };
  }

  /** Reorders whole rows or whole columns: `order[i]` is the old index of the row or column that moves to i. */
  reorder(dimension: Dimension, order: readonly number[]): void {
    if (dimension === 'ROWS') this.#rows = withoutBlankEnd(order.map((old) => this.row(old)));
    else this.#rows = this.#rows.map((row) => order.map((old) => row[old]));
    this.#shift(dimension, shiftOf(order));
  }

  #shift(dimension: Dimension, shift: Shift): void {
    const moved = new Map<number, JsonObject>();
    for (const [index, properties] of this.dimensions[dimension]) {
      const next = shift(index);
      if (next !== undefined) moved.set(next, properties);
    }
    this.dimensions[dimension] = moved;
    this.metadata = this.metadata.flatMap((entry) => shiftMetadata(entry, dimension, shift));
    this.protections = this.protections.flatMap((protection) =>
      shiftProtection(protection, dimension, shift),
    );
  }
}

function isInside(box: Box, row: number, column: number): boolean {
  return box.rowStart <= row && row < box.rowEnd && box.columnStart <= column && column < box.columnEnd;
}

function isSingle({ rowStart, rowEnd, columnStart, columnEnd }: Box): boolean {
  return (rowEnd - rowStart) * (columnEnd - columnStart) <= 1;
}

/** `to`: where the moved rows or columns begin once they are there. */
function moveBox(
  box: Box,
  dimension: Dimension,
  { start, end, to }: { start: number; end: number; to: number },
): Box | undefined {
  const held =
    dimension === 'ROWS'
      ? { start: box.rowStart, end: box.rowEnd }
      : { start: box.columnStart, end: box.columnEnd };
  const count = end - start;
  const before = (bound: number) => Math.max(0, Math.min(bound, end) - start);
  let next = { start: held.start - before(held.start), end: held.end - before(held.end) };
  if (next.start === next.end) next = { start: to, end: to + held.end - held.start };
  else if (to <= next.start) next = { start: next.start + count, end: next.end + count };
  else if (to < next.end) next = { ...next, end: next.end + count };
  return dimension === 'ROWS'
    ? { ...box, rowStart: next.start, rowEnd: next.end }
    : { ...box, columnStart: next.start, columnEnd: next.end };
}

/** Turns a new order into a mapping from old to new indexes. */
export function shiftOf(order: readonly number[]): Shift {
  const places = new Map(order.map((old, place) => [old, place]));
  return (index) => places.get(index);
}

function withoutBlankEnd(rows: Row[]): Row[] {
  while (rows.length > 0 && rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

function formatOnly(cell: Cell | undefined): Cell | undefined {
  return cell?.format === undefined ? undefined : { format: cell.format };
}

/** Metadata moves with its row or column, and is deleted with it. */
function shiftMetadata(entry: TabMetadata, dimension: Dimension, shift: Shift): TabMetadata[] {
  if (entry.at === undefined || entry.at.dimension !== dimension) return [entry];
  const span = shiftSpan(entry.at, shift);
  return span === undefined ? [] : [{ ...entry, at: { dimension, ...span } }];
}

function shiftSpan(
  span: { start: number; end: number },
  shift: Shift,
): { start: number; end: number } | undefined {
  let start = Number.POSITIVE_INFINITY;
  let end = -1;
  for (let index = span.start; index < span.end; index += 1) {
    const next = shift(index);
    if (next === undefined) continue;
    start = Math.min(start, next);
    end = Math.max(end, next + 1);
  }
  return end < 0 ? undefined : { start, end };
}

function shiftProtection(protection: Protection, dimension: Dimension, shift: Shift): Protection[] {
  const unprotected = protection.unprotected.flatMap((box) => shiftBox(box, dimension, shift) ?? []);
  if (protection.box === undefined) return [{ ...protection, unprotected }];
  const box = shiftBox(protection.box, dimension, shift);
  return box === undefined ? [] : [{ ...protection, box, unprotected }];
}

function shiftBox(box: Box, dimension: Dimension, shift: Shift): Box | undefined {
  const span =
    dimension === 'ROWS'
      ? { start: box.rowStart, end: box.rowEnd }
      : { start: box.columnStart, end: box.columnEnd };
  const next = shiftSpan(span, shift);
  if (next === undefined) return undefined;
  return dimension === 'ROWS'
    ? { ...box, rowStart: next.start, rowEnd: next.end }
    : { ...box, columnStart: next.start, columnEnd: next.end };
}
