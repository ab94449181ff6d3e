// What people do in Google Sheets. Rows count from 1, as users see them; columns are named by letter or by header
// text. Staff type as USER_ENTERED and own the spreadsheet, so no protection stops them.
import type { Principal } from '../auth/principal.ts';
import { type JsonObject, objectOf } from '../json.ts';
import { columnName, parseA1, showTitle } from '../sheets/a1.ts';
import type { CellValue } from '../sheets/cell.ts';
import type { SheetsOffice } from '../sheets/office.ts';
import { clearValues, readValues, writeValues } from '../sheets/range.ts';
import { performRequests } from '../sheets/requests.ts';
import type { Tab } from '../sheets/tab.ts';
import type { Workbook } from '../sheets/workbook.ts';

/** The owner of every spreadsheet in the sandbox. */
export const staffPrincipal: Principal = {
  email: 'staff@sandbox.example',
  scopes: new Set(['spreadsheets']),
  isServiceAccount: false,
};

/** Identifies a tab. */
export interface TabAt {
  spreadsheetId: string;
  tab: string;
}

export class SheetStaff {
  readonly #office: SheetsOffice;

  constructor(office: SheetsOffice) {
    this.#office = office;
  }

  /** Sorts the whole tab below its header rows by a column. */
  sortTab(at: TabAt & { column: string; descending?: boolean; headerRows?: number }): void {
    const { tab } = this.#at(at);
    const range = { sheetId: tab.properties.sheetId, startRowIndex: at.headerRows ?? 1 };
    const sortOrder = at.descending === true ? 'DESCENDING' : 'ASCENDING';
    this.#perform(at, {
      sortRange: { range, sortSpecs: [{ dimensionIndex: columnOf(tab, at.column), sortOrder }] },
    });
  }

  /** Inserts a row before row `row`, filled from column A on if values are given. */
  insertRow(at: TabAt & { row: number; values?: CellValue[] }): void {
    this.#perform(at, { insertDimension: { range: this.#rows(at, at.row), inheritFromBefore: at.row > 1 } });
    if (at.values !== undefined) this.setRow({ ...at, values: at.values });
  }

  /** Types a row below the last row with data. Returns its number. */
  addRow(at: TabAt & { values: CellValue[] }): { row: number } {
    const { tab } = this.#at(at);
    const row = tab.lastRowWithData() + 1;
    if (row > tab.rowCount)
      this.#perform(at, {
        appendDimension: { sheetId: tab.properties.sheetId, dimension: 'ROWS', length: 1 },
      });
    this.setRow({ ...at, row });
    return { row };
  }

  setRow(at: TabAt & { row: number; values: CellValue[] }): void {
    const { book, tab } = this.#at(at);
    book.atomically(() =>
      writeValues({
        book,
        target: book.resolve(`${showTitle(tab.properties.title)}!A${at.row}`),
        matrix: [at.values],
        option: 'USER_ENTERED',
        principal: staffPrincipal,
      }),
    );
  }

  deleteRow(at: TabAt & { row: number }): void {
    this.#perform(at, { deleteDimension: { range: this.#rows(at, at.row) } });
  }

  moveRow(at: TabAt & { row: number; before: number }): void {
    this.#perform(at, { moveDimension: { source: this.#rows(at, at.row), destinationIndex: at.before - 1 } });
  }

  /** Copies the row to a new row right below it, including ids. */
  duplicateRow(at: TabAt & { row: number }): void {
    const { tab } = this.#at(at);
    const copy = tab.row(at.row - 1);
    this.#perform(at, { insertDimension: { range: this.#rows(at, at.row + 1), inheritFromBefore: true } });
    this.#at(at).tab.setRow(at.row, copy);
  }

  /** Cuts and pastes a row: it becomes blank, and the destination row is overwritten. */
  cutRow(at: TabAt & { row: number; to: number }): void {
    const { sheetId } = this.#at(at).tab.properties;
    const source = { sheetId, startRowIndex: at.row - 1, endRowIndex: at.row };
    this.#perform(at, {
      cutPaste: {
        source,
        destination: { sheetId, rowIndex: at.to - 1, columnIndex: 0 },
        pasteType: 'PASTE_NORMAL',
      },
    });
  }

  /** Moves a column before another one; both by letter or header. */
  moveColumn(at: TabAt & { column: string; before: string }): void {
    const { tab } = this.#at(at);
    const source = this.#columns(at, columnOf(tab, at.column));
    this.#perform(at, { moveDimension: { source, destinationIndex: columnOf(tab, at.before) } });
  }

  /** Inserts a column before another one, with a header if one is given. */
  insertColumn(at: TabAt & { before: string; header?: string }): void {
    const column = columnOf(this.#at(at).tab, at.before);
    this.#perform(at, { insertDimension: { range: this.#columns(at, column), inheritFromBefore: false } });
    if (at.header !== undefined) this.#at(at).tab.setCell(0, column, { value: at.header });
  }

  deleteColumn(at: TabAt & { column: string }): void {
    this.#perform(at, {
      deleteDimension: { range: this.#columns(at, columnOf(this.#at(at).tab, at.column)) },
    });
  }

  renameTab(at: TabAt & { to: string }): void {
    const { sheetId } = this.#at(at).tab.properties;
    this.#perform(at, { updateSheetProperties: { properties: { sheetId, title: at.to }, fields: 'title' } });
  }

  addTab(at: { spreadsheetId: string; tab: string; rows?: number; columns?: number }): void {
    const gridProperties = { rowCount: at.rows ?? 1000, columnCount: at.columns ?? 26 };
    this.#perform(at, { addSheet: { properties: { title: at.tab, gridProperties } } });
  }

  deleteTab(at: TabAt): void {
    this.#perform(at, { deleteSheet: { sheetId: this.#at(at).tab.properties.sheetId } });
  }

  renameHeader(at: TabAt & { from: string; to: string }): void {
    const { tab } = this.#at(at);
    const column = columnOf(tab, at.from);
    tab.setCell(0, column, { ...tab.cell(0, column), value: at.to });
  }

  /** `cell` in A1, typed as by a user: `=…` is a formula, `001` is 1, an empty text clears. */
  setCell(at: TabAt & { cell: string; value: CellValue }): void {
    const { book, tab } = this.#at(at);
    const target = book.resolve(`${showTitle(tab.properties.title)}!${at.cell}`);
    book.atomically(() =>
      writeValues({ book, target, matrix: [[at.value]], option: 'USER_ENTERED', principal: staffPrincipal }),
    );
  }

  /** Types into one column of a row, by its letter or header. */
  typeInto(at: TabAt & { row: number; column: string; value: CellValue }): void {
    const letter = columnName(columnOf(this.#at(at).tab, at.column));
    this.setCell({ ...at, cell: `${letter}${at.row}` });
  }

  /** A formula with the value that Google would show now: the sandbox does not calculate. By the column's letter or header. */
  calculate(at: TabAt & { row: number; column: string; formula: string; value: CellValue }): void {
    const { tab } = this.#at(at);
    const [row, column] = [at.row - 1, columnOf(tab, at.column)];
    tab.setCell(row, column, { ...tab.cell(row, column), formula: at.formula, value: at.value });
  }

  /** Clears the values of a range and keeps its formats; `range` in A1 without the tab. */
  clearRange(at: TabAt & { range: string }): void {
    const { book, tab } = this.#at(at);
    clearValues(book, book.resolve(`${showTitle(tab.properties.title)}!${at.range}`), staffPrincipal);
  }

  /** Sorts only some columns, so that rows are torn apart; `range` in A1 without the tab. */
  sortRange(at: TabAt & { range: string; column: string; descending?: boolean }): void {
    const { book, tab } = this.#at(at);
    const { box } = book.resolve(`${showTitle(tab.properties.title)}!${at.range}`);
    const range = {
      sheetId: tab.properties.sheetId,
      startRowIndex: box.rowStart,
      endRowIndex: box.rowEnd,
      startColumnIndex: box.columnStart,
      endColumnIndex: box.columnEnd,
    };
    const sortOrder = at.descending === true ? 'DESCENDING' : 'ASCENDING';
    this.#perform(at, {
      sortRange: { range, sortSpecs: [{ dimensionIndex: columnOf(tab, at.column), sortOrder }] },
    });
  }

  /** Clears every value including the header; formats stay. */
  blankTab(at: TabAt): void {
    const { book, tab } = this.#at(at);
    clearValues(book, book.targetOf(tab, undefined), staffPrincipal);
  }

  /** `range` in A1 without the tab; absent: the whole tab. `editors` may still write. */
  protectRange(at: TabAt & { range?: string; editors?: string[]; warningOnly?: boolean }): JsonObject {
    const { tab } = this.#at(at);
    const range: JsonObject = { sheetId: tab.properties.sheetId };
    const area = at.range === undefined ? undefined : parseA1(at.range, () => false).area;
    if (area !== undefined) {
      range['startRowIndex'] = area.rowStart;
      range['startColumnIndex'] = area.columnStart;
      if (area.rowEnd !== undefined) range['endRowIndex'] = area.rowEnd;
      if (area.columnEnd !== undefined) range['endColumnIndex'] = area.columnEnd;
    }
    const protectedRange = {
      range,
      editors: { users: at.editors ?? [] },
      warningOnly: at.warningOnly ?? false,
    };
    return objectOf(this.#perform(at, { addProtectedRange: { protectedRange } })[0]?.['addProtectedRange']);
  }

  /** Any request of spreadsheets.batchUpdate, by the owner of the spreadsheet. */
  request(at: { spreadsheetId: string; request: JsonObject }): JsonObject[] {
    return this.#perform(at, at.request);
  }

  #perform(at: { spreadsheetId: string }, request: JsonObject): JsonObject[] {
    return performRequests(
      {
        book: this.#book(at.spreadsheetId),
        principal: staffPrincipal,
        randomId: () => this.#office.randomId(),
      },
      [request],
    );
  }

  #book(id: string): Workbook {
    const book = this.#office.workbook(id);
    if (book === undefined) throw new Error(`the sandbox has no spreadsheet ${id}`);
    return book;
  }

  #at({ spreadsheetId, tab: title }: TabAt): { book: Workbook; tab: Tab } {
    const book = this.#book(spreadsheetId);
    const tab = book.tabTitled(title);
    if (tab === undefined) throw new Error(`the spreadsheet ${spreadsheetId} has no tab ${title}`);
    return { book, tab };
  }

  #rows(at: TabAt, row: number): JsonObject {
    return {
      sheetId: this.#at(at).tab.properties.sheetId,
      dimension: 'ROWS',
      startIndex: row - 1,
      endIndex: row,
    };
  }

  #columns(at: TabAt, column: number): JsonObject {
    return {
      sheetId: this.#at(at).tab.properties.sheetId,
      dimension: 'COLUMNS',
      startIndex: column,
      endIndex: column + 1,
    };
  }
}

/** The column with this header, otherwise the one with this letter. */
function columnOf(tab: Tab, name: string): number {
  const [header = []] = readValues(
    { tab, box: { ...tab.box, rowEnd: 1 } },
    { value: 'FORMATTED_VALUE', date: 'SERIAL_NUMBER' },
  );
  const index = header.indexOf(name);
  if (index >= 0) return index;
  const area = /^[A-Za-z]{1,3}$/.test(name) ? parseA1(`${name}1`, () => false).area : undefined;
  if (area === undefined) throw new Error(`the tab ${tab.properties.title} has no column ${name}`);
  return area.columnStart;
}
