// Before a write overwrites cells that users may change, it copies the header and the rows into a hidden tab of its own. Google performs a
// batch as a whole, so nothing can come between the copy and the write.

import type { CarryingMirror } from '../../engine/domain/mirror.ts';
import { columnsHeaded, trimmedCell } from '../../engine/domain/sheet-row.ts';
import type { AreaValues, SheetRequest } from '../../google/sheets-api.ts';
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
  const copies = areas.flatMap(({ startRow, endRow }): SheetRequest[] => {
    const columns = { startColumnIndex: 0, endColumnIndex: columnCount };
    const source = { sheetId: view.sheetId, startRowIndex: startRow, endRowIndex: endRow, ...columns };
    const to = at + endRow - startRow;
    const destination = { sheetId: before.sheetId, startRowIndex: at, endRowIndex: to, ...columns };
    at = to;
    // The format tells a day from its midnight.
    return ['PASTE_VALUES', 'PASTE_FORMAT'].map((pasteType) => ({
      copyPaste: { source, destination, pasteType, pasteOrientation: 'NORMAL' },
    }));
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
  const headers = mirror.carry.columns.map((column) => column.header);
  const columns = [mirror.keyHeader, ...headers].map((name) => columnsHeaded(names, name));
  if (columns.some((found) => found.length !== 1)) return undefined;
  const [keyColumn = -1, ...own] = columns.flat();
  return others.map((row) => ({
    id: trimmedCell(row[keyColumn]),
    cells: Object.fromEntries(headers.map((name, at) => [name, row[own[at] ?? -1]])),
  }));
}
