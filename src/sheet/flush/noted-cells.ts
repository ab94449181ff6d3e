// What is stored of a write before it leaves, and what a tab shows of it later. Pure. A note holds hashes, so a row is known again only as a
// whole: where all cells of the write still stand side by side.
import type { KeyedTab } from '../../engine/domain/mirror.ts';
import { contentHash } from '../../engine/domain/object.ts';
import { trimmedCell } from '../../engine/domain/sheet-row.ts';
import type { SentCells, SentRow } from '../../engine/ports/rows.ts';
import { fingerprint, storable } from '../tab/cell-data.ts';
import { isTabFault, readLayout } from '../tab/layout.ts';
import { filledCells, isObjectId, type RowWrite, type TabPlan } from './plan.ts';

type Grid = readonly (readonly unknown[])[];

/** Cells of a noted row in the wrong place. */
export interface Cut {
  readonly sent: SentRow;
  readonly row: number;
  readonly columns: readonly number[];
}

/** Cells that the worker certainly wrote. */
export interface Emptied extends Cut {
  readonly cells: ReadonlyMap<number, unknown>;
  /** Columns of people. The write may have gone over what they wrote. */
  readonly covers: readonly number[];
  /** The row's id, and the cell that gets it. */
  readonly id?: { readonly column: number; readonly text: string };
}

export interface CutCells {
  readonly emptied: readonly Emptied[];
  /** Perhaps somebody typed them. */
  readonly left: readonly Cut[];
  /** Ids whose rows must be written again. */
  readonly hit: readonly string[];
}

/** True for a row that its write adds. */
export function isAdded({ cells }: SentRow): boolean {
  return cells === undefined || cells.kind === 'new';
}

/** For the plan of a repair: the cells that it is about to go over. */
export function notedCells(plan: TabPlan): readonly SentRow[] {
  const { mirror, view, inPlace, fresh, insertAt } = plan;
  const { grid } = view;
  const writes: (readonly [number, RowWrite, SentCells['kind']])[] = [
    ...[...inPlace].map(([row, write]) => [row, write, grid === undefined ? 'in-place' : 'stray'] as const),
    ...fresh.map((write, i) => [insertAt + i, write, 'new'] as const),
  ];
  const headers = new Map([...view.layout.columns].map(([header, column]) => [column, header]));
  headers.set(view.layout.keyColumn, mirror.keyHeader.trim());
  return writes.flatMap(([row, write, kind]) => {
    const { pending } = write;
    if (pending === undefined && grid === undefined) return [];
    const put = filledCells(write, view.layout);
    const shown = (column: number) => (grid === undefined ? storable(put.get(column)) : grid[row]?.[column]);
    const columns = [...put.keys()].sort((a, b) => a - b);
    if (columns.every((column) => fingerprint(shown(column)) === '')) return [];
    const headerOf = (column: number) =>
      grid === undefined ? (headers.get(column) ?? '') : trimmedCell(grid[0]?.[column]);
    const cells: SentCells = {
      ...{ kind, sheetId: view.sheetId, row, columns },
      beside: [view.keys[row - 1] ?? '', view.keys[row + 1] ?? ''],
      under: columns.map((column) => contentHash(headerOf(column))),
      print: printOf(columns.map(shown)),
    };
    const about = { key: pending?.key ?? '', rowKey: write.keyAfter || write.key, hash: pending?.hash ?? '' };
    return [{ mirror: mirror.name, tab: mirror.tab, ...about, cells }];
  });
}

/** `grid`: the tab as it is now, with its formulas. Undefined while it lacks a header of the mirror. */
export function cutCells(place: KeyedTab, rows: readonly SentRow[], grid: Grid): CutCells | undefined {
  const layout = readLayout(grid[0] ?? [], place);
  if (isTabFault(layout)) return undefined;
  const { keyColumn } = layout;
  const tab: NotedTab = {
    ...{ grid, keyColumn, owned: new Set([keyColumn, ...layout.columns.values()]) },
    under: (grid[0] ?? []).map((cell) => contentHash(trimmedCell(cell))),
    keys: grid.map((cells) => trimmedCell(cells[keyColumn])),
  };
  const ids = idsElsewhere(tab);
  const found = placesOf(rows, tab);
  const emptied: Emptied[] = [];
  const left: Cut[] = [];
  const hit = new Set<string>();
  for (const sent of rows) {
    if (sent.cells === undefined) continue;
    const columns = columnsNow(sent.cells, tab);
    const places = (found.get(sent) ?? []).filter((row) => !isRight(sent, row, tab));
    for (const row of places) {
      const key = tab.keys[row] ?? '';
      if (isObjectId(key) && sent.cells.kind === 'in-place') hit.add(key);
      const wrong = places.length === 1 ? wrongColumns(sent, row, { tab, columns, found }) : undefined;
      if (wrong === undefined) {
        const isOdd = !isObjectId(key) || isMoved(sent.cells, tab);
        const odd = isMoved(sent.cells, tab) ? elsewhere(sent.cells, tab) : columns;
        const shown = shownIn(odd, grid[row]);
        if (isOdd && shownIn(columns, grid[row]).length > 1) left.push({ sent, row, columns: shown });
        continue;
      }
      const cells = new Map(wrong.map((column) => [column, grid[row]?.[column]] as const));
      const filled = new Map([...cells].filter(([, cell]) => fingerprint(cell) !== ''));
      if (filled.size === 0) continue;
      if (isObjectId(sent.rowKey)) hit.add(sent.rowKey);
      const id = idFor(sent, { tab, filled });
      // A new row covers nothing, and the look that found stray cells has named what they cover.
      const mayCover = sent.cells.kind === 'in-place';
      const covers = mayCover ? [...filled.keys()].filter((column) => !tab.owned.has(column)) : [];
      emptied.push({ sent, row, columns: wrong, cells: filled, covers, ...(id && { id }) });
    }
    if (places.length === 0 && sent.cells.kind === 'new')
      for (const at of ids.get(sent.rowKey) ?? []) left.push({ sent, ...at });
  }
  return { emptied, left, hit: [...hit] };
}

interface NotedTab {
  readonly grid: Grid;
  readonly keyColumn: number;
  /** Columns of the mirror. */
  readonly owned: ReadonlySet<number>;
  /** Hash of each header. */
  readonly under: readonly string[];
  readonly keys: readonly string[];
}

/** Where all cells of each write stand now. */
function placesOf(rows: readonly SentRow[], tab: NotedTab): ReadonlyMap<SentRow, readonly number[]> {
  const groups = new Map<string, { columns: readonly number[]; rows: Map<string, SentRow[]> }>();
  for (const sent of rows) {
    if (sent.cells === undefined) continue;
    const columns = columnsNow(sent.cells, tab);
    const group = groups.get(columns.join()) ?? { columns, rows: new Map<string, SentRow[]>() };
    groups.set(columns.join(), group);
    group.rows.set(sent.cells.print, [...(group.rows.get(sent.cells.print) ?? []), sent]);
  }
  const found = new Map<SentRow, number[]>();
  for (const { columns, rows: noted } of groups.values())
    for (const [row, cells] of tab.grid.entries()) {
      if (row === 0) continue;
      for (const sent of noted.get(printOf(columns.map((column) => cells[column]))) ?? [])
        found.set(sent, [...(found.get(sent) ?? []), row]);
    }
  return found;
}

/** Cells that a look has seen move with their columns. Where a write has landed is known only by the columns it was sent to. */
function columnsNow({ kind, columns, under }: SentCells, tab: NotedTab): readonly number[] {
  if (kind !== 'stray') return columns;
  return columns.map((column, i) => {
    if (tab.under[column] === under[i]) return column;
    const now = tab.under.indexOf(under[i] ?? '');
    return now === -1 ? column : now;
  });
}

interface AtColumns {
  readonly tab: NotedTab;
  readonly found: ReadonlyMap<SentRow, readonly number[]>;
  readonly columns: readonly number[];
}

function isMoved(cells: SentCells, tab: NotedTab): boolean {
  return elsewhere(cells, tab).length > 0;
}

/** Columns that are no longer under the header for which their cells were meant. */
function elsewhere({ columns, under }: SentCells, tab: NotedTab): readonly number[] {
  return columns.filter((column, i) => tab.under[column] !== under[i]);
}

/** The write stands in the row for which it was meant, under its headers. */
function isRight({ rowKey, cells }: SentRow, row: number, tab: NotedTab): boolean {
  return cells?.kind !== 'stray' && cells !== undefined && tab.keys[row] === rowKey && !isMoved(cells, tab);
}

/** The row has not moved between its neighbours. The write may have gone over their ids, too. */
function isInPlace({ cells }: SentRow, row: number, { tab, found }: AtColumns): boolean {
  if (cells?.row !== row) return false;
  const isStill = (at: number, key: string) =>
    (tab.keys[at] ?? '') === key ||
    [...found].some(([other, rows]) => other.rowKey === key && other.cells?.row === at && rows.includes(at));
  return isStill(row - 1, cells.beside[0]) && isStill(row + 1, cells.beside[1]);
}

/** The columns to empty, if the row proves that the worker wrote its cells. */
function wrongColumns(sent: SentRow, row: number, at: AtColumns): readonly number[] | undefined {
  const { tab, columns } = at;
  const { cells } = sent;
  const key = tab.keys[row] ?? '';
  if (cells === undefined) return undefined;
  // One cell may be typed again. Nobody types an id. Without one, wrong cells under the mirror's own headers are the proof.
  if (cells.kind === 'stray') return shownIn(columns, tab.grid[row]).length > 1 ? columns : undefined;
  if (cells.kind === 'in-place' && !goesOverOwn(cells, row, tab)) return undefined;
  // Rows moved, too: whose id the write went over is unknown.
  if (cells.kind === 'in-place' && !isObjectId(key) && !isInPlace(sent, row, at)) return undefined;
  // A row with an id is written again under the mirror's headers.
  return isObjectId(key) ? columns.filter((column) => !tab.owned.has(column)) : columns;
}

function shownIn(columns: readonly number[], cells: readonly unknown[] = []): readonly number[] {
  return columns.filter((column) => fingerprint(cells[column]) !== '');
}

/** Two cells or more, of which one stands under another header of the mirror that means something else. */
function goesOverOwn({ columns, under }: SentCells, row: number, tab: NotedTab): boolean {
  const cells = tab.grid[row] ?? [];
  const shown = shownIn(columns, cells);
  if (shown.length < 2) return false;
  return shown.some((column) => {
    if (column === tab.keyColumn) return true;
    const meant = under.indexOf(tab.under[column] ?? '');
    const own = columns[meant];
    return own !== undefined && own !== column && fingerprint(cells[own]) !== fingerprint(cells[column]);
  });
}

/**
 * The row gets its id back only in a cell that holds the worker's text. So the id goes over nothing, wherever people move the row
 * meanwhile.
 */
function idFor(
  { rowKey, cells }: SentRow,
  { tab, filled }: { readonly tab: NotedTab; readonly filled: ReadonlyMap<number, unknown> },
): Emptied['id'] {
  const { keys, keyColumn } = tab;
  if (cells === undefined || !isObjectId(rowKey) || keys.includes(rowKey)) return undefined;
  return typeof filled.get(keyColumn) === 'string' ? { column: keyColumn, text: rowKey } : undefined;
}

/** Ids outside the key column. That of a new row stands there if people changed its row before anybody looked. */
function idsElsewhere({ grid, keyColumn }: NotedTab): ReadonlyMap<string, readonly Omit<Cut, 'sent'>[]> {
  const ids = new Map<string, Omit<Cut, 'sent'>[]>();
  for (const [row, cells] of grid.entries())
    for (const [column, cell] of cells.entries()) {
      if (row === 0 || column === keyColumn || typeof cell !== 'string' || !isObjectId(cell)) continue;
      ids.set(cell, [...(ids.get(cell) ?? []), { row, columns: [column] }]);
    }
  return ids;
}

function printOf(cells: readonly unknown[]): string {
  return contentHash(cells.map((cell) => fingerprint(cell)));
}
