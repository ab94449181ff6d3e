import type { KeyedTab } from '../../engine/domain/mirror.ts';
import type { Problem } from '../../engine/domain/work.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import type { Clock, Log } from '../../engine/ports/runtime.ts';
import type { TabFault } from '../tab/layout.ts';

/** A problem code that is reported but stops no write. */
const HARMLESS = 'duplicate-key';

interface Parts {
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

/** Known problems of the tabs of one spreadsheet, by target. Read once per flush. */
export class TabProblems {
  readonly #board: ProblemBoard;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #standing: ReadonlyMap<string, Problem>;

  private constructor(parts: Parts, standing: ReadonlyMap<string, Problem>) {
    this.#board = parts.problems;
    this.#clock = parts.clock;
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
    for (const problem of this.#standing.values())
      if (isToldForADay(problem, mirror.name, this.#clock.now())) await this.#board.clear(problem.target);
  }

  async #raiseDoubled(mirror: KeyedTab, rows: number): Promise<void> {
    const target = tabTarget(mirror);
    this.#log.warn({ mirror: mirror.name, target, rows }, 'rows share a key');
    await this.#board.raise({
      target,
      code: HARMLESS,
      message: `${rows} rows of the tab carry a key that another row further up has: they are not kept up to date`,
      advice: `Delete the copies, or empty their cell under "${mirror.keyHeader}".`,
    });
  }
}

/** Places that a problem names. */
const PLACES_MAX = 5;
const A_DAY = 'The problem ends after a day.';

const A_DAY_MS = 24 * 3_600_000;

/** True for a problem whose end nothing in the tab shows, a day after it was raised last: by then people have compared the cells. */
export function isToldForADay({ target, lastAtMs }: Problem, mirror: string, nowMs: number): boolean {
  const isOfTab = target === `sheet-rows:${mirror}` || target === `sheet-covered:${mirror}`;
  return isOfTab && nowMs - lastAtMs >= A_DAY_MS;
}

/** `rows`: with people's cells, whose object only a guess tells, or nothing. */
export function rowsUnsure({ name, tab }: KeyedTab, rows: readonly number[]) {
  const places = listed(rows.map((row) => String(row + 1)));
  return {
    target: `sheet-rows:${name}`,
    code: 'rows-unsure',
    message: `people moved columns under a write, which went over ids in the tab ${tab}: what they wrote in rows ${places} may belong to another object`,
    advice: `Compare what people wrote in these rows with the version history (File menu). ${A_DAY}`,
    names: [tab],
  };
}

/** `cells`: of people, gone over by a write under which they had moved rows or columns. */
export function cellsCovered({ name, tab }: KeyedTab, cells: readonly Place[]) {
  return {
    target: `sheet-covered:${name}`,
    code: 'cells-covered',
    message: `people moved rows or columns under a write, which went over cells in the tab ${tab}: ${namedCells(cells)}`,
    advice: `Look in the version history (File menu) whether people had written in these cells. ${A_DAY}`,
    names: [tab],
  };
}

interface Place {
  readonly row: number;
  readonly columns: readonly number[];
}

/** As spreadsheets call them. */
export function namedCells(cells: readonly Place[]): string {
  return listed(cells.map(({ row, columns }) => `row ${row + 1} (${columns.map(letters).join(', ')})`));
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
