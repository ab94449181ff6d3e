// Rows that leave a tab are cleared, so blank rows stay behind, and their cells count against Google's limit. Input: a spreadsheet on which
// no flush works. Output: its tabs with the blank rows below all others, and without most of them. A row between others is never deleted,
// only moved as a whole. If people sort or type in that moment, their row moves with everything in it. Only blank rows far below the last
// content are deleted (decision 0047).

import { createHash } from 'node:crypto';
import { TerminalError } from '../engine/errors.ts';
import type { KeyedTab, SheetMirror } from '../engine/mirror.ts';
import { distanceMs } from '../engine/moments.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { trimmedCell } from '../engine/sheet-row.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import { assertHeld, type TabView, type Turn } from './flush-plan.ts';
import type { OverWrites, SentRows } from './stores.ts';
import { gapsStay, gapsTarget, isTabFault, rowsTakenAlong } from './tab-layout.ts';
import { columnArea, placesOf, type RememberedTabs, TabSurvey } from './tab-survey.ts';

interface BlankRowsParts {
  readonly api: SheetsApi;
  readonly mirrors: readonly SheetMirror[];
  readonly tabs: RememberedTabs;
  readonly sent: Pick<SentRows, 'open'>;
  readonly overWrites: Pick<OverWrites, 'open'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 1,000. */
  readonly rowsMin?: number;
}

/** Fewest blank rows worth moving without `compact`, and worth deleting at all: both change the ranges of formulas and charts. */
const BLANK_ROWS_MIN = 1_000;
/** Blank rows that stay below the last content, for users to write in; a new tab has as many. */
const SPARE_ROWS = 1_000;
/** Runs of neighbouring rows that one write moves, and areas of the last read before it; the next look moves the rest. */
const RUNS_PER_WRITE = 500;
/** Rows per read. */
const ROWS_PER_LOOK = 10_000;
/** How often the gaps of a mirror with `compact` are closed. */
const COMPACT_EVERY_MS = 24 * 3_600_000;

interface TidiedTab {
  readonly place: KeyedTab;
  readonly isCompact: boolean;
  /** Whether blank rows at the end are deleted. */
  readonly isTrimmed: boolean;
  readonly hasArchive: boolean;
}

/** The whole rows of a tab, as they were read. */
interface LookedThrough {
  /** Rows in which nothing stands but perhaps unticked boxes, above the last content. */
  readonly gaps: readonly number[];
  /** The last row in which anything else stands. */
  readonly lastFilled: number;
  /** The last row in which anything stands, even an unticked box. */
  readonly lastTouched: number;
}

export class BlankRows {
  readonly #parts: BlankRowsParts;
  readonly #tabs: readonly TidiedTab[];
  readonly #survey: TabSurvey;
  /** Hash of the key column at the last look, by place. If it has changed since, a user may be sorting right now. */
  readonly #before = new Map<string, string>();

  constructor(parts: BlankRowsParts) {
    this.#parts = parts;
    this.#tabs = parts.mirrors.flatMap((mirror) => {
      const { archive, compact: isCompact = false } = mirror;
      const isTrimmed = archive === undefined ? isCompact : archive.blankRows === 'delete';
      const about = { isCompact, isTrimmed, hasArchive: archive !== undefined };
      return isCompact || isTrimmed ? placesOf(mirror).map((place) => ({ place, ...about })) : [];
    });
    this.#survey = new TabSurvey({ api: parts.api, memory: parts.tabs, log: parts.log });
  }

  /** The caller holds the lease of the spreadsheet's flushes. Rejects with one of the three families. */
  async remove(spreadsheetId: string, turn: Turn): Promise<void> {
    const due = new Map<KeyedTab, { readonly tab: TidiedTab; readonly isDay: boolean }>();
    for (const tab of this.#tabs) {
      if (tab.place.spreadsheetId !== spreadsheetId) continue;
      const isDay = tab.isCompact && (await this.#isDay(tab.place));
      if (isDay || (tab.hasArchive && tab.isTrimmed)) due.set(tab.place, { tab, isDay });
    }
    if (due.size === 0 || (await this.#hasOpenWrites(spreadsheetId))) return;
    for (const [place, view] of await this.#survey.look(spreadsheetId, [...due.keys()])) {
      const about = due.get(place);
      if (about === undefined || isTabFault(view)) continue;
      if (view.blankColumns !== undefined || view.addedColumns !== undefined) continue;
      if (this.#isQuiet(place, view)) await this.#tidy(about, view, turn);
    }
  }

  /** Notes of such writes name rows by their number: what a repair looks for must not move by the worker's own hand. */
  async #hasOpenWrites(spreadsheetId: string): Promise<boolean> {
    const { sent, overWrites } = this.#parts;
    const open = await Promise.all([sent.open(spreadsheetId), overWrites.open(spreadsheetId)]);
    return open.flat().length > 0;
  }

  async #isDay({ spreadsheetId, tab }: KeyedTab): Promise<boolean> {
    const atMs = await this.#parts.tabs.compactedAtMs(spreadsheetId, tab);
    return atMs === undefined || distanceMs(atMs, this.#parts.clock.now()) >= COMPACT_EVERY_MS;
  }

  /** True if the same keys are in the same rows as at the last look. */
  #isQuiet({ name, tab, spreadsheetId }: KeyedTab, { keys, rowCount }: TabView): boolean {
    const place = JSON.stringify([name, spreadsheetId, tab]);
    const hash = createHash('sha256').update(String(rowCount));
    for (const key of keys) hash.update(JSON.stringify(key));
    const now = hash.digest('base64');
    const isSame = this.#before.get(place) === now;
    this.#before.set(place, now);
    return isSame;
  }

  async #tidy(
    { tab: { place, isTrimmed }, isDay }: { readonly tab: TidiedTab; readonly isDay: boolean },
    view: TabView,
    turn: Turn,
  ): Promise<void> {
    const { api, tabs, problems, clock, log, rowsMin = BLANK_ROWS_MIN } = this.#parts;
    const { spreadsheetId, name } = place;
    const { sheetId, rowCount = 0 } = view;
    const found = await this.#lookThrough(spreadsheetId, view);
    if (found === undefined) return;
    const { gaps, lastFilled, lastTouched } = found;
    const runs = runsOf(gaps);
    if (gaps.length >= (isDay ? 1 : rowsMin)) {
      // From the bottom up, so that no move shifts the rows of the next one.
      const moved = runs.slice(-RUNS_PER_WRITE).reverse();
      if (!(await this.#move(place, view, { runs: moved, below: lastFilled + 1, turn }))) return;
    } else if (isTrimmed && rowCount - (lastTouched + 1 + SPARE_ROWS) >= rowsMin) {
      const end: Run = [lastTouched + 1 + SPARE_ROWS, rowCount];
      if (!(await this.#areStill(spreadsheetId, view, { runs: [end], isFree: isBlankCell }))) return;
      assertHeld(turn, spreadsheetId);
      await api.write(spreadsheetId, [{ deleteDimension: { range: rowsRange(sheetId, end) } }]);
      log.info({ mirror: name, spreadsheetId, rows: end[1] - end[0] }, 'blank rows deleted');
    }
    if (isDay && gaps.length === 0) await problems.clear(gapsTarget(place));
    if (isDay && runs.length <= RUNS_PER_WRITE)
      await tabs.noteCompacted(spreadsheetId, place.tab, clock.now());
  }

  /** False if the tab has changed since it was read. */
  async #move(
    place: KeyedTab,
    view: TabView,
    { runs, below, turn }: { readonly runs: readonly Run[]; readonly below: number; readonly turn: Turn },
  ): Promise<boolean> {
    const { api, log, problems } = this.#parts;
    const { spreadsheetId, name } = place;
    const { sheetId } = view;
    if (!(await this.#areStill(spreadsheetId, view, { runs, isFree: isUnusedCell }))) return false;
    assertHeld(turn, spreadsheetId);
    const moves = runs.map((run) => ({
      moveDimension: { source: rowsRange(sheetId, run), destinationIndex: below },
    }));
    const refusal = await api.write(spreadsheetId, moves).then(
      () => undefined,
      (error: unknown) => error,
    );
    // Merged cells or a protection, for example. Tomorrow they may be gone.
    if (refusal instanceof TerminalError) {
      await problems.raise(gapsStay(place, refusal));
      return true;
    }
    if (refusal !== undefined) throw refusal;
    await problems.clear(gapsTarget(place));
    const rows = runs.reduce((sum, [start, end]) => sum + end - start, 0);
    log.info({ mirror: name, spreadsheetId, rows }, 'blank rows moved below the others');
    const [read] = await api.readTyped(spreadsheetId, [{ sheetId, startRow: below - rows, endRow: below }]);
    const strangers = (read?.rows ?? []).flatMap((cells, row) =>
      cells.every(isUnusedCell) ? [] : [below - rows + row],
    );
    if (strangers.length > 0) await problems.raise(rowsTakenAlong(place, strangers));
    return true;
  }

  /** Reads whole rows with their formulas. Undefined if the tab has changed since it was surveyed. */
  async #lookThrough(
    spreadsheetId: string,
    { sheetId, layout, keys, rowCount = 0 }: TabView,
  ): Promise<LookedThrough | undefined> {
    const unused: number[] = [];
    let [lastFilled, lastTouched] = [0, 0];
    for (let startRow = 1; startRow < rowCount; startRow += ROWS_PER_LOOK) {
      const endRow = Math.min(startRow + ROWS_PER_LOOK, rowCount);
      // Read the notes before the values: the values show whether rows have moved since the notes were read.
      const noted = await this.#parts.api.notedRows(spreadsheetId, { sheetId, startRow, endRow });
      if (noted === undefined) return undefined;
      const [read] = await this.#parts.api.readTyped(spreadsheetId, [{ sheetId, startRow, endRow }]);
      if (read === undefined) return undefined;
      for (let row = startRow; row < endRow; row += 1) {
        const cells = read.rows[row - startRow] ?? [];
        if (trimmedCell(cells[layout.keyColumn]) !== (keys.at(row) ?? '')) return undefined;
        if (noted.has(row) || !cells.every(isBlankCell)) lastTouched = row;
        if (noted.has(row) || !cells.every(isUnusedCell)) lastFilled = row;
        else unused.push(row);
      }
    }
    return { gaps: unused.filter((row) => row < lastFilled), lastFilled, lastTouched };
  }

  /**
   * Reads the rows once more, all at one moment. The many reads before took long: users or another worker may have added rows meanwhile,
   * which shifts those below.
   */
  async #areStill(
    spreadsheetId: string,
    { sheetId, layout, keys, rowCount }: TabView,
    { runs, isFree }: { readonly runs: readonly Run[]; readonly isFree: (cell: unknown) => boolean },
  ): Promise<boolean> {
    const areas = runs.map(([startRow, endRow]) => ({ sheetId, startRow, endRow }));
    const [column, ...read] = await this.#parts.api.readTyped(spreadsheetId, [
      columnArea(sheetId, layout.keyColumn),
      ...areas,
    ]);
    if (column === undefined || column.lastRow !== rowCount) return false;
    const keysNow = column.rows.map(([cell]) => trimmedCell(cell));
    const areSame = keysNow.length === keys.length && keysNow.every((key, row) => key === keys.at(row));
    return areSame && read.every((area) => area?.rows.flat().every(isFree) === true);
  }
}

function isBlankCell(cell: unknown): boolean {
  return cell === '' || cell === null;
}

/** An unticked box, perhaps filled down to the end of the tab, is nothing that people have written. */
function isUnusedCell(cell: unknown): boolean {
  return isBlankCell(cell) || cell === false;
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

function rowsRange(sheetId: number, [startIndex, endIndex]: Run) {
  return { sheetId, dimension: 'ROWS', startIndex, endIndex };
}
