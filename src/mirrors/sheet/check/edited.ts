import { formatKey } from '../../../domain/entity.ts';
import type { SheetMirror } from '../../../domain/mirror.ts';
import type { CarriedField } from '../../../domain/row-edit.ts';
import { trimmedCell } from '../../../domain/sheet-row.ts';
import type { AreaValues, SheetsApi } from '../../../google/sheets-api.ts';
import type { SeenRow } from '../carry/seen-row.ts';
import { figuresOf } from '../carry/start-cell.ts';
import type { TabView } from '../flush/plan.ts';
import { cellsHash, cellsPart, LEFT } from '../target/row-content.ts';

/** Rows per read: some megabytes if rows are wide. */
const ROWS_PER_READ = 10_000;

export interface Compared {
  /** Rows whose cells differ from what was confirmed, with their cells by header. */
  readonly edited: readonly SeenRow[];
  readonly right: readonly string[];
  /** Ticked rows without an object, and ticked copies (`cancel` of a mirror that carries appointments). */
  readonly strayTicks: number;
  /** Figures of every start in the tab of a mirror that carries appointments. */
  readonly starts: readonly string[];
  /** True if Google returned every row. */
  readonly isWhole: boolean;
}

/**
 * Returns the rows whose cells differ from what was confirmed, and the keys of the others. Each read includes the key column, to recognise
 * rows that users move between two reads. If rows share a key, only the first is the mirror's.
 */
export async function compareCells(
  api: SheetsApi,
  mirror: SheetMirror,
  tab: { readonly view: TabView; readonly rows: ReadonlyMap<string, string> },
): Promise<Compared> {
  const { sheetId, layout, keys } = tab.view;
  const headers = [...layout.columns.keys()];
  const columns = [layout.keyColumn, ...layout.columns.values()];
  const edited: Compared['edited'][number][] = [];
  const right: string[] = [];
  const isTicked = tickOf(mirror);
  let strayTicks = 0;
  const starts: string[] = [];
  const startHeader = headerOf(mirror, 'start');
  let isWhole = true;
  const seen = new Set<string>();
  for (let startRow = 1; startRow < keys.length; startRow += ROWS_PER_READ) {
    const endRow = Math.min(startRow + ROWS_PER_READ, keys.length);
    // One more row on either side, so that each row has both of its neighbours.
    const readFrom = Math.max(1, startRow - 1);
    const areas = columns.map((column) => ({
      sheetId,
      startRow: readFrom,
      endRow: Math.min(endRow + 1, keys.length),
      startColumn: column,
      endColumn: column + 1,
    }));
    const read = await api.read(mirror.spreadsheetId, areas);
    // Google returned nothing for an area: skip these rows.
    if (read.some((area) => area === undefined)) {
      isWhole = false;
      continue;
    }
    const cellsOf = (row: number) =>
      Object.fromEntries(headers.map((header, i) => [header, cellAt(read[i + 1], row)]));
    for (let row = startRow - readFrom; row < endRow - readFrom; row += 1) {
      const key = formatKey({ kind: mirror.from, id: trimmedCell(cellAt(read[0], row)) });
      const known = tab.rows.get(key);
      const cells = cellsOf(row);
      const figures = startHeader === undefined ? undefined : figuresOf(cells[startHeader]);
      if (figures !== undefined) starts.push(figures);
      const isStray = known === undefined || known === LEFT || seen.has(key);
      if (isStray && isTicked(cells)) strayTicks += 1;
      if (isStray || known === '') continue;
      seen.add(key);
      if (cellsHash(cells) === cellsPart(known)) right.push(key);
      else edited.push({ key, cells, beside: [row - 1, row + 1].map(cellsOf) });
    }
  }
  return { edited, right, strayTicks, starts, isWhole };
}

/** A tick in an otherwise blank row does not count. */
function tickOf(mirror: SheetMirror): (cells: Readonly<Record<string, unknown>>) => boolean {
  const box = headerOf(mirror, 'cancel');
  if (box === undefined) return () => false;
  return (cells) =>
    cells[box] === true &&
    Object.entries(cells).some(([header, cell]) => header !== box && trimmedCell(cell) !== '');
}

function headerOf(mirror: SheetMirror, field: CarriedField): string | undefined {
  const columns = 'carry' in mirror ? (mirror.carry?.columns ?? []) : [];
  return columns.find((column) => column.field === field)?.header;
}

function cellAt(area: AreaValues | undefined, row: number): unknown {
  return area?.rows[row]?.[0];
}
