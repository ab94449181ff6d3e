// After a write: does the tab match the plan, and if not, what did the write hit? Between the read and the write, users may have sorted,
// inserted, deleted or moved something. Sheets has no precondition that would stop the write (Google has no etag for cells). Pure.
import { type Cell, type PendingRow, trimmedCell } from '../../../domain/sheet-row.ts';
import { fingerprint, holds, storable } from '../tab/cell-data.ts';
import { isSameLayout, type Layout } from '../tab/layout.ts';
import { isObjectId, keysAfter, type RowWrite, type TabPlan, type TabView } from './plan.ts';

export interface Findings {
  /** Rows that are in the tab as planned. */
  readonly stands: readonly PendingRow[];
  /** Rows that were written in the right place but now hold other cells. */
  readonly unkept: readonly PendingRow[];
  /** Keys of rows that were overwritten by accident and must be written again. */
  readonly hit: readonly string[];
  /** How many rows in `hit` lost their key cell. They return as new rows; what users wrote beside the old ones stays behind. */
  readonly detached: number;
  /** By row: cells that the accident left in rows without an object. Empty them only if the write was certainly performed. */
  readonly leftovers: ReadonlyMap<number, RowWrite>;
}

/** True when the key column and the header have changed only as planned since they were read. */
export function isAsPlanned(plan: TabPlan, after: Pick<TabView, 'layout' | 'keys'>): boolean {
  if (!isSameLayout(plan.view.layout, after.layout)) return false;
  const [expected, found] = [keysAfter(plan), after.keys];
  const length = Math.max(expected.length, found.length);
  for (let row = 0; row < length; row += 1) if ((expected[row] ?? '') !== (found[row] ?? '')) return false;
  return true;
}

/** Checks every cell of a tab that is not as planned. `grid`: the tab as it is now, unformatted, from its first row on. */
export function inspect(plan: TabPlan, after: Layout, grid: readonly (readonly unknown[])[]): Findings {
  const keys = grid.map((row) => trimmedCell(row[after.keyColumn]));
  const rowsOf = new Map<string, number[]>();
  for (const [row, key] of keys.entries()) {
    if (row > 0 && key !== '') rowsOf.set(key, [...(rowsOf.get(key) ?? []), row]);
  }
  const rows = new Map([
    ...[...plan.inPlace].map(([row, write]) => [write, row] as const),
    ...plan.fresh.map((write, i) => [write, plan.insertAt + i] as const),
  ]);
  const writes = [...rows.keys()];
  const doubles = ownDoubles(plan, { after, grid, rowsOf });
  const standing = new Set(
    writes.filter((write) => {
      const [row] = (rowsOf.get(write.keyAfter || write.key) ?? []).filter((at) => !doubles.has(at));
      if (write.keyAfter === '') return row === undefined;
      // Formats are not read back. They certainly reached the row only if it is in its planned place.
      if (write.formats !== undefined && rows.get(write) !== row) return false;
      return row !== undefined && isWritten(grid[row] ?? [], write, { from: plan.view.layout, to: after });
    }),
  );
  const vanished = vanishedKeys(plan, rowsOf);
  const missed = new Set(writes.flatMap((write) => (standing.has(write) ? [] : [write.keyAfter])));
  const strays = straysOf(plan, { after, grid, keys, missed });
  const displaced = [...plan.inPlace].flatMap(([row, write]) => {
    const key = keys[row] ?? '';
    return !standing.has(write) && key !== write.key && isObjectId(key) ? [key] : [];
  });
  return {
    stands: [...standing].flatMap(({ pending }) => (pending === undefined ? [] : [pending])),
    unkept: writes.flatMap((write) => {
      const isInPlace = keys[rows.get(write) ?? -1] === write.keyAfter && write.keyAfter !== '';
      if (standing.has(write) || !isInPlace || write.pending === undefined) return [];
      return isSameLayout(plan.view.layout, after) ? [write.pending] : [];
    }),
    hit: [...new Set([...strays.hit, ...displaced, ...vanished])],
    detached: vanished.length,
    leftovers: new Map([...strays.leftovers, ...doubles]),
  };
}

interface Sight {
  readonly after: Layout;
  readonly grid: readonly (readonly unknown[])[];
}

/**
 * A key that this flush added and that is in the tab twice: an earlier write, given up, was performed after all. The copy equal to what was
 * written now is emptied. The other one stays, and the next flush writes it in place.
 */
function ownDoubles(
  plan: TabPlan,
  { after, grid, rowsOf }: Sight & { rowsOf: ReadonlyMap<string, readonly number[]> },
): ReadonlyMap<number, RowWrite> {
  const doubles = new Map<number, RowWrite>();
  for (const write of plan.fresh) {
    const rows = rowsOf.get(write.keyAfter) ?? [];
    if (rows.length < 2) continue;
    const own = rows.filter((row) =>
      isWritten(grid[row] ?? [], write, { from: plan.view.layout, to: after }),
    );
    const surplus = own.length === rows.length ? own.slice(1) : own;
    const cells = new Map<number, Cell>([after.keyColumn, ...after.columns.values()].map((at) => [at, null]));
    for (const row of surplus)
      doubles.set(row, { key: write.keyAfter, keyAfter: '', cells, pending: undefined });
  }
  return doubles;
}

/**
 * Rows that hold the cells of another row's write: that row had moved before the write arrived. A fresh row cannot miss: Google adds the
 * row and fills it, with its key, in one step.
 */
function straysOf(
  plan: TabPlan,
  { after, grid, keys, missed }: Sight & { keys: readonly string[]; missed: ReadonlySet<string> },
) {
  const headers = [...after.columns.keys()];
  const owners = new Map<string, Set<string>>();
  for (const write of plan.inPlace.values()) {
    if (write.keyAfter === '') continue;
    const print = printOf(headers.map((header) => storable(cellOf(write, plan.view.layout, header))));
    if (print !== undefined) owners.set(print, (owners.get(print) ?? new Set()).add(write.keyAfter));
  }
  const showing = new Map<string, number[]>();
  for (const [row, cells] of grid.entries()) {
    const print = printOf(headers.map((header) => cells[after.columns.get(header) ?? -1]));
    const meant = print === undefined ? undefined : owners.get(print);
    if (row === 0 || print === undefined || meant === undefined || meant.has(keys[row] ?? '')) continue;
    showing.set(print, [...(showing.get(print) ?? []), row]);
  }
  const hit: string[] = [];
  const leftovers = new Map<number, RowWrite>();
  for (const [print, rows] of showing) {
    // Each write that missed its row hit one other row. If more rows show its cells, users have typed or copied some of them.
    const strayed = [...(owners.get(print) ?? [])].filter((owner) => missed.has(owner)).length;
    for (const row of rows) {
      const key = keys[row] ?? '';
      if (isObjectId(key)) hit.push(key);
      else if (plan.inPlace.has(row) || rows.length <= strayed)
        leftovers.set(row, emptied(key, after.columns.values()));
    }
  }
  for (const [row, cells] of grid.entries()) {
    const outside = writtenOutside(plan, { row, cells, after });
    if (outside.length > 0 && !leftovers.has(row)) leftovers.set(row, emptied(keys[row] ?? '', outside));
  }
  return { hit, leftovers };
}

/** Columns that belonged to the mirror at the write, no longer do, and still hold what was written. */
function writtenOutside(
  plan: TabPlan,
  at: { row: number; cells: readonly unknown[]; after: Layout },
): readonly number[] {
  const write = plan.inPlace.get(at.row) ?? plan.fresh[at.row - plan.insertAt];
  if (write === undefined || isSameLayout(plan.view.layout, at.after)) return [];
  const owned = new Set([at.after.keyColumn, ...at.after.columns.values()]);
  return [...write.cells].flatMap(([column, cell]) =>
    !owned.has(column) && fingerprint(at.cells[column]) !== '' && holds(at.cells[column], cell)
      ? [column]
      : [],
  );
}

/** Keys that were erased by accident: emptying a row empties its key, and after rows moved it was another row's key. */
function vanishedKeys(plan: TabPlan, rowsOf: ReadonlyMap<string, readonly number[]>): readonly string[] {
  const emptiedKeys = new Set(
    [...plan.inPlace.values()].filter((write) => write.keyAfter === '').map(({ key }) => key),
  );
  if (emptiedKeys.size === 0) return [];
  const before = new Set(plan.view.keys.slice(1).filter(isObjectId));
  return [...before].filter((key) => !rowsOf.has(key) && !emptiedKeys.has(key));
}

function isWritten(
  cells: readonly unknown[],
  write: RowWrite,
  layouts: { from: Layout; to: Layout },
): boolean {
  return [...layouts.to.columns].every(([header, column]) =>
    holds(cells[column], cellOf(write, layouts.from, header)),
  );
}

function cellOf(write: RowWrite, layout: Layout, header: string): Cell | undefined {
  return write.cells.get(layout.columns.get(header) ?? -1);
}

/** Undefined for blank cells, because they do not show where they come from. */
function printOf(cells: readonly unknown[]): string | undefined {
  const prints = cells.map(fingerprint);
  return prints.every((print) => print === '') ? undefined : prints.join('\n');
}

function emptied(key: string, columns: Iterable<number>): RowWrite {
  const cells = new Map<number, Cell>([...columns].map((column) => [column, null]));
  return { key, keyAfter: key, cells, pending: undefined };
}
