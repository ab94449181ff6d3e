// How answers describe values: the rendering options, and what a write has changed.
import { type JsonObject, stringOf } from '../json.ts';
import { showRange } from './a1.ts';
import type { DateRender, Rendering, ValueRender } from './display.ts';
import { type Major, showValues, type Written } from './range.ts';
import type { Target, Workbook } from './workbook.ts';

export type Reading = Rendering & { major: Major };

export function showWritten(
  book: Workbook,
  what: { target: Target; written: Written; echo: Reading | undefined },
): JsonObject {
  const { target, written, echo } = what;
  const shown: JsonObject = {
    spreadsheetId: book.id,
    updatedRange: showRange(target.tab.properties.title, written.box),
  };
  if (written.cells > 0) {
    shown['updatedRows'] = written.rows;
    shown['updatedColumns'] = written.columns;
    shown['updatedCells'] = written.cells;
  }
  if (echo !== undefined) {
    // If the range is larger than the written box, the whole range is shown.
    const box = target.isCell ? written.box : target.box;
    shown['updatedData'] = showValues({ tab: target.tab, box }, echo);
  }
  return shown;
}

/** The totals of a batch. */
export function totals(responses: readonly { written: Written; target: Target }[]): JsonObject {
  const rows = new Set<string>();
  const columns = new Set<string>();
  const sheets = new Set<number>();
  let cells = 0;
  for (const { written, target } of responses) {
    const { sheetId } = target.tab.properties;
    cells += written.cells;
    if (written.cells === 0) continue;
    sheets.add(sheetId);
    for (let r = written.box.rowStart; r < written.box.rowEnd; r += 1) rows.add(`${sheetId} ${r}`);
    for (let c = written.box.columnStart; c < written.box.columnEnd; c += 1) columns.add(`${sheetId} ${c}`);
  }
  return {
    totalUpdatedRows: rows.size,
    totalUpdatedColumns: columns.size,
    totalUpdatedCells: cells,
    totalUpdatedSheets: sheets.size,
  };
}

/** The options of a read, from a query or a body. */
export function readingOf(given: JsonObject): Reading {
  return {
    value: (stringOf(given['valueRenderOption']) ?? 'FORMATTED_VALUE') as ValueRender,
    date: (stringOf(given['dateTimeRenderOption']) ?? 'SERIAL_NUMBER') as DateRender,
    major: given['majorDimension'] === 'COLUMNS' ? 'COLUMNS' : 'ROWS',
  };
}

/** How an answer shows the written values; undefined: not at all. */
export function echoOf(asked: JsonObject, part: JsonObject): Reading | undefined {
  if (asked['includeValuesInResponse'] !== true && asked['includeValuesInResponse'] !== 'true')
    return undefined;
  return readingOf({
    valueRenderOption: asked['responseValueRenderOption'],
    dateTimeRenderOption: asked['responseDateTimeRenderOption'],
    majorDimension: part['majorDimension'],
  });
}
