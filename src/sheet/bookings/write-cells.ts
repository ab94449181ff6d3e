import { RetryableError, TerminalError } from '../../engine/domain/errors.ts';
import type { Cell } from '../../engine/domain/sheet-row.ts';
import { GoogleFailure } from '../../google/errors.ts';
import type { CellData, SheetRequest, SheetsApi } from '../../google/sheets-api.ts';
import type { ShownArea, ShownTabs } from '../../google/shown-cells.ts';

/** The new content of one cell, at the place where it was just read. */
export interface CellWrite {
  readonly sheetId: number;
  readonly row: number;
  readonly column: number;
  /** Null empties it. */
  readonly cell: Cell;
}

export interface WriteResult {
  /** A write that Google refuses for good, usually because of a protected column. */
  readonly refused?: TerminalError;
  /** The tabs right after the write; empty when Google did not show them. */
  readonly shown: ShownTabs;
}

/**
 * Writes the marks in one request, all or none of them. Sheets has no conditional writes (Google has no etag for cells). So callers judge
 * by what is there afterwards, as shown or read again. Rejects with `DeferredError`. A lost answer resolves with nothing shown, because the
 * next reading shows what was written. `show`: the areas that the answer should include. A refusal that names no request may be about
 * those.
 */
export async function writeCells(
  api: SheetsApi,
  spreadsheetId: string,
  { marks, show }: { readonly marks: readonly CellWrite[]; readonly show: readonly ShownArea[] },
): Promise<WriteResult> {
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

function requestOf({ sheetId, row, column, cell }: CellWrite): SheetRequest {
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
