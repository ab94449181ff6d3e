// Merged cells. The first cell of a merge shows its value over the whole. Values written to the others are not shown (gspread #1334): the
// sandbox drops them.
import { type JsonObject, objectOf } from '../json.ts';
import { invalidArgument, notInSandbox } from '../refusal.ts';
import type { Box } from './a1.ts';
import { gridTarget } from './filters.ts';
import type { Batch } from './workbook.ts';
import { overlap } from './workbook.ts';

export function mergeCells(batch: Batch, request: JsonObject): void {
  if (request['range'] === undefined) throw invalidArgument('range is required.');
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  const type = request['mergeType'] ?? 'MERGE_ALL';
  if (tab.merges.some((merge) => overlap(merge, box))) throw notInSandbox('a merge over merged cells');
  if (tab.tables.some((table) => overlap(table.box, box)))
    throw invalidArgument('Cells of a table cannot be merged.');
  batch.book.checkProtection(tab, box, batch.principal);
  const parts = type === 'MERGE_COLUMNS' ? columnsOf(box) : type === 'MERGE_ROWS' ? rowsOf(box) : [box];
  tab.merges = [...tab.merges, ...parts.filter(isSeveral)];
  for (let row = box.rowStart; row < box.rowEnd; row += 1) tab.setRow(row, tab.row(row));
}

export function unmergeCells(batch: Batch, request: JsonObject): void {
  const { tab, box } = gridTarget(batch.book, objectOf(request['range']));
  batch.book.checkProtection(tab, box, batch.principal);
  for (const merge of tab.merges) {
    if (!overlap(merge, box)) continue;
    const isWhole =
      box.rowStart <= merge.rowStart &&
      merge.rowEnd <= box.rowEnd &&
      box.columnStart <= merge.columnStart &&
      merge.columnEnd <= box.columnEnd;
    if (!isWhole)
      throw invalidArgument('You must select all cells in a merged range to merge or unmerge them.');
  }
  tab.merges = tab.merges.filter((merge) => !overlap(merge, box));
}

function isSeveral({ rowStart, rowEnd, columnStart, columnEnd }: Box): boolean {
  return (rowEnd - rowStart) * (columnEnd - columnStart) > 1;
}

function columnsOf(box: Box): Box[] {
  return Array.from({ length: box.columnEnd - box.columnStart }, (_, at) => ({
    ...box,
    columnStart: box.columnStart + at,
    columnEnd: box.columnStart + at + 1,
  }));
}

function rowsOf(box: Box): Box[] {
  return Array.from({ length: box.rowEnd - box.rowStart }, (_, at) => ({
    ...box,
    rowStart: box.rowStart + at,
    rowEnd: box.rowStart + at + 1,
  }));
}
