// The tabs of a spreadsheet and the lines go in; the requests that make the tab show them come out. Pure.
import { createHash } from 'node:crypto';
import type { SheetRequest, TabInfo } from '../../../google/sheets-api.ts';

/** So many lines are written each time, blank ones behind the text: what stood there before goes. */
export const LINES_MAX = 15;
const WIDTH_PIXELS = 640;

/** Google numbers tabs with 31 bits, and lets a caller choose. So the tab is known again although Redis was lost or people renamed it. */
export function statusTabId(installation: string): number {
  return createHash('sha256').update(`slotbridge status ${installation}`).digest().readUInt32BE(0) >>> 1;
}

/** `taken`: people have a tab of that name, and it is theirs. */
export function planStatusTab(
  tabs: readonly TabInfo[],
  {
    sheetId,
    title,
    lines,
  }: { readonly sheetId: number; readonly title: string; readonly lines: readonly string[] },
): readonly SheetRequest[] | 'taken' {
  const own = tabs.find((tab) => tab.sheetId === sheetId);
  // Google tells tabs apart without regard to case.
  const isTaken = tabs.some((tab) => tab.title.toLowerCase() === title.toLowerCase());
  if (own === undefined && isTaken) return 'taken';
  return [...(own === undefined ? made(sheetId, title) : grown(own)), written(sheetId, lines)];
}

function made(sheetId: number, title: string): SheetRequest[] {
  const gridProperties = { rowCount: LINES_MAX, columnCount: 1 };
  const range = { sheetId, dimension: 'COLUMNS', startIndex: 0, endIndex: 1 };
  return [
    { addSheet: { properties: { sheetId, title, gridProperties } } },
    { updateDimensionProperties: { range, properties: { pixelSize: WIDTH_PIXELS }, fields: 'pixelSize' } },
  ];
}

/** People have deleted rows of it. */
function grown({ sheetId, rows }: TabInfo): SheetRequest[] {
  if (rows >= LINES_MAX) return [];
  return [{ appendDimension: { sheetId, dimension: 'ROWS', length: LINES_MAX - rows } }];
}

/** Values only: the look that people give the cells stays. */
function written(sheetId: number, lines: readonly string[]): SheetRequest {
  const rows = Array.from({ length: LINES_MAX }, (_, index) => {
    const line = lines[index];
    return { values: [line === undefined ? {} : { userEnteredValue: { stringValue: line } }] };
  });
  return {
    updateCells: { start: { sheetId, rowIndex: 0, columnIndex: 0 }, rows, fields: 'userEnteredValue' },
  };
}
