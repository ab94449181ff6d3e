import { RetryableError, TerminalError } from '../../domain/errors.ts';
import type { Cell } from '../../domain/sheet-row.ts';
import type { CellData, SheetRequest, SheetsApi } from '../../google/sheets-api.ts';

/** One cell of the worker's own columns, where it was read a moment ago. */
export interface PencilMark {
  readonly sheetId: number;
  readonly row: number;
  readonly column: number;
  /** Null empties it. */
  readonly cell: Cell;
}

/**
 * Writes the marks in one request, all or none of them. Sheets knows no condition for a write (Google has no etag for cells): whoever
 * calls reads the tab again, and goes by what stands there then. Resolves with what Google refuses for good, a protected column most
 * often. Rejects with the other two error families; a lost answer is none: what was written is seen at the next reading.
 */
export async function pencilIn(
  api: SheetsApi,
  spreadsheetId: string,
  marks: readonly PencilMark[],
): Promise<TerminalError | undefined> {
  if (marks.length === 0) return undefined;
  try {
    await api.write(spreadsheetId, marks.map(requestOf));
    return undefined;
  } catch (error) {
    if (error instanceof TerminalError) return error;
    if (error instanceof RetryableError) return undefined;
    throw error;
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
