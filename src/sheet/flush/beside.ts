// Finds rows in which users have written beside the mirror's own cells. The worker neither moves such cells nor separates them from their
// row.
import { trimmedCell } from '../../engine/domain/sheet-row.ts';
import type { GridArea, SheetsApi } from '../../google/sheets-api.ts';
import type { TabView } from './plan.ts';

/** Areas per read: rows that are close together share one. */
const AREAS_MAX = 100;

export interface Beside {
  /** Keys of rows in which users have written beside the mirror's cells. */
  readonly written: ReadonlySet<string>;
  /** Keys of rows that have moved since the survey, so that nothing is known of them. */
  readonly moved: ReadonlySet<string>;
}

/** Reads whole rows in one request, or nothing if the tab has none of the keys. An unticked checkbox does not count as written. */
export async function lookBeside(
  api: SheetsApi,
  spreadsheetId: string,
  about: { readonly view: TabView; readonly keys: ReadonlySet<string> },
): Promise<Beside> {
  const { sheetId, layout, keys } = about.view;
  const rows = rowsOf(keys, about.keys);
  const areas = areasOf(sheetId, [...rows.values()]);
  if (areas.length === 0) return { written: new Set(), moved: new Set() };
  const read = await api.read(spreadsheetId, areas);
  const own = new Set([layout.keyColumn, ...layout.columns.values()]);
  const written = new Set<string>();
  const moved = new Set<string>();
  for (const [key, row] of rows) {
    const at = areas.findIndex(({ startRow, endRow }) => startRow <= row && row < endRow);
    const cells = read[at]?.rows[row - (areas[at]?.startRow ?? 0)] ?? [];
    if (trimmedCell(cells[layout.keyColumn]) !== key) moved.add(key);
    else if (cells.some((cell, column) => !own.has(column) && cell !== false && trimmedCell(cell) !== ''))
      written.add(key);
  }
  return { written, moved };
}

/** The first row of each key, as everywhere: copies further down belong to users. */
function rowsOf(keys: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const [row, key] of keys.entries())
    if (row > 0 && wanted.has(key) && !rows.has(key)) rows.set(key, row);
  return rows;
}

type RowArea = GridArea & { readonly startRow: number; readonly endRow: number };

/** Groups rows into at most `AREAS_MAX` areas. Rows that are close together share one. */
export function areasOf(sheetId: number, rows: readonly number[]): readonly RowArea[] {
  const sorted = [...rows].sort((a, b) => a - b);
  for (let gap = 1; ; gap *= 2) {
    const areas: RowArea[] = [];
    for (const row of sorted) {
      const last = areas.at(-1);
      if (last !== undefined && row - last.endRow < gap)
        areas[areas.length - 1] = { ...last, endRow: row + 1 };
      else areas.push({ sheetId, startRow: row, endRow: row + 1 });
    }
    if (areas.length <= AREAS_MAX) return areas;
  }
}
