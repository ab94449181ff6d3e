// Rows that moved to an archive leave blank rows behind, whose cells count against Google's limit too. Input: a spreadsheet on which no
// flush works. Output: its tabs without the rows that hold nothing at all. It never deletes a row that holds anything, even a formula that
// shows nothing or a cell with a note. Formatting and data validation do not count as content.

import type { KeyedTab, SheetMirror } from '../../engine/domain/mirror.ts';
import { contentHash } from '../../engine/domain/object.ts';
import { trimmedCell } from '../../engine/domain/sheet-row.ts';
import type { Log } from '../../engine/ports/runtime.ts';
import type { SheetRequest, SheetsApi } from '../../google/sheets-api.ts';
import { assertHeld, type Turn } from '../flush/held.ts';
import type { TabView } from '../flush/plan.ts';
import { isTabFault } from '../tab/layout.ts';
import { placesOf } from '../tab/places.ts';
import { columnArea, TabSurvey } from '../tab/survey.ts';
import type { TabMemory } from '../tab/tab-memory.ts';

export interface BlankRowsParts {
  readonly api: SheetsApi;
  readonly mirrors: readonly SheetMirror[];
  readonly tabs: TabMemory;
  readonly log: Log;
  /** Default 1,000. */
  readonly rowsMin?: number;
}

/** Fewest blank rows worth deleting, because a deletion changes the ranges of formulas and charts over them. */
const BLANK_ROWS_MIN = 1_000;
/** Blank rows that stay below the last row with a key, for users to write in; a new tab has as many. */
const SPARE_ROWS = 1_000;
/** Runs of neighbouring rows that one write deletes, and areas of the last read before it; the next look deletes the rest. */
const RUNS_PER_WRITE = 500;
/** Rows per read. */
const ROWS_PER_LOOK = 10_000;

export class BlankRows {
  readonly #parts: BlankRowsParts;
  readonly #places: readonly KeyedTab[];
  readonly #survey: TabSurvey;
  /** Hash of the key column at the last look, by place. If it has changed since, a user may be sorting right now. */
  readonly #before = new Map<string, string>();

  constructor(parts: BlankRowsParts) {
    this.#parts = parts;
    this.#places = parts.mirrors.filter(({ archive }) => archive?.blankRows === 'delete').flatMap(placesOf);
    this.#survey = new TabSurvey({ api: parts.api, memory: parts.tabs, log: parts.log });
  }

  /** The caller holds the lease of the spreadsheet's flushes. Rejects with one of the three families. */
  async remove(spreadsheetId: string, turn: Turn): Promise<void> {
    const places = this.#places.filter((place) => place.spreadsheetId === spreadsheetId);
    if (places.length === 0) return;
    for (const [place, view] of await this.#survey.look(spreadsheetId, places)) {
      if (isTabFault(view) || view.blankColumns !== undefined || view.addedColumns !== undefined) continue;
      if (this.#isQuiet(place, view)) await this.#removeFrom(place, view, turn);
    }
  }

  /** True if the same keys are in the same rows as at the last look. */
  #isQuiet({ name, tab, spreadsheetId }: KeyedTab, { keys, rowCount }: TabView): boolean {
    const place = JSON.stringify([name, spreadsheetId, tab]);
    const now = contentHash([rowCount ?? 0, ...keys]);
    const isSame = this.#before.get(place) === now;
    this.#before.set(place, now);
    return isSame;
  }

  async #removeFrom(place: KeyedTab, view: TabView, turn: Turn): Promise<void> {
    const { api, log, rowsMin = BLANK_ROWS_MIN } = this.#parts;
    const candidates = unkeyedRows(view);
    if (candidates.length < rowsMin) return;
    const blank = await this.#blankAmong(place.spreadsheetId, view, new Set(candidates));
    if (blank.length < rowsMin) return;
    const runs = runsOf(blank).slice(-RUNS_PER_WRITE);
    if (!(await this.#areStillBlank(place.spreadsheetId, view, runs))) return;
    assertHeld(turn, place.spreadsheetId);
    // Delete from the bottom up, so that no deletion shifts the rows of the next one.
    await api.write(
      place.spreadsheetId,
      runs.reverse().map((run) => deletion(view.sheetId, run)),
    );
    const rows = runs.reduce((sum, [start, end]) => sum + end - start, 0);
    log.info({ mirror: place.name, spreadsheetId: place.spreadsheetId, rows }, 'blank rows deleted');
  }

  /** Reads whole rows with their formulas. Returns no rows if the tab has changed since it was surveyed. */
  async #blankAmong(
    spreadsheetId: string,
    { sheetId, layout, keys, rowCount = 0 }: TabView,
    candidates: ReadonlySet<number>,
  ): Promise<readonly number[]> {
    const blank: number[] = [];
    for (let startRow = 1; startRow < rowCount; startRow += ROWS_PER_LOOK) {
      const endRow = Math.min(startRow + ROWS_PER_LOOK, rowCount);
      // Read the notes before the values: the values show whether rows have moved since the notes were read.
      const noted = await this.#parts.api.notedRows(spreadsheetId, { sheetId, startRow, endRow });
      if (noted === undefined) return [];
      const [read] = await this.#parts.api.readTyped(spreadsheetId, [{ sheetId, startRow, endRow }]);
      if (read === undefined) return [];
      for (let row = startRow; row < endRow; row += 1) {
        const cells = read.rows[row - startRow] ?? [];
        if (trimmedCell(cells[layout.keyColumn]) !== (keys[row] ?? '')) return [];
        const isBlank = cells.every(isBlankCell) && !noted.has(row);
        if (candidates.has(row) && isBlank) blank.push(row);
      }
    }
    return blank;
  }

  /**
   * Reads the rows to delete once more, all at one moment. The many reads before took long: users or another worker may have added rows
   * meanwhile, which shifts those below.
   */
  async #areStillBlank(
    spreadsheetId: string,
    { sheetId, layout, keys, rowCount }: TabView,
    runs: readonly Run[],
  ): Promise<boolean> {
    const areas = runs.map(([startRow, endRow]) => ({ sheetId, startRow, endRow }));
    const [column, ...read] = await this.#parts.api.readTyped(spreadsheetId, [
      columnArea(sheetId, layout.keyColumn),
      ...areas,
    ]);
    if (column === undefined || column.lastRow !== rowCount) return false;
    const keysNow = column.rows.map(([cell]) => trimmedCell(cell));
    const areSame = keysNow.length === keys.length && keysNow.every((key, row) => key === keys[row]);
    return areSame && read.every((area) => area?.rows.flat().every(isBlankCell) === true);
  }
}

function isBlankCell(cell: unknown): boolean {
  return cell === '' || cell === null;
}

/** Rows without a key that lie between keyed rows, or far below the last one. */
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
