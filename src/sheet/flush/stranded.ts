// Rows whose ids a write went over, because people moved rows and columns in that moment. What people wrote beside the mirror's cells must not
// lose its object. So each row is remembered with what was left in it, until its object is written again. Pure.
import { type PendingRow, trimmedCell } from '../../engine/domain/sheet-row.ts';
import { fingerprint, holds } from '../tab/cell-data.ts';
import type { Layout } from '../tab/layout.ts';
import type { TabView } from './plan.ts';

export interface StrandedRow {
  /** What people wrote in the row. */
  readonly beside: string;
  /** The mirror's cells that the write left there, by header. */
  readonly left: ReadonlyMap<string, unknown>;
  /** The id that its place tells. */
  readonly id?: string;
}

/** The rows that one write has stranded in a tab. */
export interface Stranded {
  readonly rows: readonly StrandedRow[];
  /** Ids that the tab has lost: those of these rows, and of rows that people deleted. */
  readonly gone: ReadonlySet<string>;
  /** Ids of rows that were to be written. What their rows showed before is unknown. */
  readonly own: ReadonlySet<string>;
}

/** `put`: the columns that the write has filled. */
export function strandedRow({
  layout,
  cells,
  put,
}: {
  readonly layout: Layout;
  readonly cells: readonly unknown[];
  readonly put: ReadonlyMap<number, unknown>;
}): StrandedRow {
  const left = [...layout.columns].flatMap(([header, column]) =>
    put.has(column) || fingerprint(cells[column]) === '' ? [] : [[header, cells[column]] as const],
  );
  const free = cells.map((cell, column) => (put.has(column) ? '' : cell));
  return { beside: besideIn(free, layout), left: new Map(left) };
}

/**
 * Key to row, for waiting rows that get their stranded row back. A row is recognized by the cells that were left in it. A row that was to be
 * written may have shown other cells, so it is recognized only when it is the last that lacks one.
 */
export function homesOfRows(
  { rows, gone, own }: Stranded,
  tab: { readonly view: TabView; readonly grid: readonly (readonly unknown[])[] },
  waiting: readonly PendingRow[],
): ReadonlyMap<string, number> {
  const { layout } = tab.view;
  const free = new Map<string, number[]>();
  for (const [row, cells] of tab.grid.entries()) {
    const beside = besideIn(cells, layout);
    const isFree = row > 0 && beside !== '' && trimmedCell(cells[layout.keyColumn]) === '';
    if (isFree) free.set(beside, [...(free.get(beside) ?? []), row]);
  }
  const missing = new Map(
    waiting.flatMap((row) => (gone.has(row.rowKey.trim()) ? [[row.rowKey.trim(), row] as const] : [])),
  );
  const homes = new Map<string, number>();
  const found = new Set<string>();
  let lost = rows;
  const bringHome = (key: string, row: StrandedRow) => {
    const [at, ...others] = free.get(row.beside) ?? [];
    if (at !== undefined && others.length === 0 && missing.has(key)) homes.set(key, at);
    found.add(key);
    lost = lost.filter((other) => other !== row);
  };
  for (const row of rows) {
    const [key = '', ...others] = [...missing.keys()].filter((id) => shows(missing.get(id), row));
    const alike = rows.filter((other) => shows(missing.get(key), other));
    if (others.length === 0 && alike.length === 1) bringHome(key, row);
  }
  for (const row of lost) {
    const { id, left } = row;
    const isKept = id !== undefined && (own.has(id) || left.size === 0 || shows(missing.get(id), row));
    if (isKept && !found.has(id)) bringHome(id, row);
  }
  const [last, ...more] = lost;
  if (last === undefined || more.length > 0) return homes;
  const isPossible = (id: string) => own.has(id) || !missing.has(id) || shows(missing.get(id), last);
  const [key = '', ...others] = [...gone].filter((id) => !found.has(id) && isPossible(id));
  if (others.length === 0 && missing.has(key)) bringHome(key, last);
  return homes;
}

/** Rows of people's cells that do not get their object back. */
export function loneRows(
  { rows }: Stranded,
  { view, grid }: { readonly view: TabView; readonly grid: readonly (readonly unknown[])[] },
  homes: ReadonlyMap<string, number>,
): readonly number[] {
  const lost = new Set(rows.flatMap(({ beside }) => (beside === '' ? [] : [beside])));
  const found = new Set(homes.values());
  return [...grid.entries()].flatMap(([row, cells]) => {
    const isFree = row > 0 && trimmedCell(cells[view.layout.keyColumn]) === '' && !found.has(row);
    return isFree && lost.has(besideIn(cells, view.layout)) ? [row] : [];
  });
}

/** True if the row shows what was left of it. */
export function shows(pending: PendingRow | undefined, { left }: StrandedRow): boolean {
  return left.size > 0 && [...left].every(([header, cell]) => holds(cell, pending?.cells?.[header]));
}

/** Wherever its columns are now. */
function besideIn(cells: readonly unknown[], { keyColumn, columns }: Layout): string {
  const owned = new Set([keyColumn, ...columns.values()]);
  const prints = cells.map((cell, column) => (owned.has(column) ? '' : fingerprint(cell)));
  return prints
    .filter((print) => print !== '')
    .sort()
    .join('\n');
}
