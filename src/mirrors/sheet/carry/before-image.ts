// What a write is to do before it goes over cells that people may change: it copies the header and the rows, as they stand in that very moment,
// into a hidden tab of its own. Google performs a batch as a whole, so nothing can come between the copy and the write.
import type { AreaValues, SheetRequest } from '../../../google/sheets-api.ts';
import type { OverWrite } from '../../../ports/rows.ts';
import { areasOf } from '../flush/beside.ts';
import type { TabPlan } from '../flush/plan.ts';
import { textOf } from '../tab/layout.ts';

/** Title of the hidden tab. */
export function beforeTitle(sheetId: number): string {
  return `slotbridge-before-${sheetId}`;
}

/** None for a plan that goes over nothing. The columns stand where they stand in the tab, the rows one below the other. */
export function beforeRequests({ view, inPlace, before }: TabPlan): readonly SheetRequest[] {
  if (before === undefined || inPlace.size === 0) return [];
  const columnCount = Math.max(view.layout.keyColumn, ...view.layout.columns.values()) + 1;
  const areas = [{ startRow: 0, endRow: 1 }, ...areasOf(view.sheetId, [...inPlace.keys()])];
  const rowCount = areas.reduce((sum, { startRow, endRow }) => sum + endRow - startRow, 0);
  const gridProperties = { rowCount, columnCount };
  const title = beforeTitle(before.sheetId);
  const made = { addSheet: { properties: { sheetId: before.sheetId, title, hidden: true, gridProperties } } };
  let at = 0;
  const copies = areas.map(({ startRow, endRow }): SheetRequest => {
    const columns = { startColumnIndex: 0, endColumnIndex: columnCount };
    const source = { sheetId: view.sheetId, startRowIndex: startRow, endRowIndex: endRow, ...columns };
    const to = at + endRow - startRow;
    const destination = { sheetId: before.sheetId, startRowIndex: at, endRowIndex: to, ...columns };
    at = to;
    return { copyPaste: { source, destination, pasteType: 'PASTE_VALUES', pasteOrientation: 'NORMAL' } };
  });
  return [made, ...copies];
}

/** The rows of the hidden tab by the id that stood in them; undefined where the columns stood otherwise than they were read. */
export function rowsBefore(
  { keyColumn, columns }: Pick<OverWrite, 'keyColumn' | 'columns'>,
  keyHeader: string,
  { rows }: AreaValues,
): readonly { readonly id: string; readonly cells: Readonly<Record<string, unknown>> }[] | undefined {
  const [header = [], ...others] = rows;
  const isAsRead =
    textOf(header[keyColumn]) === keyHeader.trim() &&
    Object.entries(columns).every(([name, column]) => textOf(header[column]) === name);
  if (!isAsRead) return undefined;
  return others.map((row) => ({
    id: textOf(row[keyColumn]),
    cells: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, row[column]])),
  }));
}
