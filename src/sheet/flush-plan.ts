// Input: waiting rows and the tab as read. Output: the writes that close the difference. Pure. Rows are found by their key alone. An
// existing row is written in place, in the mirror's own columns. A missing one becomes a fresh row right below the last, so nothing that
// users wrote is overwritten.

import { RetryableError, TURN_OVER } from '../engine/errors.ts';
import type { Lease } from '../engine/leases.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import type { Cell, CellFormat, PendingRow } from '../engine/sheet-row.ts';
import { PackedTexts, type Texts } from '../google/large-column.ts';
import type { SheetTable } from '../google/sheets-api.ts';

/** Columns of a mirror in a tab, zero-based. Users may reorder columns and add their own. */
export interface Layout {
  readonly keyColumn: number;
  /** Header to column, without the key column. */
  readonly columns: ReadonlyMap<string, number>;
}

/** A tab as one read showed it. */
export interface TabView {
  readonly sheetId: number;
  /** Title at that moment; absent when Google did not return it. */
  readonly title?: string | undefined;
  readonly layout: Layout;
  /** The first row as trimmed text; absent where nothing is written by it. */
  readonly header?: readonly string[];
  /** The key column as trimmed text, by row; row 0 is the header. */
  readonly keys: Texts;
  /** Set if only these parts of the key column were read; the rest of `keys` is remembered. */
  readonly spans?: readonly RowSpan[];
  /** The rows of these keys, no key twice. Absent: `planFlush` looks for them. */
  readonly keyed?: { readonly last: number; get(key: string): number | undefined };
  /** Rows of the grid; undefined when Google did not return the number. */
  readonly rowCount: number | undefined;
  /** Set if the whole tab is empty and its header row must still be written: the number of columns in its grid. */
  readonly blankColumns?: number;
  /** Headers that are new in the mapping and have no column yet. */
  readonly addedColumns?: AddedColumns;
  /** The whole tab as a look after a write saw it, for the plan of a repair. */
  readonly grid?: readonly (readonly unknown[])[];
  /** Rows that lost their ids, by the keys that return into them. */
  readonly homes?: ReadonlyMap<string, number>;
}

/** Rows of a tab, zero-based and half-open; without an end, down to the last. */
export interface RowSpan {
  readonly startRow: number;
  readonly endRow?: number;
}

export interface AddedColumns {
  /** Index after the last column that holds anything. */
  readonly at: number;
  readonly headers: readonly string[];
  /** True if the grid ends there. */
  readonly isLast: boolean;
}

export interface RowWrite {
  /** The key in the row before the write. Empty for a row that has none. */
  readonly key: string;
  readonly keyAfter: string;
  /** Column to cell. Includes the key column only when its cell changes. */
  readonly cells: ReadonlyMap<number, Cell>;
  /** Column to format, for formats written with the cells. */
  readonly formats?: ReadonlyMap<number, CellFormat>;
  /** Undefined for the repair of an accident. */
  readonly pending: PendingRow | undefined;
}

export interface TabPlan {
  readonly mirror: KeyedTab;
  readonly view: TabView;
  /** By row, ascending. */
  readonly inPlace: ReadonlyMap<number, RowWrite>;
  /** Row at which the fresh rows are inserted. */
  readonly insertAt: number;
  readonly fresh: readonly RowWrite[];
  /** Rows that are not in the tab and that must be cleared, or written only if they exist: nothing to write. */
  readonly absent: readonly PendingRow[];
  /** Rows that users deleted and that must stay away: nothing to write. */
  readonly left: readonly PendingRow[];
  /** Number of rows whose key already appears further up; they are never written. */
  readonly doubledRows: number;
  /** The hidden tab that receives a copy of the rows in place before they are written. */
  readonly before?: { readonly sheetId: number };
  /** The Sheets table that takes the fresh rows in, with its area after the write. */
  readonly table?: SheetTable;
}

/** Takes rows of one mirror, each key at most once. */
export function planFlush(mirror: KeyedTab, view: TabView, rows: readonly PendingRow[]): TabPlan {
  const waiting = new Set<string>();
  for (const { rowKey } of rows) waiting.add(rowKey.trim());
  const { first, doubled, doubledRows, lastKeyed } = readKeys(view, waiting);
  const inPlace: [number, RowWrite][] = [];
  const fresh: RowWrite[] = [];
  const absent: PendingRow[] = [];
  const left: PendingRow[] = [];
  // An empty tab was wiped as a whole: no user chose to delete single rows. Rows that come from another tab were deleted there, so they
  // stay away.
  const wasBlanked = ({ movesFrom }: PendingRow) =>
    view.blankColumns !== undefined && movesFrom === undefined;
  for (const pending of rows) {
    const key = pending.rowKey.trim();
    const row = first.get(key);
    // A user copied this booking row with its id. The answer waits until the poll decides which copy is the row.
    if (pending.inPlaceOnly === true && doubled.has(key)) continue;
    if (row !== undefined) inPlace.push([row, rewriteOf(view.layout, key, pending)]);
    else if (pending.inPlaceOnly === true || (pending.staysAway === true && !wasBlanked(pending)))
      left.push(pending);
    else if (pending.onlyIfThere === true) absent.push(pending);
    else if (pending.cells !== undefined) {
      const home = view.homes?.get(key);
      const write = freshOf(view.layout, key, pending);
      if (home === undefined) fresh.push(write);
      else inPlace.push([home, write]);
    } else absent.push(pending);
  }
  return {
    mirror,
    view,
    inPlace: new Map(inPlace.sort(([a], [b]) => a - b)),
    insertAt: lastKeyed + 1,
    fresh,
    absent,
    left,
    doubledRows,
  };
}

/** The plan without some of its rows, which stay in the outbox. */
export function planWithout(
  plan: TabPlan,
  isDropped: (write: RowWrite, row: number | 'fresh') => boolean,
): TabPlan {
  return {
    ...plan,
    inPlace: new Map([...plan.inPlace].filter(([row, write]) => !isDropped(write, row))),
    fresh: plan.fresh.filter((write) => !isDropped(write, 'fresh')),
  };
}

/** The waiting rows that the plan writes. */
export function rowsOfPlan({ inPlace, fresh }: TabPlan): readonly PendingRow[] {
  return [...inPlace.values(), ...fresh].flatMap(({ pending }) => pending ?? []);
}

export function writesNothing(plan: TabPlan): boolean {
  return plan.inPlace.size === 0 && plan.fresh.length === 0;
}

/** What the key cell of a row must hold once the plan is performed on the tab as read. */
export function keyAfter({ view, inPlace, insertAt, fresh }: TabPlan, row: number): string {
  if (row < insertAt) return inPlace.get(row)?.keyAfter ?? view.keys.at(row) ?? '';
  return (
    fresh[row - insertAt]?.keyAfter ??
    inPlace.get(row - fresh.length)?.keyAfter ??
    view.keys.at(row - fresh.length) ??
    ''
  );
}

/** The key column as it must be once the plan is performed. */
export function keysAfter(plan: TabPlan): string[] {
  return Array.from({ length: rowsAfter(plan) }, (_, row) => keyAfter(plan, row));
}

/** Rows of the key column once the plan is performed. */
export function rowsAfter({ view, insertAt, fresh }: TabPlan): number {
  return Math.max(view.keys.length, insertAt) + fresh.length;
}

/**
 * The cells that the write fills, whatever is in them. A cleared row's id is not among them: it is removed only where it is found. So a row
 * that moved there keeps its own.
 */
export function filledCells({ key, keyAfter, cells }: RowWrite, { keyColumn }: Layout): RowWrite['cells'] {
  if (keyAfter !== '' || !isObjectId(key) || !cells.has(keyColumn)) return cells;
  return new Map([...cells].filter(([column]) => column !== keyColumn));
}

/** The platform's ids are UUIDs: a total or a note that users put into the key column is not a key. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function readKeys({ keys, keyed }: TabView, waiting: ReadonlySet<string>) {
  if (keyed !== undefined)
    return { first: keyed, doubled: new Set<string>(), doubledRows: 0, lastKeyed: keyed.last };
  const first = new Map<string, number>();
  const doubled = new Set<string>();
  const packed = keys instanceof PackedTexts ? keys : undefined;
  let doubledRows = packed?.doubledRows ?? 0;
  let lastKeyed = packed?.lastId ?? 0;
  for (const [row, key] of packed?.others() ?? keys.entries()) {
    if (row === 0 || !(waiting.has(key) || isObjectId(key))) continue;
    lastKeyed = Math.max(lastKeyed, row);
    if (first.has(key)) {
      doubledRows += 1;
      doubled.add(key);
    } else first.set(key, row);
  }
  return {
    first: { get: (key: string) => first.get(key) ?? packed?.rowOf(key) },
    doubled: { has: (key: string) => doubled.has(key) || packed?.isDoubled(key) === true },
    ...{ doubledRows, lastKeyed },
  };
}

/** Rows with an id that another row further up has. */
export function doubledRowsOf(view: TabView): number {
  return readKeys(view, new Set()).doubledRows;
}

function rewriteOf(layout: Layout, key: string, pending: PendingRow): RowWrite {
  const cells = ownedCells(layout, pending);
  if (pending.cells !== undefined) {
    return { key, keyAfter: key, cells, ...formatsOf(layout, pending, pending.reformat ?? []), pending };
  }
  return { key, keyAfter: '', cells: cells.set(layout.keyColumn, null), pending };
}

function freshOf(layout: Layout, key: string, pending: PendingRow): RowWrite {
  const cells = ownedCells(layout, pending).set(layout.keyColumn, key);
  const headers = Object.keys(pending.formats ?? {});
  return { key: '', keyAfter: key, cells, ...formatsOf(layout, pending, headers), pending };
}

function formatsOf(
  layout: Layout,
  { formats = {} }: PendingRow,
  headers: readonly string[],
): Pick<RowWrite, 'formats'> {
  const found = new Map<number, CellFormat>();
  for (const header of headers) {
    const [column, format] = [layout.columns.get(header), formats[header]];
    if (column !== undefined && format !== undefined) found.set(column, format);
  }
  return found.size === 0 ? {} : { formats: found };
}

function ownedCells(layout: Layout, { cells }: PendingRow): Map<number, Cell> {
  return new Map([...layout.columns].map(([header, column]) => [column, cells?.[header] ?? null]));
}

/** Turn of a flush or a check at a spreadsheet. */
export type Turn = Pick<Lease, 'signal'>;

/**
 * Call right before a write by row number. Once the lease is lost, another flush may have shifted the rows since they were read, and the
 * write would hit others. A stopping process must not leave a write of unknown end behind either.
 */
export function assertHeld({ signal }: Turn, spreadsheetId: string): void {
  if (!signal.aborted) return;
  throw new RetryableError(TURN_OVER, 'the turn at the spreadsheet is over: nothing is written', {
    target: `spreadsheet:${spreadsheetId}`,
  });
}

/** True for a row that comes from another tab of its mirror, or leaves for one. */
export function isMoving({ movesFrom, leftBehind }: PendingRow): boolean {
  return movesFrom !== undefined || leftBehind?.forced === false;
}
