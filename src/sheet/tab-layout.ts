import { counted } from '../engine/counts.ts';
import type { TerminalError } from '../engine/errors.ts';
import { lettersOf, sheetPlace } from '../engine/ids.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import { type Log, steadyClock } from '../engine/runtime.ts';
import { columnsHeaded, type PendingRow, trimmedCell } from '../engine/sheet-row.ts';
import type { Problem } from '../engine/work.ts';
import { PackedTexts } from '../google/large-column.ts';
import type { GridArea, SheetTable, TabInfo } from '../google/sheets-api.ts';
import {
  isObjectId,
  keysAfter,
  type Layout,
  planWithout,
  type RowSpan,
  type RowWrite,
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
  const missing: string[] = [];
  const doubled: string[] = [];
  for (const [name, found] of columns) {
    if (found.length === 0) missing.push(name);
    else if (found.length > 1) doubled.push(name);
  }
  if (missing.length > 0) return headerMissing(missing);
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
  const columns = new Map<string, number>();
  for (const header of headersOf(mirror)) if (header !== key) columns.set(header, columnOf(header));
  return { keyColumn: columnOf(key), columns };
}

export function listed(headers: readonly string[]): string {
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
  readonly view: TabView & { readonly keys: string[] | PackedTexts; readonly keyed: Keyed };
  readonly readAtMs: number;
}

/** The rows of a column without doubled keys, by key. */
interface Keyed {
  readonly last: number;
  get(key: string): number | undefined;
  put(key: string, row: number): void;
  drop(key: string): void;
}

/** The column finds them itself. */
function keyedIn(keys: PackedTexts): Keyed {
  return {
    get last() {
      const others = keys.others().flatMap(([row, text]) => (isObjectId(text) ? [row] : []));
      return Math.max(keys.lastId, ...others);
    },
    get: (key) => keys.rowOf(key),
    put: () => undefined,
    drop: () => undefined,
  };
}

class KeyedRows implements Keyed {
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

  /** Call when another process may have written the spreadsheet. Returns the tabs. */
  forgetAll(spreadsheetId: string): ReadonlySet<number> {
    const sheetIds = new Set<number>();
    for (const [name, { view }] of this.#known)
      if (name.startsWith(`${spreadsheetId} `) && this.#known.delete(name)) sheetIds.add(view.sheetId);
    return sheetIds;
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
    if (known === undefined) return undefined;
    if (steadyClock.now() - known.readAtMs > TRUSTED_MS) {
      // A large column is not held twice while it is read again.
      this.#known.delete(name);
      return undefined;
    }
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
    const { keys: packed } = view;
    const keys = packed instanceof PackedTexts ? packed : keysAfter(plan);
    const { header, layout, sheetId, title, rowCount } = view;
    const about = { sheetId, title, layout, rowCount, ...(header && { header }) };
    const keyed = keys instanceof PackedTexts ? keyedIn(keys) : new KeyedRows(keys);
    const next = { ...about, keys, keyed };
    if (keys instanceof PackedTexts) perform(next, plan);
    this.#known.set(name, { view: next, readAtMs: steadyClock.now() });
    this.#bound();
  }

  #bound(): void {
    let keys = 0;
    for (const { view } of this.#known.values()) keys += view.keys.length;
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
    if (keys instanceof PackedTexts) keys.set(row, next);
    else keys[row] = next;
    keyed.drop(key);
    if (isObjectId(next)) keyed.put(next, row);
  }
  const added = fresh.map((write) => write.keyAfter);
  while (keys.length < insertAt) keys.push('');
  if (keys instanceof PackedTexts) keys.insert(insertAt, added);
  else keys.splice(insertAt, 0, ...added);
  for (const [i, write] of fresh.entries()) keyed.put(write.keyAfter, insertAt + i);
}

function nameOf(spreadsheetId: string, sheetId: number): string {
  return `${spreadsheetId} ${sheetId}`;
}

/** A problem code that is reported but stops no write. */
const HARMLESS = 'duplicate-key';

interface Parts {
  readonly problems: ProblemBoard;
  readonly log: Log;
}

/** Known problems of the tabs of one spreadsheet, by target. Read once per flush. */
export class TabProblems {
  readonly #board: ProblemBoard;
  readonly #log: Log;
  readonly #standing: ReadonlyMap<string, Problem>;

  private constructor(parts: Parts, standing: ReadonlyMap<string, Problem>) {
    this.#board = parts.problems;
    this.#log = parts.log;
    this.#standing = standing;
  }

  static async read(parts: Parts): Promise<TabProblems> {
    const problems = await parts.problems.list();
    return new TabProblems(parts, new Map(problems.map((problem) => [problem.target, problem])));
  }

  /** False while the tab has a fault and the next try is not due. */
  async mayTry(mirror: KeyedTab): Promise<boolean> {
    const target = sheetPlace(mirror);
    const standing = this.#standing.get(target);
    if (standing === undefined || standing.code === HARMLESS) return true;
    return (await this.#board.mayTry(target)) !== false;
  }

  async raise(mirror: KeyedTab, fault: TabFault): Promise<void> {
    const target = sheetPlace(mirror);
    const isNews = this.#standing.get(target)?.code !== fault.code;
    const { names, ...logged } = fault;
    if (isNews) this.#log.warn({ mirror: mirror.name, target, ...logged }, 'tab refuses the mirror');
    await this.#board.raise({ target, ...fault });
  }

  /** Call when the tab took its rows. Duplicate keys stay reported for as long as they exist. */
  async settle(mirror: KeyedTab, doubledRows: number): Promise<void> {
    if (doubledRows > 0) await this.#raiseDoubled(mirror, doubledRows);
    else if (this.#standing.has(sheetPlace(mirror))) await this.#board.clear(sheetPlace(mirror));
  }

  async #raiseDoubled(mirror: KeyedTab, rows: number): Promise<void> {
    const target = sheetPlace(mirror);
    this.#log.warn({ mirror: mirror.name, target, rows }, 'rows share a key');
    await this.#board.raise({
      target,
      code: HARMLESS,
      message: `the tab has ${counted(rows, 'row')} with a key that another row further up has: not kept up to date`,
      advice: `Delete the copies, or empty their cell under "${mirror.keyHeader}".`,
    });
  }
}

/** Places that a problem names. */
const PLACES_MAX = 5;
const A_DAY = 'The problem ends after a day.';

const A_DAY_MS = 24 * 3_600_000;

/**
 * For a problem whose end nothing in the tab shows: people compare the cells within a day. Each set of places has its own, or the next one
 * would hide it.
 */
function toldForADay(kind: string, { name, tab }: KeyedTab, places: readonly string[]) {
  const rest = places.length - PLACES_MAX;
  const which = `${places.slice(0, PLACES_MAX).join(', ')}${rest > 0 ? ` +${rest}` : ''}`;
  return { target: `${kind}:${name}/${tab} ${which}`, names: [tab, which], keptForMs: A_DAY_MS };
}

/** `rows`: with people's cells, whose object only a guess tells, or nothing. */
export function rowsUnsure(place: KeyedTab, rows: readonly number[]) {
  return {
    ...toldForADay('sheet-rows', place, rows.map(numberOf)),
    code: 'rows-unsure',
    message: `people moved columns under a write, which went over ids in the tab ${place.tab}: what they wrote in rows ${placesListed(rows.map(numberOf))} may belong to another object`,
    advice: `Compare what people wrote in these rows with the version history (File menu). ${A_DAY}`,
  };
}

/** `cells`: of people, gone over by a write under which they had moved rows or columns. */
export function cellsCovered(place: KeyedTab, cells: readonly Place[]) {
  const places = cells.flatMap(({ row, columns }) =>
    columns.map((column) => `${lettersOf(column)}${row + 1}`),
  );
  return {
    ...toldForADay('sheet-covered', place, places),
    code: 'cells-covered',
    message: `people moved rows or columns under a write, which went over cells in the tab ${place.tab}: ${namedCells(cells)}`,
    advice: `Look in the version history (File menu) whether people had written in these cells. ${A_DAY}`,
  };
}

export function gapsTarget({ name, tab }: KeyedTab): string {
  return `sheet-gaps:${name}/${tab}`;
}

/** Google refuses to move the blank rows of the tab. */
export function gapsStay(place: KeyedTab, { message }: TerminalError) {
  return {
    target: gapsTarget(place),
    code: 'gaps-stay',
    message: `blank rows of the tab ${place.tab} stay between the others: ${message}`,
    advice:
      'Unmerge cells that reach over several rows, and let the worker edit protected ranges, or remove compact. The worker tries again every day.',
    names: [place.tab],
    // The next try raises it again before it ends.
    keptForMs: 2 * A_DAY_MS,
  };
}

/** `rows`: with content, moved to the end with the blank rows because people sorted or typed in that moment. */
export function rowsTakenAlong(place: KeyedTab, rows: readonly number[]) {
  return {
    ...toldForADay('sheet-moved', place, rows.map(numberOf)),
    code: 'rows-moved',
    message: `people changed the tab ${place.tab} while its blank rows were moved: rows ${placesListed(rows.map(numberOf))} went to the end, with everything in them`,
    advice: `Sort the tab again, or move these rows back. ${A_DAY}`,
  };
}

interface Place {
  readonly row: number;
  readonly columns: readonly number[];
}

/** As spreadsheets call them. */
export function namedCells(cells: readonly Place[]): string {
  const rows = new Map<number, Set<number>>();
  for (const { row, columns } of cells) rows.set(row, new Set([...(rows.get(row) ?? []), ...columns]));
  return placesListed(
    [...rows].map(([row, columns]) => `row ${row + 1} (${[...columns].map(lettersOf).join(', ')})`),
  );
}

/** As people see it. */
function numberOf(row: number): string {
  return String(row + 1);
}

function placesListed(places: readonly string[]): string {
  const rest = places.length - PLACES_MAX;
  return `${places.slice(0, PLACES_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

// Merged cells and Sheets tables of a tab, and what they mean for a write. Pure. A merge shows only its first cell, so a row with cells
// under one waits. Rows below a table do not join it, so the write takes them in.

export type TabShape = Pick<TabInfo, 'tables' | 'merges' | 'isFiltered'>;

/** True if the worker must look at the tab's shape before it writes. */
export function hasShape({ tables = [], merges = [] }: TabShape): boolean {
  return tables.length > 0 || merges.length > 0;
}

/** The mirror's columns of the row that a merge covers. */
export function coveredColumns({ merges = [] }: TabShape, layout: Layout, row: number): readonly number[] {
  const over = merges.filter(({ startRow = 0, endRow = 0 }) => startRow <= row && row < endRow);
  if (over.length === 0) return [];
  return [layout.keyColumn, ...layout.columns.values()].filter((column) =>
    isUnderMerge({ merges: over }, { row, column }),
  );
}

/** True for a cell that is not the first of a merge. */
export function isUnderMerge(
  { merges = [] }: TabShape,
  { row, column }: { readonly row: number; readonly column: number },
): boolean {
  return merges.some(
    ({ startRow = 0, endRow = 0, startColumn = 0, endColumn = Number.POSITIVE_INFINITY }) =>
      startRow <= row &&
      row < endRow &&
      startColumn <= column &&
      column < endColumn &&
      (row !== startRow || column !== startColumn),
  );
}

interface Fitted {
  readonly plan: TabPlan;
  /** Rows that wait, because merged cells cover some of theirs. */
  readonly waiting: readonly RowWrite[];
  readonly fault?: TabFault;
}

export function fitToShape(plan: TabPlan, shape: TabShape): Fitted {
  const { layout } = plan.view;
  const covered = [...plan.inPlace].flatMap(([row, write]) => {
    const columns = coveredColumns(shape, layout, row);
    return columns.length === 0 ? [] : [{ row, columns, write }];
  });
  const waiting = covered.map(({ write }) => write);
  const left = planWithout(plan, (write) => waiting.includes(write));
  const insertAt = belowMerges(shape, plan.insertAt);
  const table = insertAt === plan.insertAt ? grownTable(plan, shape) : undefined;
  return {
    plan: withoutTypedLooks({ ...left, insertAt, ...(table !== undefined && { table }) }, shape),
    waiting,
    ...(covered.length > 0 && { fault: cellsMerged(covered) }),
  };
}

/** Without formats and boxes in typed columns of tables: Google refuses them there, and the type does the same. */
export function withoutTypedLooks(plan: TabPlan, shape: TabShape): TabPlan {
  const left = (write: RowWrite, row: number): RowWrite => {
    const { formats, ...rest } = write;
    if (formats === undefined) return write;
    const others = [...formats].filter(([column]) => !isTypedCell(shape, { row, column }));
    return others.length === 0 ? rest : { ...rest, formats: new Map(others) };
  };
  const freshRow = plan.table === undefined ? plan.insertAt : (plan.table.area.startRow ?? 0) + 1;
  return {
    ...plan,
    inPlace: new Map([...plan.inPlace].map(([row, write]) => [row, left(write, row)])),
    fresh: plan.fresh.map((write) => left(write, freshRow)),
  };
}

/** True below the header of a typed column of a table. */
export function isTypedCell(
  { tables = [] }: TabShape,
  { row, column }: { readonly row: number; readonly column: number },
): boolean {
  return tables.some(
    ({ area: { startRow = 0, endRow = 0 }, typed = [] }) =>
      startRow < row && row < endRow && typed.includes(column),
  );
}

/** A row inserted into a merge would become part of it. */
function belowMerges({ merges = [] }: TabShape, row: number): number {
  const over = merges.find(({ startRow = 0, endRow = 0 }) => startRow < row && row < endRow);
  return over === undefined ? row : belowMerges({ merges }, over.endRow ?? row + 1);
}

/** The mirror's table with the new rows. Undefined unless they come right below it, or below rows of the mirror that follow it. */
function grownTable({ view, insertAt, fresh }: TabPlan, { tables = [] }: TabShape): SheetTable | undefined {
  const table = tables.find(({ area }) => isOfMirror(area, view.layout));
  const { endRow = Number.POSITIVE_INFINITY } = table?.area ?? {};
  if (table === undefined || fresh.length === 0 || endRow > insertAt) return undefined;
  for (let row = endRow; row < insertAt; row += 1) if (!isObjectId(view.keys.at(row) ?? '')) return undefined;
  return { ...table, area: { ...table.area, endRow: insertAt + fresh.length } };
}

/** The first row of the tab is its header. */
function isOfMirror(
  { startRow = 0, startColumn = 0, endColumn = 0 }: GridArea,
  { keyColumn }: Layout,
): boolean {
  return startRow === 0 && startColumn <= keyColumn && keyColumn < endColumn;
}

/** `cells`: the worker's own, under merges. */
export function cellsMerged(
  cells: readonly { readonly row: number; readonly columns: readonly number[] }[],
): TabFault {
  return {
    code: 'cells-merged',
    message: `merged cells cover cells that the worker writes, which show nothing: ${namedCells(cells)}`,
    advice: 'Unmerge them (Format, Merge cells). These rows wait, and are written once they are whole.',
  };
}

/** `cells`: the worker's own in a booking sheet, under protections. */
export function cellsProtected(cells: Parameters<typeof cellsMerged>[0]): TabFault {
  return {
    code: 'intake-write-refused',
    message: `a protected range covers cells that the worker writes: ${namedCells(cells)}`,
    advice:
      "Let the worker's service account edit them (Google Sheets, Data, Protect sheets and ranges). Until then these rows get no id, and are not booked.",
  };
}

export function tabFiltered({ tab }: KeyedTab): TabFault {
  return {
    code: 'tab-filtered',
    message: `a filter has hidden rows of the tab ${tab} from everybody for a day; the worker writes them all the same`,
    advice:
      'Remove it (Data, Remove filter), or use a filter view, which hides rows only from whoever opens it.',
  };
}
