// The parts of tabs that a write returns, as they are right after it (Google, `includeSpreadsheetInResponse`): what to request, and how to
// read it.
import * as z from 'zod';
import type { GridArea } from './grid-area.ts';

/** Part of a tab. `title` is the tab's title as last read, because the ranges of an answer use titles (Google, `responseRanges`). */
export interface ShownArea {
  readonly title: string;
  readonly area: GridArea;
}

/** Cells that one write may return: a cell takes about 100 bytes of an answer, and at most 64 MiB are read. */
export const CELLS_SHOWN_MAX = 200_000;

/** Sheet id to cells by row and column, unformatted; an empty string where a cell is empty or was not requested. */
export type ShownTabs = ReadonlyMap<number, readonly (readonly unknown[])[]>;

/** Two areas of one tab may start in the same cell, so all parts of a tab are merged into one grid, in any order. */
export const SHOWN_FIELDS =
  'spreadsheetId,updatedSpreadsheet.sheets(properties.sheetId,data(startRow,startColumn,rowData.values.effectiveValue))';

/** Also returns how many cells a `findReplace` changed. */
export const REPLACED_FIELDS = `${SHOWN_FIELDS},replies.findReplace.valuesChanged`;

const index = z.number().int().nonnegative().default(0);
export const EXTENDED_VALUE = z.object({
  stringValue: z.string().optional(),
  numberValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  errorValue: z.object({ type: z.string().default('') }).optional(),
});
const ROW = z.object({
  values: z.array(z.object({ effectiveValue: EXTENDED_VALUE.optional() })).default([]),
});
const SPREADSHEET = z.object({
  sheets: z
    .array(
      z.object({
        properties: z.object({ sheetId: index }).default({ sheetId: 0 }),
        data: z
          .array(z.object({ startRow: index, startColumn: index, rowData: z.array(ROW).default([]) }))
          .default([]),
      }),
    )
    .default([]),
});
type Sheet = z.output<typeof SPREADSHEET>['sheets'][number];

/** The answer to a write. An unreadable spreadsheet counts as not shown, because the write itself is done. */
export const WRITTEN = z.object({
  spreadsheetId: z.string(),
  /** One reply per request, in order. */
  replies: z
    .array(z.object({ findReplace: z.object({ valuesChanged: index }).partial().optional() }))
    .default([]),
  updatedSpreadsheet: SPREADSHEET.optional().catch(undefined),
});

/** The tabs that Google returned completely. */
export function shownTabs(
  { updatedSpreadsheet }: z.output<typeof WRITTEN>,
  asked: readonly ShownArea[],
): ShownTabs {
  const sheets = updatedSpreadsheet?.sheets ?? [];
  return new Map(
    sheets.flatMap((sheet) => {
      const { sheetId } = sheet.properties;
      const parts = asked.filter(({ area }) => area.sheetId === sheetId).length;
      return parts > 0 && sheet.data.length === parts ? [[sheetId, gridOf(sheet)] as const] : [];
    }),
  );
}

function gridOf({ data }: Sheet): readonly (readonly unknown[])[] {
  const grid: unknown[][] = [];
  for (const { startRow, startColumn, rowData } of data) {
    for (const [i, { values }] of rowData.entries()) {
      const row = startRow + i;
      for (const [j, { effectiveValue }] of values.entries()) {
        if (effectiveValue === undefined) continue;
        while (grid.length <= row) grid.push([]);
        const cells = grid[row] ?? [];
        while (cells.length < startColumn + j) cells.push('');
        cells[startColumn + j] = plainValue(effectiveValue);
      }
    }
  }
  return grid;
}

/** The value in the form that a read of unformatted values returns. */
export function plainValue(value: z.output<typeof EXTENDED_VALUE>): unknown {
  if (value.errorValue !== undefined) return ERROR_TEXTS.get(value.errorValue.type) ?? '#ERROR!';
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? '';
}

/** How Google shows each ErrorType. */
const ERROR_TEXTS = new Map([
  ['NULL_VALUE', '#NULL!'],
  ['DIVIDE_BY_ZERO', '#DIV/0!'],
  ['VALUE', '#VALUE!'],
  ['REF', '#REF!'],
  ['NAME', '#NAME?'],
  ['NUM', '#NUM!'],
  ['N_A', '#N/A'],
  ['LOADING', 'Loading...'],
]);

/** The area in A1 notation. */
export function a1Of({ title, area }: ShownArea): string {
  const name = `'${title.replaceAll("'", "''")}'`;
  const { startRow, endRow, startColumn, endColumn } = area;
  if (startColumn === undefined && endColumn === undefined) {
    return endRow === undefined ? name : `${name}!${(startRow ?? 0) + 1}:${endRow}`;
  }
  const firstRow = startRow === undefined && endRow === undefined ? '' : (startRow ?? 0) + 1;
  const from = `${lettersOf(startColumn ?? 0)}${firstRow}`;
  return `${name}!${from}:${lettersOf((endColumn ?? LAST_COLUMN) - 1)}${endRow ?? ''}`;
}

/** Google's limit for one tab. */
const LAST_COLUMN = 18_278;

/** The tab's title in one of Google's ranges: `'It''s'!A1:B2`. */
export function titleIn(range: string): string | undefined {
  const end = range.lastIndexOf('!');
  if (end <= 0) return undefined;
  const name = range.slice(0, end);
  const isQuoted = name.length >= 2 && name.startsWith("'") && name.endsWith("'");
  return isQuoted ? name.slice(1, -1).replaceAll("''", "'") : name;
}

/** 0 is A, 26 is AA. */
function lettersOf(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}
