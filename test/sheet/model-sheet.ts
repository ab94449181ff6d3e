import type { AreaValues, GridArea, SheetRequest } from '../../src/google/sheets-api.ts';

/** A row with its own identity, whatever place it has. */
export interface ModelRow {
  readonly origin: number | 'fresh';
  cells: unknown[];
}

/** The few requests that the worker sends, on rows in memory; independent of how they are planned. */
export class ModelSheet {
  rows: ModelRow[];

  constructor(values: readonly (readonly unknown[])[]) {
    this.rows = values.map((cells, origin) => ({ origin, cells: [...cells] }));
  }

  perform(requests: readonly SheetRequest[]): void {
    for (const {
      insertDimension,
      updateCells,
      findReplace,
      updateSheetProperties,
      appendDimension,
    } of requests) {
      if (insertDimension !== undefined) {
        const { startIndex, endIndex } = insertDimension.range ?? {};
        const fresh = Array.from({ length: Number(endIndex) - Number(startIndex) }, freshRow);
        this.rows.splice(Number(startIndex), 0, ...fresh);
      } else if (updateCells !== undefined) {
        const { rowIndex, columnIndex } = updateCells.start ?? {};
        for (const [r, { values = [] }] of (updateCells.rows ?? []).entries()) {
          const row = this.rows[Number(rowIndex) + r];
          if (row === undefined) throw new Error('written outside of the grid');
          for (const [c, data] of values.entries()) {
            const { stringValue, numberValue, boolValue } = data.userEnteredValue ?? {};
            row.cells[Number(columnIndex) + c] = stringValue ?? numberValue ?? boolValue ?? '';
          }
        }
      } else if (findReplace !== undefined) {
        const { startRowIndex, startColumnIndex } = findReplace.range ?? {};
        const cells = this.rows[Number(startRowIndex)]?.cells ?? [];
        const at = Number(startColumnIndex);
        const text = String(cells[at] ?? '');
        const found = new RegExp(String(findReplace.find));
        if (found.test(text)) cells[at] = text.replace(found, String(findReplace.replacement));
      } else if (updateSheetProperties === undefined && appendDimension === undefined) {
        throw new Error('a request that the worker must not send');
      }
    }
  }

  insertRow(at: number): void {
    this.rows.splice(at, 0, freshRow());
  }

  deleteRow(at: number): void {
    this.rows.splice(at, 1);
  }

  moveRow(from: number, to: number): void {
    this.rows.splice(to, 0, ...this.rows.splice(from, 1));
  }

  /** Below the header, by one column, blanks last. */
  sort(column: number, descending: boolean): void {
    const [header, ...rows] = this.rows;
    const text = (row: ModelRow) => String(row.cells[column] ?? '');
    rows.sort((a, b) => {
      if (text(a) === '' || text(b) === '') return Number(text(a) === '') - Number(text(b) === '');
      return (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) * (descending ? -1 : 1);
    });
    this.rows = header === undefined ? rows : [header, ...rows];
  }

  /** As Google would answer: without blank ends. */
  values(): unknown[][] {
    const grid = this.rows.map(({ cells }) => {
      const filled = Array.from(cells, (cell) => cell ?? '');
      while (filled.at(-1) === '') filled.pop();
      return filled;
    });
    while (grid.at(-1)?.length === 0) grid.pop();
    return grid;
  }

  /** The part that a reading of this area would show. */
  area({ startRow = 0, endRow, startColumn = 0, endColumn }: GridArea): AreaValues {
    const rows = this.values().slice(startRow, endRow);
    return { rows: rows.map((cells) => cells.slice(startColumn, endColumn)), lastRow: this.rows.length };
  }

  column(index: number): string[] {
    return this.values().map((cells) => String(cells[index] ?? '').trim());
  }
}

function freshRow(): ModelRow {
  return { origin: 'fresh', cells: [] };
}
