// Merged cells and Sheets tables of a tab, and what they mean for a write. Pure. A merge shows only its first cell, so a row with cells
// under one waits. Rows below a table do not join it, so the write takes them in.

import type { KeyedTab } from '../engine/mirror.ts';
import type { SheetTable, TabInfo } from '../google/sheets-api.ts';
import type { GridArea } from '../google/shown-cells.ts';
import { isObjectId, planWithout, type RowWrite, type TabPlan } from './flush-plan.ts';
import type { Layout, TabFault } from './tab-layout.ts';
import { namedCells } from './tab-problems.ts';

export type TabShape = Pick<TabInfo, 'tables' | 'merges' | 'isFiltered'>;

/** True if the worker must look at the tab's shape before it writes. */
export function hasShape({ tables = [], merges = [] }: TabShape): boolean {
  return tables.length > 0 || merges.length > 0;
}

/** The mirror's columns of the row that a merge covers. */
export function coveredColumns({ merges = [] }: TabShape, layout: Layout, row: number): readonly number[] {
  const over = merges.filter(({ startRow = 0, endRow = 0 }) => startRow <= row && row < endRow);
  if (over.length === 0) return [];
  return [layout.keyColumn, ...layout.columns.values()].filter((column) =>
    over.some((merge) => isCovered(merge, row, column)),
  );
}

function isCovered(
  { startRow = 0, startColumn = 0, endColumn = Number.POSITIVE_INFINITY }: GridArea,
  row: number,
  column: number,
): boolean {
  const isFirst = row === startRow && column === startColumn;
  return startColumn <= column && column < endColumn && !isFirst;
}

interface Fitted {
  readonly plan: TabPlan;
  /** Rows that wait, because merged cells cover some of theirs. */
  readonly waiting: readonly RowWrite[];
  readonly fault?: TabFault;
}

export function fitToShape(plan: TabPlan, shape: TabShape): Fitted {
  const { layout } = plan.view;
  const covered = [...plan.inPlace].flatMap(([row, write]) => {
    const columns = coveredColumns(shape, layout, row);
    return columns.length === 0 ? [] : [{ row, columns, write }];
  });
  const waiting = covered.map(({ write }) => write);
  const left = planWithout(plan, (write) => waiting.includes(write));
  const insertAt = belowMerges(shape, plan.insertAt);
  const table = insertAt === plan.insertAt ? grownTable(plan, shape) : undefined;
  return {
    plan: { ...left, insertAt, ...(table !== undefined && { table }) },
    waiting,
    ...(covered.length > 0 && { fault: cellsMerged(covered) }),
  };
}

/** A row inserted into a merge would become part of it. */
function belowMerges({ merges = [] }: TabShape, row: number): number {
  const over = merges.find(({ startRow = 0, endRow = 0 }) => startRow < row && row < endRow);
  return over === undefined ? row : belowMerges({ merges }, over.endRow ?? row + 1);
}

/** The mirror's table with the new rows. Undefined unless they come right below it, or below rows of the mirror that follow it. */
function grownTable({ view, insertAt, fresh }: TabPlan, { tables = [] }: TabShape): SheetTable | undefined {
  const table = tables.find(({ area }) => isOfMirror(area, view.layout));
  const { endRow = Number.POSITIVE_INFINITY } = table?.area ?? {};
  if (table === undefined || fresh.length === 0 || endRow > insertAt) return undefined;
  if (!view.keys.slice(endRow, insertAt).every(isObjectId)) return undefined;
  return { ...table, area: { ...table.area, endRow: insertAt + fresh.length } };
}

/** The first row of the tab is its header. */
function isOfMirror(
  { startRow = 0, startColumn = 0, endColumn = 0 }: GridArea,
  { keyColumn }: Layout,
): boolean {
  return startRow === 0 && startColumn <= keyColumn && keyColumn < endColumn;
}

/** `cells`: of the mirror, under merges. */
export function cellsMerged(
  cells: readonly { readonly row: number; readonly columns: readonly number[] }[],
): TabFault {
  return {
    code: 'cells-merged',
    message: `merged cells cover cells of the mirror, which show nothing: ${namedCells(cells)}`,
    advice: 'Unmerge them (Format, Merge cells). These rows wait, and are written once they are whole.',
  };
}

export function tabFiltered({ tab }: KeyedTab): TabFault {
  return {
    code: 'tab-filtered',
    message: `a filter has hidden rows of the tab ${tab} from everybody for a day; the worker writes them all the same`,
    advice:
      'Remove it (Data, Remove filter), or use a filter view, which hides rows only from whoever opens it.',
  };
}
