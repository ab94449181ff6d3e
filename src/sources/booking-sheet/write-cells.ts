import { RetryableError, TerminalError } from '../../domain/errors.ts';
import type { Cell } from '../../domain/sheet-row.ts';
import { GoogleFailure } from '../../google/failure.ts';
import type { CellData, SheetRequest, SheetsApi } from '../../google/sheets-api.ts';
import type { ShownArea, ShownTabs } from '../../google/shown-cells.ts';

/** One cell of the worker's own columns, where it was read a moment ago. */
export interface PencilMark {
  readonly sheetId: number;
  readonly row: number;
  readonly column: number;
  /** Null empties it. */
  readonly cell: Cell;
}

export interface Pencilled {
  /** What Google refuses for good, a protected column most often. */
  readonly refused?: TerminalError;
  /** The tabs right after it; empty when Google has not shown them. */
  readonly shown: ShownTabs;
}

/**
 * Writes the marks in one request, all or none of them. Sheets knows no condition for a write (Google has no etag for cells). So callers go
 * by what stands there afterwards, as shown or read again. Rejects with `DeferredError`; a lost answer resolves with nothing shown, because
 * the next reading shows what was written. `show`: what the write is to show. A refusal that names no request may be about that.
 */
export async function writeCells(
  api: SheetsApi,
  spreadsheetId: string,
  { marks, show }: { readonly marks: readonly PencilMark[]; readonly show: readonly ShownArea[] },
): Promise<Pencilled> {
  const nothing = new Map();
  if (marks.length === 0) return { shown: nothing };
  try {
    return { shown: await api.write(spreadsheetId, marks.map(requestOf), show) };
  } catch (error) {
    if (error instanceof RetryableError) return { shown: nothing };
    if (!(error instanceof TerminalError)) throw error;
    const { cause } = error;
    const isOpen = show.length > 0 && cause instanceof GoogleFailure && cause.refusedRequest() === undefined;
    return isOpen ? { shown: nothing } : { refused: error, shown: nothing };
  }
}

function requestOf({ sheetId, row, column, cell }: PencilMark): SheetRequest {
  return {
    updateCells: {
      start: { sheetId, rowIndex: row, columnIndex: column },
      // `stringValue` is never read as a formula (Google, ExtendedValue); a cell without a value is emptied.
      rows: [{ values: [cellData(cell)] }],
      fields: 'userEnteredValue',
    },
  };
}

function cellData(cell: Cell): CellData {
  switch (typeof cell) {
    case 'string':
      return { userEnteredValue: { stringValue: cell } };
    case 'number':
      return { userEnteredValue: { numberValue: cell } };
    case 'boolean':
      return { userEnteredValue: { boolValue: cell } };
    default:
      return {};
  }
}
