import { counted } from '../engine/counts.ts';
import type { TerminalError } from '../engine/errors.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Log } from '../engine/runtime.ts';
import type { Problem } from '../engine/work.ts';
import type { GridArea, SheetTable, TabInfo } from '../google/sheets-api.ts';
import { isObjectId, type Layout, planWithout, type RowWrite, type TabPlan } from './flush-plan.ts';
import type { TabFault } from './tab-layout.ts';

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
    const target = tabTarget(mirror);
    const standing = this.#standing.get(target);
    if (standing === undefined || standing.code === HARMLESS) return true;
    return (await this.#board.mayTry(target)) !== false;
  }

  async raise(mirror: KeyedTab, fault: TabFault): Promise<void> {
    const target = tabTarget(mirror);
    const isNews = this.#standing.get(target)?.code !== fault.code;
    const { names, ...logged } = fault;
    if (isNews) this.#log.warn({ mirror: mirror.name, target, ...logged }, 'tab refuses the mirror');
    await this.#board.raise({ target, ...fault });
  }

  /** Call when the tab took its rows. Duplicate keys stay reported for as long as they exist. */
  async settle(mirror: KeyedTab, doubledRows: number): Promise<void> {
    if (doubledRows > 0) await this.#raiseDoubled(mirror, doubledRows);
    else if (this.#standing.has(tabTarget(mirror))) await this.#board.clear(tabTarget(mirror));
  }

  async #raiseDoubled(mirror: KeyedTab, rows: number): Promise<void> {
    const target = tabTarget(mirror);
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
    message: `people moved columns under a write, which went over ids in the tab ${place.tab}: what they wrote in rows ${listed(rows.map(numberOf))} may belong to another object`,
    advice: `Compare what people wrote in these rows with the version history (File menu). ${A_DAY}`,
  };
}

/** `cells`: of people, gone over by a write under which they had moved rows or columns. */
export function cellsCovered(place: KeyedTab, cells: readonly Place[]) {
  const places = cells.flatMap(({ row, columns }) => columns.map((column) => `${letters(column)}${row + 1}`));
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
    message: `people changed the tab ${place.tab} while its blank rows were moved: rows ${listed(rows.map(numberOf))} went to the end, with everything in them`,
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
  return listed(
    [...rows].map(([row, columns]) => `row ${row + 1} (${[...columns].map(letters).join(', ')})`),
  );
}

/** As people see it. */
function numberOf(row: number): string {
  return String(row + 1);
}

function listed(places: readonly string[]): string {
  const rest = places.length - PLACES_MAX;
  return `${places.slice(0, PLACES_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

export function tabTarget(mirror: KeyedTab): string {
  return `spreadsheet:${mirror.spreadsheetId}/${mirror.tab}`;
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
    over.some((merge) => isCovered(merge, row, column)),
  );
}

function isCovered(
  { startRow = 0, startColumn = 0, endColumn = Number.POSITIVE_INFINITY }: GridArea,
  row: number,
  column: number,
): boolean {
  const isFirst = row === startRow && column === startColumn;
  return startColumn <= column && column < endColumn && !isFirst;
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
    plan: { ...left, insertAt, ...(table !== undefined && { table }) },
    waiting,
    ...(covered.length > 0 && { fault: cellsMerged(covered) }),
  };
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
  if (!view.keys.slice(endRow, insertAt).every(isObjectId)) return undefined;
  return { ...table, area: { ...table.area, endRow: insertAt + fresh.length } };
}

/** The first row of the tab is its header. */
function isOfMirror(
  { startRow = 0, startColumn = 0, endColumn = 0 }: GridArea,
  { keyColumn }: Layout,
): boolean {
  return startRow === 0 && startColumn <= keyColumn && keyColumn < endColumn;
}

/** `cells`: of the mirror, under merges. */
export function cellsMerged(
  cells: readonly { readonly row: number; readonly columns: readonly number[] }[],
): TabFault {
  return {
    code: 'cells-merged',
    message: `merged cells cover cells of the mirror, which show nothing: ${namedCells(cells)}`,
    advice: 'Unmerge them (Format, Merge cells). These rows wait, and are written once they are whole.',
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
