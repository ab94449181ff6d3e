import type { AreaValues, GridArea } from '../../../google/sheets-api.ts';
import { CELLS_SHOWN_MAX, type ShownArea } from '../../../google/shown-cells.ts';
import { holds } from '../tab/cell-data.ts';
import { columnArea, headerRow } from '../tab/survey.ts';
import type { RowWrite, TabPlan } from './plan.ts';

/** Written rows that stand close together, and the part of the tab that shows them. */
export interface WrittenArea {
  readonly area: Required<GridArea>;
  readonly rows: readonly (readonly [number, RowWrite])[];
}

/** Scattered rows are read together with what stands between them, so that a reading names no more areas than this per tab. */
const AREAS_MAX = 100;

/** Where a plan has written, from its leftmost to its rightmost column; the rows in their order. */
export function writtenAreas(plan: TabPlan): readonly WrittenArea[] {
  const fresh = plan.fresh.map((write, i) => [plan.insertAt + i, write] as const);
  const rows = [...plan.inPlace, ...fresh].sort(([a], [b]) => a - b);
  const columns = rows.flatMap(([, write]) => [...write.cells.keys()]);
  const startColumn = columns.reduce((least, column) => Math.min(least, column), Number.POSITIVE_INFINITY);
  const endColumn = columns.reduce((most, column) => Math.max(most, column), 0) + 1;
  let groups = groupRows(rows, 1);
  for (let gap = 2; groups.length > AREAS_MAX; gap *= 2) groups = groupRows(rows, gap);
  return groups.map((group) => {
    const [startRow, lastRow] = [group[0]?.[0] ?? 0, group.at(-1)?.[0] ?? 0];
    const area = { sheetId: plan.view.sheetId, startRow, endRow: lastRow + 1, startColumn, endColumn };
    return { area, rows: group };
  });
}

/**
 * What the write is to answer with, so that nothing has to be read after it: each tab's header row, key column and written cells. It leaves
 * out tabs without a known title, and asks for nothing at all when it would be too much.
 */
export function areasToShow(plans: readonly TabPlan[]): readonly ShownArea[] {
  let cells = 0;
  const shown = plans.flatMap((plan) => {
    const { title, sheetId, layout, keys, rowCount = keys.length } = plan.view;
    if (title === undefined) return [];
    cells += rowCount + plan.fresh.length;
    const written = writtenAreas(plan).map(({ area }) => {
      cells += (area.endRow - area.startRow) * (area.endColumn - area.startColumn);
      return withinGrid(area, rowCount);
    });
    return [headerRow(sheetId), columnArea(sheetId, layout.keyColumn), ...written].map((area) => ({
      title,
      area,
    }));
  });
  return cells > CELLS_SHOWN_MAX ? [] : shown;
}

/** An area in rows that the write itself adds has no end row. Google does not say whether it looks the area up before or after the write. */
function withinGrid(area: WrittenArea['area'], rowCount: number): GridArea {
  if (area.endRow <= rowCount) return area;
  const { endRow: _, ...open } = area;
  return { ...open, startRow: Math.min(area.startRow, Math.max(0, rowCount - 1)) };
}

/** What the parts of a tab that were shown say of the area. */
export function shownIn(grid: readonly (readonly unknown[])[], { area }: WrittenArea): AreaValues {
  const rows = grid.slice(area.startRow, area.endRow);
  return { rows: rows.map((cells) => cells.slice(area.startColumn, area.endColumn)), lastRow: undefined };
}

/** True when every cell that was written is there. */
export function holdsAll({ area, rows }: WrittenArea, read: AreaValues | undefined): boolean {
  if (read === undefined) return false;
  return rows.every(([row, write]) => {
    const cells = read.rows[row - area.startRow] ?? [];
    return [...write.cells].every(([column, cell]) => holds(cells[column - area.startColumn], cell));
  });
}

function groupRows(rows: WrittenArea['rows'], gap: number): readonly WrittenArea['rows'][] {
  const groups: (readonly [number, RowWrite])[][] = [];
  for (const item of rows) {
    const group = groups.at(-1);
    const last = group?.at(-1)?.[0];
    if (group !== undefined && last !== undefined && item[0] - last <= gap) group.push(item);
    else groups.push([item]);
  }
  return groups;
}
