import type { AreaValues, GridArea } from '../../google/sheets-api.ts';
import { holds } from './cell-data.ts';
import type { RowWrite, TabPlan } from './plan.ts';

/** Written rows that stand close together, and the part of the tab that shows them. */
export interface WrittenArea {
  readonly area: GridArea;
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

/** True when every cell that was written is there. */
export function holdsAll({ area, rows }: WrittenArea, read: AreaValues | undefined): boolean {
  if (read === undefined) return false;
  return rows.every(([row, write]) => {
    const cells = read.rows[row - (area.startRow ?? 0)] ?? [];
    return [...write.cells].every(([column, cell]) => holds(cells[column - (area.startColumn ?? 0)], cell));
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
