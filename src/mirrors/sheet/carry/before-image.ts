// Before a write overwrites cells that users may change, it copies the header and the rows into a hidden tab of its own. Google performs a
// batch as a whole, so nothing can come between the copy and the write.

import type { CarryingMirror } from '../../../domain/mirror.ts';
import { trimmedCell } from '../../../domain/sheet-row.ts';
import type { AreaValues, SheetRequest } from '../../../google/sheets-api.ts';
import { areasOf } from '../flush/beside.ts';
import type { TabPlan } from '../flush/plan.ts';

/** Title of the hidden tab. */
export function beforeTitle(sheetId: number): string {
  return `slotbridge-before-${sheetId}`;
}

/** Returns no requests if the plan overwrites nothing. The copy keeps the tab's columns and puts the rows directly below each other. */
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

/**
 * The rows of the hidden tab, by the headers in the copy, because users may have moved columns in that moment. Undefined unless each header
 * appears exactly once.
 */
export function rowsBefore(
  mirror: Pick<CarryingMirror, 'keyHeader' | 'carry'>,
  { rows }: AreaValues,
): readonly { readonly id: string; readonly cells: Readonly<Record<string, unknown>> }[] | undefined {
  const [header = [], ...others] = rows;
  const names = header.map(trimmedCell);
  const key = mirror.keyHeader.trim();
  const headers = mirror.carry.columns.map((column) => column.header);
  const isOnce = (name: string) => names.includes(name) && names.indexOf(name) === names.lastIndexOf(name);
  if (![key, ...headers].every(isOnce)) return undefined;
  return others.map((row) => ({
    id: trimmedCell(row[names.indexOf(key)]),
    cells: Object.fromEntries(headers.map((name) => [name, row[names.indexOf(name)]])),
  }));
}
