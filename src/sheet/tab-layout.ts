import type { KeyedTab } from '../engine/mirror.ts';
import { steadyClock } from '../engine/runtime.ts';
import { columnsHeaded, type PendingRow, trimmedCell } from '../engine/sheet-row.ts';
import {
  isObjectId,
  keysAfter,
  type Layout,
  type RowSpan,
  type TabPlan,
  type TabView,
} from './flush-plan.ts';

/** Why a mirror cannot be written into its tab now. Safe to log and to show. */
export interface TabFault {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
  /** As in `Problem`. */
  readonly names?: readonly string[];
}

/** Finds the mirror's headers in the first row of the tab, by their look. */
export function readLayout(header: readonly unknown[], mirror: KeyedTab): Layout | TabFault {
  const wanted = headersOf(mirror);
  const columns = columnsOf(header, wanted);
  const missing = wanted.filter((name) => columns.get(name)?.length === 0);
  if (missing.length > 0) return headerMissing(missing);
  const doubled = wanted.filter((name) => (columns.get(name)?.length ?? 0) > 1);
  if (doubled.length > 0) {
    return {
      code: 'header-duplicate',
      message: `several columns of the tab are headed ${listed(doubled)}`,
      names: doubled,
      advice: 'Rename all but one of them: the worker must not guess which one is meant.',
    };
  }
  return layoutOf(mirror, (name) => columns.get(name)?.[0] ?? -1);
}

function columnsOf(
  header: readonly unknown[],
  names: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const texts = header.map(trimmedCell);
  return new Map(names.map((name) => [name, columnsHeaded(texts, name)]));
}

/** Headers of the mirror that no column of the tab has. */
export function missingHeaders(header: readonly unknown[], mirror: KeyedTab): readonly string[] {
  return [...columnsOf(header, headersOf(mirror))].flatMap(([name, found]) =>
    found.length > 0 ? [] : [name],
  );
}

/** The layout that `readLayout` would find if the missing headers were written side by side from column `at` on. */
export function layoutWithAdded(header: readonly unknown[], mirror: KeyedTab, at: number): Layout | TabFault {
  const added = missingHeaders(header, mirror);
  const blanks = Array<string>(Math.max(0, at - header.length)).fill('');
  return readLayout([...header.slice(0, at), ...blanks, ...added], mirror);
}

/** Layout for a tab that has no columns yet, in the order of the mapping. */
export function freshLayout(mirror: KeyedTab): Layout {
  const wanted = headersOf(mirror);
  return layoutOf(mirror, (name) => wanted.indexOf(name));
}

/** All headers that the tab must have, in the order of the mapping. */
export function headersOf(mirror: KeyedTab): readonly string[] {
  const headers = mirror.columns.map(({ header }) => header.trim());
  const key = mirror.keyHeader.trim();
  return headers.includes(key) ? headers : [key, ...headers];
}

/** Headers that only the worker needs. It adds them to any tab, also to one that people have headed. */
export function workerHeaders({ carry }: KeyedTab): readonly string[] {
  if (carry === undefined) return [];
  const ticks = carry.columns.filter(({ field }) => field === 'cancel').map(({ header }) => header.trim());
  return [...ticks, carry.answerHeader.trim()];
}

export function isTabFault(value: object): value is TabFault {
  return 'code' in value;
}

export function isSameLayout(a: Layout, b: Layout): boolean {
  return (
    a.keyColumn === b.keyColumn &&
    [...a.columns].every(([header, column]) => b.columns.get(header) === column)
  );
}

export function headerMissing(missing: readonly string[]): TabFault {
  return {
    code: 'header-missing',
    message: `the first row of the tab lacks the header ${listed(missing)}`,
    names: missing,
    advice: `Write ${listed(missing)} into the first row, or empty the tab to have it laid out again. If a header was renamed, restore its name, or rename it in the mapping.`,
  };
}

export function keyRenamed(from: string, to: string): TabFault {
  return {
    code: 'key-header-renamed',
    message: `the mapping names the column with the ids "${to}", and in the tab it is still headed "${from}"`,
    names: [from, to],
    advice: `Rename the header "${from}" in the first row of the tab to "${to}": rows are found by that column. Or name it "${from}" again in the mapping.`,
  };
}

function layoutOf(mirror: KeyedTab, columnOf: (header: string) => number): Layout {
  const key = mirror.keyHeader.trim();
  const others = headersOf(mirror).filter((header) => header !== key);
  return { keyColumn: columnOf(key), columns: new Map(others.map((header) => [header, columnOf(header)])) };
}

function listed(headers: readonly string[]): string {
  return headers.map((header) => `"${header}"`).join(', ');
}

// What a process remembers of the key columns that it last read or wrote whole. A flush then reads only the cells that it depends on: its
// rows with their neighbours, and the end of the column. Whatever does not fit makes it read the column again.

/** How long a column is trusted without a look at all of it: people may copy rows where no flush looks. */
const TRUSTED_MS = 10 * 60_000;
/** Keys that one process remembers, of all tabs: about 100 bytes each. */
const KEYS_MAX = 1_000_000;
/** Rows that are not asked for, but cost less to read than another area. */
const GAP_ROWS = 10;
/** Areas per tab in one read. */
const SPANS_MAX = 100;
/** Share of the column from which all of it is read. */
const SHARE_MAX = 0.25;

interface Known {
  readonly view: TabView & { readonly keys: string[]; readonly keyed: KeyedRows };
  readonly readAtMs: number;
}

/** The rows of a column without doubled keys, by key. */
class KeyedRows {
  readonly #keys: readonly string[];
  readonly #rows = new Map<string, number>();
  #last = 0;

  /** `keys` may change as `moved` says. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
    for (const [row, key] of keys.entries()) if (row > 0 && isObjectId(key)) this.put(key, row);
  }

  get last(): number {
    return this.#last;
  }

  get(key: string): number | undefined {
    return this.#rows.get(key);
  }

  put(key: string, row: number): void {
    this.#rows.set(key, row);
    this.#last = Math.max(this.#last, row);
  }

  drop(key: string): void {
    this.#rows.delete(key);
    while (this.#last > 0 && !isObjectId(this.#keys[this.#last] ?? '')) this.#last -= 1;
  }
}

export class KeyColumns {
  /** By spreadsheet and sheet id, the longest unused first. */
  readonly #known = new Map<string, Known>();

  /** Call when another process may have written the spreadsheet. */
  forgetAll(spreadsheetId: string): void {
    for (const name of this.#known.keys()) if (name.startsWith(`${spreadsheetId} `)) this.#known.delete(name);
  }

  forget({ mirror, view }: Pick<TabPlan, 'mirror' | 'view'>): void {
    this.#known.delete(nameOf(mirror.spreadsheetId, view.sheetId));
  }

  /** The tab as remembered, with the part of its key column that must be read before these rows are written. */
  partFor(
    { spreadsheetId, sheetId }: { readonly spreadsheetId: string; readonly sheetId: number },
    rows: readonly PendingRow[],
  ): TabView | undefined {
    const name = nameOf(spreadsheetId, sheetId);
    const known = this.#known.get(name);
    if (known === undefined || steadyClock.now() - known.readAtMs > TRUSTED_MS) return undefined;
    if (!rows.every(isOrdinary)) return undefined;
    const { view } = known;
    // People may have brought it back since, by an undo.
    if (rows.some(({ hadRow, rowKey }) => hadRow === true && view.keyed.get(rowKey.trim()) === undefined))
      return undefined;
    const spans = spansOf(view, rows);
    if (spans === undefined) return undefined;
    this.#known.delete(name);
    this.#known.set(name, known);
    return { ...view, spans };
  }

  /** Call when the tab stands as planned. */
  note(plan: TabPlan): void {
    const { mirror, view, doubledRows } = plan;
    const name = nameOf(mirror.spreadsheetId, view.sheetId);
    const known = this.#known.get(name);
    this.#known.delete(name);
    const isPlain =
      view.title !== undefined && view.blankColumns === undefined && view.addedColumns === undefined;
    if (!isPlain || doubledRows > 0 || view.grid !== undefined) return;
    if (known !== undefined && known.view.keys === view.keys) {
      perform(known.view, plan);
      this.#known.set(name, known);
      return;
    }
    const keys = keysAfter(plan);
    const { header, layout, sheetId, title, rowCount } = view;
    const about = { sheetId, title, layout, rowCount, ...(header && { header }) };
    const next = { ...about, keys, keyed: new KeyedRows(keys) };
    this.#known.set(name, { view: next, readAtMs: steadyClock.now() });
    this.#bound();
  }

  #bound(): void {
    let keys = [...this.#known.values()].reduce((sum, { view }) => sum + view.keys.length, 0);
    for (const [name, { view }] of this.#known) {
      if (keys <= KEYS_MAX) return;
      this.#known.delete(name);
      keys -= view.keys.length;
    }
  }
}

/** Rows that move between tabs, or wait for people, depend on more than their own place. */
function isOrdinary({ rowKey, movesFrom, leftBehind, inPlaceOnly }: PendingRow): boolean {
  const isAlone = movesFrom === undefined && leftBehind === undefined && inPlaceOnly !== true;
  return isAlone && isObjectId(rowKey.trim());
}

function spansOf(
  { keys, keyed }: Known['view'],
  rows: readonly PendingRow[],
): readonly RowSpan[] | undefined {
  const own = rows.flatMap(({ rowKey }) => keyed.get(rowKey.trim()) ?? []).sort((a, b) => a - b);
  const spans: { startRow: number; endRow: number }[] = [];
  for (const row of own) {
    const last = spans.at(-1);
    const endRow = Math.min(row + 2, keys.length);
    if (last !== undefined && row - last.endRow <= GAP_ROWS) last.endRow = endRow;
    else spans.push({ startRow: Math.max(1, row - 1), endRow });
  }
  const read = spans.reduce((sum, { startRow, endRow }) => sum + endRow - startRow, 0);
  if (spans.length > SPANS_MAX || (spans.length > 1 && read > keys.length * SHARE_MAX)) return undefined;
  return [...spans, { startRow: Math.max(1, keyed.last) }];
}

function perform({ keys, keyed }: Known['view'], { inPlace, insertAt, fresh }: TabPlan): void {
  for (const [row, { key, keyAfter: next }] of inPlace) {
    if (next === key) continue;
    keys[row] = next;
    keyed.drop(key);
    if (isObjectId(next)) keyed.put(next, row);
  }
  while (keys.length < insertAt) keys.push('');
  keys.splice(insertAt, 0, ...fresh.map((write) => write.keyAfter));
  for (const [i, write] of fresh.entries()) keyed.put(write.keyAfter, insertAt + i);
}

function nameOf(spreadsheetId: string, sheetId: number): string {
  return `${spreadsheetId} ${sheetId}`;
}
