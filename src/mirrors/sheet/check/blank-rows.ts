// Rows that moved to an archive leave blank ones behind, whose cells count against Google's limit as well. In: a spreadsheet at which
// nobody is at work. Out: its tabs without the rows that hold nothing at all. A row is never deleted if it holds anything, be it a formula
// that shows nothing, or a cell with a note. How a cell looks, and which values it would take, is nothing that stands in it.

import type { KeyedTab, SheetMirror } from '../../../domain/mirror.ts';
import { trimmedCell } from '../../../domain/sheet-row.ts';
import { contentHash } from '../../../domain/snapshot.ts';
import type { SheetRequest, SheetsApi } from '../../../google/sheets-api.ts';
import type { Log } from '../../../ports/runtime.ts';
import type { TabView } from '../flush/plan.ts';
import { isTabFault } from '../tab/layout.ts';
import { placesOf } from '../tab/places.ts';
import { TabSurvey } from '../tab/survey.ts';
import type { TabMemory } from '../tab/tab-memory.ts';

export interface BlankRowsParts {
  readonly api: SheetsApi;
  readonly mirrors: readonly SheetMirror[];
  readonly tabs: TabMemory;
  readonly log: Log;
  /** Default 1,000. */
  readonly rowsMin?: number;
}

/** Fewer are not worth that formulas and charts over them change their ranges. */
const BLANK_ROWS_MIN = 1_000;
/** Blank rows below the last one with a key that people keep to write in; a new tab has as many. */
const SPARE_ROWS = 1_000;
/** Runs of neighbouring rows that one write deletes; the rest comes at the next look. */
const RUNS_PER_WRITE = 500;
/** Rows of one reading. */
const ROWS_PER_LOOK = 10_000;

export class BlankRows {
  readonly #parts: BlankRowsParts;
  readonly #places: readonly KeyedTab[];
  readonly #survey: TabSurvey;
  /** The key column at the last look, by place: where it has changed since, somebody may be sorting right now. */
  readonly #before = new Map<string, string>();

  constructor(parts: BlankRowsParts) {
    this.#parts = parts;
    this.#places = parts.mirrors.filter(({ archive }) => archive?.blankRows === 'delete').flatMap(placesOf);
    this.#survey = new TabSurvey({ api: parts.api, memory: parts.tabs, log: parts.log });
  }

  /** The caller sees to it that no flush of the spreadsheet is under way. Rejects with one of the three families. */
  async remove(spreadsheetId: string): Promise<void> {
    const places = this.#places.filter((place) => place.spreadsheetId === spreadsheetId);
    if (places.length === 0) return;
    for (const [place, view] of await this.#survey.look(spreadsheetId, places)) {
      if (isTabFault(view) || view.blankColumns !== undefined || view.addedColumns !== undefined) continue;
      if (this.#isQuiet(place, view)) await this.#removeFrom(place, view);
    }
  }

  /** The same keys in the same rows as at the last look. */
  #isQuiet({ name, tab, spreadsheetId }: KeyedTab, { keys, rowCount }: TabView): boolean {
    const place = JSON.stringify([name, spreadsheetId, tab]);
    const now = contentHash([rowCount ?? 0, ...keys]);
    const isSame = this.#before.get(place) === now;
    this.#before.set(place, now);
    return isSame;
  }

  async #removeFrom(place: KeyedTab, view: TabView): Promise<void> {
    const { api, log, rowsMin = BLANK_ROWS_MIN } = this.#parts;
    const candidates = unkeyedRows(view);
    if (candidates.length < rowsMin) return;
    const blank = await this.#blankAmong(place.spreadsheetId, view, new Set(candidates));
    if (blank.length < rowsMin) return;
    const runs = runsOf(blank).slice(-RUNS_PER_WRITE);
    // From the bottom up: what is deleted below moves nothing above.
    await api.write(
      place.spreadsheetId,
      runs.reverse().map((run) => deletion(view.sheetId, run)),
    );
    const rows = runs.reduce((sum, [start, end]) => sum + end - start, 0);
    log.info({ mirror: place.name, spreadsheetId: place.spreadsheetId, rows }, 'blank rows deleted');
  }

  /** Each reading shows whole rows as people typed them; a tab that is not as it was a moment ago has none. */
  async #blankAmong(
    spreadsheetId: string,
    { sheetId, layout, keys, rowCount = 0 }: TabView,
    candidates: ReadonlySet<number>,
  ): Promise<readonly number[]> {
    const blank: number[] = [];
    for (let startRow = 1; startRow < rowCount; startRow += ROWS_PER_LOOK) {
      const endRow = Math.min(startRow + ROWS_PER_LOOK, rowCount);
      // Before the values, which show whether the rows are still where they were when the notes were read.
      const noted = await this.#parts.api.notedRows(spreadsheetId, { sheetId, startRow, endRow });
      if (noted === undefined) return [];
      const [read] = await this.#parts.api.readTyped(spreadsheetId, [{ sheetId, startRow, endRow }]);
      if (read === undefined) return [];
      for (let row = startRow; row < endRow; row += 1) {
        const cells = read.rows[row - startRow] ?? [];
        if (trimmedCell(cells[layout.keyColumn]) !== (keys[row] ?? '')) return [];
        const isBlank = cells.every((cell) => cell === '' || cell === null) && !noted.has(row);
        if (candidates.has(row) && isBlank) blank.push(row);
      }
    }
    return blank;
  }
}

/** Those among the rows with keys, and those far below them. */
function unkeyedRows({ keys, rowCount = 0 }: TabView): readonly number[] {
  const lastKeyed = keys.findLastIndex((key) => key !== '');
  const rows: number[] = [];
  for (let row = 1; row < rowCount; row += 1) {
    const isSpare = row > lastKeyed && row <= lastKeyed + SPARE_ROWS;
    if ((keys[row] ?? '') === '' && !isSpare) rows.push(row);
  }
  return rows;
}

type Run = readonly [start: number, end: number];

function runsOf(rows: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === row) runs[runs.length - 1] = [last[0], row + 1];
    else runs.push([row, row + 1]);
  }
  return runs;
}

function deletion(sheetId: number, [startIndex, endIndex]: Run): SheetRequest {
  return { deleteDimension: { range: { sheetId, dimension: 'ROWS', startIndex, endIndex } } };
}
