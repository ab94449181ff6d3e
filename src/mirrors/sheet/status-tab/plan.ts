// Input: the tabs of a spreadsheet and the lines to show. Output: the requests that make the status tab show them. Pure.
import { createHash } from 'node:crypto';
import type { SheetRequest, TabInfo } from '../../../google/sheets-api.ts';

/** Lines that each write covers: blank ones after the text erase what was there before. */
export const LINES_MAX = 15;
const WIDTH_PIXELS = 640;

/** Google lets the caller choose a tab id of 31 bits. A derived id finds the tab again after a lost Redis or a rename by a user. */
export function statusTabId(installation: string): number {
  return createHash('sha256').update(`slotbridge status ${installation}`).digest().readUInt32BE(0) >>> 1;
}

/** `taken`: users already have a tab of that name, and it belongs to them. */
export function planStatusTab(
  tabs: readonly TabInfo[],
  {
    sheetId,
    title,
    lines,
  }: { readonly sheetId: number; readonly title: string; readonly lines: readonly string[] },
): readonly SheetRequest[] | 'taken' {
  const own = tabs.find((tab) => tab.sheetId === sheetId);
  // Google ignores case when it compares tab titles.
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

/** Adds the rows that users have deleted. */
function grown({ sheetId, rows }: TabInfo): SheetRequest[] {
  if (rows >= LINES_MAX) return [];
  return [{ appendDimension: { sheetId, dimension: 'ROWS', length: LINES_MAX - rows } }];
}

/** Writes values only: users' formatting of the cells stays. */
function written(sheetId: number, lines: readonly string[]): SheetRequest {
  const rows = Array.from({ length: LINES_MAX }, (_, index) => {
    const line = lines[index];
    return { values: [line === undefined ? {} : { userEnteredValue: { stringValue: line } }] };
  });
  return {
    updateCells: { start: { sheetId, rowIndex: 0, columnIndex: 0 }, rows, fields: 'userEnteredValue' },
  };
}
