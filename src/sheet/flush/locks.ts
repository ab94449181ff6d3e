import type { GridArea, TabInfo } from '../../google/sheets-api.ts';

/** True when a protection keeps the worker from editing some of these cells of the row. Without `columns`, the whole row counts. */
export function isLocked(tab: TabInfo, row: number, columns: readonly number[] | undefined): boolean {
  return tab.locks.some(({ area, except }) => {
    if (!isInside(row, area.startRow, area.endRow)) return false;
    if (columns === undefined) return !except.some((hole) => isInside(row, hole.startRow, hole.endRow));
    return columns.some(
      (column) => covers(area, row, column) && !except.some((hole) => covers(hole, row, column)),
    );
  });
}

function covers(area: GridArea, row: number, column: number): boolean {
  return isInside(row, area.startRow, area.endRow) && isInside(column, area.startColumn, area.endColumn);
}

function isInside(index: number, start = 0, end = Number.POSITIVE_INFINITY): boolean {
  return index >= start && index < end;
}
