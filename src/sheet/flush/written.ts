import type { AreaValues, GridArea } from '../../google/sheets-api.ts';
import { CELLS_SHOWN_MAX, type ShownArea } from '../../google/shown-cells.ts';
import { holds } from '../tab/cell-data.ts';
import { columnArea, headerRow } from '../tab/survey.ts';
import type { RowWrite, TabPlan } from './plan.ts';

/** A group of written rows that are close together, and the area of the tab that shows them. */
export interface WrittenArea {
  readonly area: Required<GridArea>;
  readonly rows: readonly (readonly [number, RowWrite])[];
}

/** Areas per tab in one read: scattered rows are read together with the rows between them. */
const AREAS_MAX = 100;

/** The areas that a plan has written, from its leftmost to its rightmost column, with the rows in order. */
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
 * Areas that the write's answer must include, so that nothing has to be read after it: each tab's header row, key column and written cells.
 * Leaves out tabs without a known title. Returns none if they would be too large.
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

/**
 * If the write itself adds the rows, the area stays open at the end. Google does not say whether it resolves the area before or after the
 * write.
 */
function withinGrid(area: WrittenArea['area'], rowCount: number): GridArea {
  if (area.endRow <= rowCount) return area;
  const { endRow: _, ...open } = area;
  return { ...open, startRow: Math.min(area.startRow, Math.max(0, rowCount - 1)) };
}

/** The values of the area, cut from a tab that the write has shown. */
export function shownIn(grid: readonly (readonly unknown[])[], { area }: WrittenArea): AreaValues {
  const rows = grid.slice(area.startRow, area.endRow);
  return { rows: rows.map((cells) => cells.slice(area.startColumn, area.endColumn)), lastRow: undefined };
}

/** True when every written cell holds its value. */
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
