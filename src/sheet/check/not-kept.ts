import { TerminalError } from '../../engine/domain/errors.ts';
import type { SheetSpot } from '../../engine/domain/sheet-row.ts';

/** Reason for giving a row up whose cells change again after each write. */
export function cellsNotKept(mirror: string, { spreadsheetId, tab }: SheetSpot): TerminalError {
  return new TerminalError('cells-not-kept', 'the row does not keep what is written into it', {
    target: `spreadsheet:${spreadsheetId}/${tab}`,
    advice: `After each write, something changes the cells of the mirror ${mirror} in this row. It may be a script or an add-on (Extensions), another program, or a formula that fills the column. Take it off the mirror's columns, then retry.`,
  });
}
