// Empties cells of one person's rows, and of no other row, although people sort meanwhile and Google has no conditional write. A write
// empties a cell only if it still contains the text that was read. Texts that others may have too go first, while the cell that identifies
// the person still exists. The answer to that write shows whether it hit this row. If it hit another row, that row gets its texts back
// immediately.
import { RetryableError, TerminalError, WorkerError } from '../../domain/errors.ts';
import type { Cell } from '../../domain/sheet-row.ts';
import type { SheetRequest, SheetsApi } from '../../google/sheets-api.ts';
import type { ShownArea } from '../../google/shown-cells.ts';
import { toCellData } from '../../mirrors/sheet/tab/cell-data.ts';

/** How many rows one request empties; each is an area of the answer. */
const ROWS_AT_ONCE = 50;

export interface RowToEmpty {
  /** Counted from 0. */
  readonly row: number;
  /** The cells as they were read. */
  readonly cells: readonly unknown[];
  readonly columns: readonly number[];
  /** The column that identifies the person. */
  readonly anchor: number;
}

interface Tab {
  readonly spreadsheetId: string;
  readonly sheetId: number;
  readonly title: string;
}

export interface NotEmptied {
  /** Rows that Google refuses to change. */
  readonly refused: RowToEmpty[];
  /** Places where the write hit another person's row that could not be found again: its cells may be empty. */
  readonly moved: RowToEmpty[];
}

interface Emptying {
  readonly api: Pick<SheetsApi, 'replace' | 'write'>;
  readonly tab: Tab;
  /** Filled immediately, so that it is complete even if the work rejects. */
  readonly told: NotEmptied;
}

/** Rows that people moved meanwhile stay as they are: the next look finds them. */
export async function emptyRows(emptying: Emptying, rows: readonly RowToEmpty[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await emptyAllowed(emptying, rows.slice(at, at + ROWS_AT_ONCE));
}

/** One protected cell makes Google refuse the whole write; then the rows are written one by one. */
async function emptyAllowed(emptying: Emptying, rows: readonly RowToEmpty[]): Promise<void> {
  try {
    await emptySome(emptying, rows);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    if (rows.length === 1) emptying.told.refused.push(...rows);
    else for (const row of rows) await emptyAllowed(emptying, [row]);
  }
}

async function emptySome({ api, tab, told }: Emptying, rows: readonly RowToEmpty[]): Promise<void> {
  const others = rows.flatMap((each) =>
    each.columns.filter((column) => column !== each.anchor).map((column) => ({ ...each, column })),
  );
  const anchors = rows.map((row) => emptied(tab, { ...row, column: row.anchor }));
  if (others.length === 0) {
    await api.replace(tab.spreadsheetId, anchors, []);
    return;
  }
  const { shown, changed } = await api.replace(
    tab.spreadsheetId,
    others.map((cell) => emptied(tab, cell)),
    rows.map((row) => areaOf(tab, row)),
  );
  const grid = shown.get(tab.sheetId);
  if (grid === undefined) {
    throw new RetryableError('google-unreadable', 'Google did not return the rows to be emptied', {
      target: `spreadsheet:${tab.spreadsheetId}`,
    });
  }
  const isThere = ({ row, anchor, cells }: RowToEmpty) =>
    String(grid[row]?.[anchor] ?? '') === String(cells[anchor]);
  for (const row of rows.filter((each) => !isThere(each))) {
    const hit = others.filter((cell, nth) => cell.row === row.row && (changed[nth] ?? 0) > 0);
    if (hit.length === 0) continue;
    const theirs = { row, columns: hit.map(({ column }) => column), seen: grid[row.row] ?? [] };
    if (!(await isGivenBack({ api, tab }, theirs))) told.moved.push(row);
  }
  const proven = anchors.filter((_, nth) => rows[nth] !== undefined && isThere(rows[nth]));
  if (proven.length > 0) await api.replace(tab.spreadsheetId, proven, []);
}

/** Restores another person's row, which was in this place for a moment. False when another row, or none, may have been there by then. */
async function isGivenBack(
  { api, tab }: Pick<Emptying, 'api' | 'tab'>,
  hit: { readonly row: RowToEmpty; readonly columns: readonly number[]; readonly seen: readonly unknown[] },
): Promise<boolean> {
  const { row, columns, seen } = hit;
  const requests = columns.map((column): SheetRequest => {
    const start = { sheetId: tab.sheetId, rowIndex: row.row, columnIndex: column };
    const values = [toCellData(row.cells[column] as Cell)];
    return { updateCells: { start, rows: [{ values }], fields: 'userEnteredValue' } };
  });
  const shown = await api.write(tab.spreadsheetId, requests, [areaOf(tab, row)]).catch((error: unknown) => {
    if (error instanceof WorkerError) return undefined;
    throw error;
  });
  const now = shown?.get(tab.sheetId)?.[row.row] ?? [];
  return row.cells.every(
    (_, column) => columns.includes(column) || String(now[column] ?? '') === String(seen[column] ?? ''),
  );
}

function areaOf({ sheetId, title }: Tab, { row, cells }: RowToEmpty): ShownArea {
  return {
    title,
    area: { sheetId, startRow: row, endRow: row + 1, startColumn: 0, endColumn: cells.length },
  };
}

function emptied({ sheetId }: Tab, { row, column, cells }: RowToEmpty & { readonly column: number }) {
  const range = {
    ...{ sheetId, startRowIndex: row, endRowIndex: row + 1 },
    ...{ startColumnIndex: column, endColumnIndex: column + 1 },
  };
  return { find: String(cells[column]), replacement: '', matchCase: true, matchEntireCell: true, range };
}
