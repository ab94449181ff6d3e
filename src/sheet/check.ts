// Compares the rows confirmed in a tab with the rows that are there. Input: the known rows. Output: objects whose row must be rewritten, or
// rows that stay away. It writes no rows, and concludes nothing from a tab that it could not read in full. The caller makes sure that no
// flush of the spreadsheet is in progress.

import { counted } from '../engine/counts.ts';
import { isOfQuota } from '../engine/errors.ts';
import { sheetPlace } from '../engine/ids.ts';
import type { SheetMirror } from '../engine/mirror.ts';
import { startedBy } from '../engine/moments.ts';
import { formatKey } from '../engine/object.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { CarriedField } from '../engine/row-edit.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { FORMULA_ENDS_MS, isCellError, tickIn, trimmedCell } from '../engine/sheet-row.ts';
import type { SheetRows, UnkeptRows } from '../engine/sheet-rows.ts';
import type { AreaValues, SheetsApi } from '../google/sheets-api.ts';
import { atMidnight, isDaySerial } from '../google/shown-cells.ts';
import { type CarriedRows, doubledIn } from './carried-rows.ts';
import { figuresOf } from './cells.ts';
import { ROWS_PER_READ, type SeenRow } from './edited-rows.ts';
import { doubledRowsOf, isObjectId, type TabView } from './flush-plan.ts';
import { cellsNotKept } from './stores.ts';
import {
  cellsMerged,
  coveredColumns,
  hasShape,
  isTabFault,
  type TabFault,
  type TabShape,
  tabFiltered,
} from './tab-layout.ts';
import { isSameSpot, placesOf, type RememberedTabs, TabSurvey } from './tab-survey.ts';
import { LEFT } from './target.ts';
import { cellsHash, cellsPart, hasZone, type SheetZones } from './typed-cell.ts';

export interface SheetCheckerParts {
  readonly api: SheetsApi;
  readonly rows: SheetRows;
  readonly unkept: UnkeptRows;
  readonly mirrors: readonly SheetMirror[];
  readonly tabs: RememberedTabs;
  /** The flusher's; default: its own. */
  readonly survey?: TabSurvey;
  readonly zones: SheetZones;
  readonly problems: ProblemBoard;
  /** Required for mirrors whose cells users may change. */
  readonly carried?: CarriedRows;
  readonly clock: Clock;
  readonly log: Log;
}

/** Missing rows above both this share of the known rows and this number are reported as a problem. */
const MISSING_SHARE_MAX = 0.5;
const MISSING_ROWS_MIN = 20;
/** How long many missing rows are reported before the worker accepts them as deleted for good. */
const BELIEVED_AFTER_MS = 24 * 3_600_000;
/** Consecutive looks that restore the same cells of a row; the next one gives the row up. */
const RESTORES_MAX = 3;
/** How long a filter that hides rows from everybody stands before it is reported. */
const FILTER_TOLD_AFTER_MS = 24 * 3_600_000;
/** Cells from which the spreadsheet is reported as nearly full; Google's limit is 10,000,000. */
const CELLS_REPORTED_FROM = 8_000_000;

export class SheetChecker {
  readonly #parts: SheetCheckerParts;
  readonly #places: readonly SheetMirror[];
  readonly #survey: TabSurvey;
  /** Rows missing at the last look, by check target. A row missing once may be about to be pasted elsewhere. */
  readonly #unfinished = new UnfinishedRows();
  readonly #missedBefore = new Map<string, ReadonlySet<string>>();
  /** By problem target. */
  readonly #filteredSinceMs = new Map<string, number>();
  /** Tabs that a check has compared which a spent quota ended, by spreadsheet. */
  readonly #compared = new Map<string, Set<SheetMirror>>();
  /** Where the comparison of a tab goes on, by check target: a large one needs more reads than one minute allows. */
  readonly #continuesAt = new Map<string, number>();

  constructor(parts: SheetCheckerParts) {
    this.#parts = parts;
    this.#places = parts.mirrors.flatMap(placesOf);
    this.#survey = parts.survey ?? new TabSurvey({ api: parts.api, memory: parts.tabs, log: parts.log });
  }

  /**
   * Two reads, and one more per 10,000 rows where cells are compared. Rejects with one of the three families. If a spent quota ends it, the
   * next check goes on behind the last row that was compared.
   */
  async check(spreadsheetId: string): Promise<void> {
    const compared = this.#compared.get(spreadsheetId) ?? new Set();
    this.#compared.delete(spreadsheetId);
    try {
      await this.#check(spreadsheetId, compared);
    } catch (error) {
      if (isOfQuota(error)) this.#compared.set(spreadsheetId, compared);
      throw error;
    }
  }

  async #check(spreadsheetId: string, compared: Set<SheetMirror>): Promise<void> {
    const known = new Map<SheetMirror, ReadonlyMap<string, string>>();
    for (const mirror of this.#places) {
      if (mirror.spreadsheetId !== spreadsheetId || mirror.check === undefined) continue;
      const rows = await this.#parts.rows.known(checkedTab(mirror));
      if (rows.size > 0) known.set(mirror, rows);
    }
    if (known.size === 0) return;
    const tabs = await this.#checkSettings(spreadsheetId, known);
    await this.#parts.carried?.recover(spreadsheetId);
    await this.#parts.carried?.tidy(spreadsheetId, tabs);
    const seen = await this.#survey.lookAgain(spreadsheetId, [...known.keys()]);
    for (const [mirror, rows] of known) {
      const view = seen.get(mirror);
      if (view === undefined || compared.has(mirror)) continue;
      const shape = tabs.find(({ sheetId }) => !isTabFault(view) && sheetId === view.sheetId) ?? {};
      if (isTabFault(view)) await this.#raise(mirror, view);
      else await this.#compare(mirror, { view, rows, shape });
      compared.add(mirror);
    }
  }

  /** Returns the tabs of the spreadsheet. */
  async #checkSettings(spreadsheetId: string, known: ReadonlyMap<SheetMirror, ReadonlyMap<string, string>>) {
    const { api, zones, rows, problems, log } = this.#parts;
    const settings = await api.settings(spreadsheetId);
    const { cells, tabs } = settings;
    const dated = [...known].filter(
      ([{ timezone, columns }]) => timezone === undefined && columns.some(({ as }) => hasZone(as)),
    );
    // An unknown zone only matters to mirrors that write dates in it.
    const isRelevant = settings.timeZone !== undefined || dated.length > 0;
    if (isRelevant && (await zones.note(spreadsheetId, settings))) {
      for (const [mirror, ofMirror] of dated) {
        log.info({ mirror: mirror.name, spreadsheetId }, 'spreadsheet has another time zone');
        await rows.restore(standing(ofMirror), mirror.name);
      }
      await zones.rewritten(spreadsheetId);
    }
    const target = `spreadsheet-size:${spreadsheetId}`;
    if (cells >= CELLS_REPORTED_FROM) {
      const code = 'sheet-nearly-full';
      const message = `the spreadsheet has ${cells} cells of the 10,000,000 that Google allows, blank ones included`;
      const advice =
        'Delete blank columns and rows at the ends of its tabs, old rows, or tabs that nobody needs; or give a mirror another spreadsheet.';
      await problems.raise({ target, code, message, advice });
    } else await problems.clear(target);
    return tabs;
  }

  async #compare(
    mirror: SheetMirror,
    { view, rows, shape }: { view: TabView; rows: ReadonlyMap<string, string>; shape: TabShape },
  ): Promise<void> {
    await this.#parts.tabs.noteShape(mirror.spreadsheetId, mirror.tab, hasShape(shape));
    await this.#tellFilter(mirror, shape);
    await this.#tellMerged(mirror, { view, rows, shape });
    const standsNow = new Set<string>();
    for (const [row, id] of view.keys.entries()) {
      const key = formatKey({ kind: mirror.from, id });
      if (row > 0 && rows.has(key)) standsNow.add(key);
    }
    const missing = new Map([...rows].filter(([key, hash]) => hash !== LEFT && !standsNow.has(key)));
    const returned = [...rows].flatMap(([key, hash]) => (hash === LEFT && standsNow.has(key) ? [key] : []));
    const isMany =
      missing.size >= MISSING_ROWS_MIN && missing.size > MISSING_SHARE_MAX * standing(rows).length;
    if (isMany)
      await this.#raise(
        mirror,
        this.#missingFault(mirror, view, { missing: missing.size, known: standing(rows).length }),
      );
    await this.#tellCopies(mirror, { view, rows });
    // The tab is empty, even without its header: the next row to be written lays it out again and brings all others.
    if (view.blankColumns !== undefined) return;
    const { edited, limit } = await this.#edited(mirror, { view, rows, shape });
    if (limit !== undefined) {
      await this.#parts.rows.restore(edited, mirror.name);
      throw limit;
    }
    const toRestore = [...returned, ...edited];
    if (mirror.check?.removed === 'restore') toRestore.push(...missing.keys());
    else await this.#leave(mirror, missing, isMany);
    const counts = { missing: missing.size, returned: returned.length, edited: edited.length };
    if (toRestore.length > 0) {
      this.#parts.log.info({ mirror: mirror.name, ...counts }, 'rows differ from what was written');
      await this.#parts.rows.restore(toRestore, mirror.name);
    }
    if (!isMany) await this.#parts.problems.clear(this.#target(mirror));
  }

  /** Rows that people copied with their ids. A copy is named until it is gone, also after its object has left and its row was cleared. */
  async #tellCopies(
    mirror: SheetMirror,
    { view, rows }: { view: TabView; rows: ReadonlyMap<string, string> },
  ): Promise<void> {
    const { problems } = this.#parts;
    const copies = doubledRowsOf(view);
    const target = `sheet-copies:${this.#nameOf(mirror)}`;
    const code = 'duplicate-key';
    // A flush reports what it met under the tab.
    const told = (await problems.list()).filter(
      (problem) =>
        problem.target === target || (problem.target === sheetPlace(mirror) && problem.code === code),
    );
    const isTold = told.some((problem) => problem.target === target);
    let left = 0;
    for (const [row, id] of view.keys.entries())
      if (row > 0 && isObjectId(id) && !rows.has(formatKey({ kind: mirror.from, id }))) left += 1;
    // Unknown ids alone may be rows of before a loss of Redis.
    const count = copies + (copies > 0 || isTold ? left : 0);
    if (count === 0) {
      for (const problem of told) await problems.clear(problem.target);
      return;
    }
    const message = `the tab ${mirror.tab} has copies of other rows, or of rows that have left: ${counted(count, 'row')} not kept up to date`;
    const advice = `Delete the copies, or empty their cell under "${mirror.keyHeader}".`;
    await problems.raise({ target, code, message, advice, names: [mirror.tab] });
  }

  /** Cells under a merge show nothing, and nothing that is written into them. */
  async #tellMerged(
    mirror: SheetMirror,
    { view, rows, shape }: { view: TabView; rows: ReadonlyMap<string, string>; shape: TabShape },
  ): Promise<void> {
    const { problems } = this.#parts;
    const target = `sheet-merged:${this.#nameOf(mirror)}`;
    const covered: { readonly row: number; readonly columns: readonly number[] }[] = [];
    for (const [row, id] of hasShape(shape) ? view.keys.entries() : []) {
      const isKnown = row > 0 && rows.has(formatKey({ kind: mirror.from, id }));
      const columns = isKnown ? coveredColumns(shape, view.layout, row) : [];
      if (columns.length > 0) covered.push({ row, columns });
    }
    if (covered.length === 0) await problems.clear(target);
    else await problems.raise({ target, ...cellsMerged(covered), names: [mirror.tab] });
  }

  /** People filter all day long: only a filter that stays may have been forgotten. */
  async #tellFilter(mirror: SheetMirror, { isFiltered }: TabShape): Promise<void> {
    const { problems, clock } = this.#parts;
    const target = `sheet-filter:${this.#nameOf(mirror)}`;
    const sinceMs = startedBy(this.#filteredSinceMs.get(target), clock.now());
    if (isFiltered !== true) {
      this.#filteredSinceMs.delete(target);
      await problems.clear(target);
      return;
    }
    this.#filteredSinceMs.set(target, sinceMs);
    if (clock.now() - sinceMs < FILTER_TOLD_AFTER_MS) return;
    await problems.raise({ target, ...tabFiltered(mirror), names: [mirror.tab] });
  }

  /** Rows stay away once two consecutive looks missed them; many rows, only after a day. Until then users may put them back. */
  async #leave(mirror: SheetMirror, missing: ReadonlyMap<string, string>, isMany: boolean): Promise<void> {
    const { problems, rows, clock, log } = this.#parts;
    const target = this.#target(mirror);
    const before = this.#missedBefore.get(target);
    this.#missedBefore.set(target, new Set(missing.keys()));
    if (isMany) {
      const told = (await problems.list()).find(({ target }) => target === this.#target(mirror));
      if (told === undefined || clock.now() - told.sinceMs < BELIEVED_AFTER_MS) return;
    }
    const gone = new Map([...missing].filter(([key]) => before?.has(key)));
    if (gone.size === 0) return;
    log.info({ mirror: mirror.name, rows: gone.size }, 'rows that people deleted stay away');
    await rows.leave(gone, checkedTab(mirror));
  }

  async #edited(
    mirror: SheetMirror,
    look: { readonly view: TabView; readonly rows: ReadonlyMap<string, string>; readonly shape: TabShape },
  ): Promise<{ readonly edited: readonly string[]; readonly limit?: unknown }> {
    const { view, rows } = look;
    if (mirror.check?.edited !== 'restore' || view.addedColumns !== undefined) return { edited: [] };
    const startedAtMs = this.#parts.clock.now();
    const target = this.#target(mirror);
    const fromRow = this.#continuesAt.get(target) ?? 1;
    this.#continuesAt.delete(target);
    const { stopped, ...found } = await compareCells(this.#parts.api, mirror, { ...look, fromRow });
    if (stopped !== undefined) this.#continuesAt.set(target, stopped.atRow);
    const compared = 'carry' in mirror ? this.#settled(mirror, found, startedAtMs) : found;
    const { edited, right } = compared;
    const handed = await this.#carried(mirror, { ...compared, view, startedAtMs });
    // A user's change to a cell that may be changed gets its answer in the row, however often.
    const confirmed = new Map(
      edited.flatMap(({ key }) => (handed.has(key) ? [] : [[key, rows.get(key) ?? ''] as const])),
    );
    const times = await this.#parts.unkept.found(mirror.name, { edited: confirmed, right });
    const rests = (key: string) => (times.get(key) ?? 0) > RESTORES_MAX;
    // Try at every look until the dead letter is stored, because an earlier attempt may have failed.
    for (const key of confirmed.keys())
      if (rests(key) && Number.isFinite(times.get(key))) await this.#giveUp(mirror, key);
    const restored = edited.flatMap(({ key }) => (rests(key) ? [] : [key]));
    return { edited: restored, limit: stopped?.by };
  }

  #settled({ name }: SheetMirror, found: Compared, nowMs: number): Compared {
    const edited = this.#unfinished.settled(name, found.edited, nowMs);
    return { ...found, edited, isWhole: found.isWhole && edited.length === found.edited.length };
  }

  /** Call before the rows are restored, so that users' changes are not lost. */
  async #carried(
    mirror: SheetMirror,
    look: { readonly view: TabView; readonly startedAtMs: number } & Compared,
  ): Promise<ReadonlySet<string>> {
    if (!('carry' in mirror)) return new Set();
    const { view, ...found } = look;
    const doubled = doubledIn(view.keys, mirror);
    return (await this.#parts.carried?.look({ mirror: mirror.name, doubled, ...found })) ?? new Set();
  }

  /** Something changes it after each restore: a person should find out what, instead of the worker racing it. */
  async #giveUp(mirror: SheetMirror, key: string): Promise<void> {
    const { code, message, advice, target } = cellsNotKept(mirror.name, mirror);
    this.#parts.log.warn({ mirror: mirror.name, key, code }, 'row does not keep what is written');
    const reason = {
      mirror: mirror.name,
      code,
      message,
      ...(advice && { advice }),
      ...(target && { target }),
    };
    const letter = { key, atMs: this.#parts.clock.now(), attempts: RESTORES_MAX, reasons: [reason] };
    await this.#parts.unkept.tell(mirror.name, letter);
  }

  async #raise(mirror: SheetMirror, fault: TabFault): Promise<void> {
    const { code, advice } = fault;
    this.#parts.log.warn({ mirror: mirror.name, code, advice }, 'tab is not as it was written');
    await this.#parts.problems.raise({ target: this.#target(mirror), names: [mirror.tab], ...fault });
  }

  /** The archive of a mirror has problems of its own. */
  #target(mirror: SheetMirror): string {
    return `sheet-check:${this.#nameOf(mirror)}`;
  }

  #nameOf(mirror: SheetMirror): string {
    const isHome = this.#parts.mirrors.some((home) => home.name === mirror.name && isSameSpot(home, mirror));
    return `${mirror.name}${isHome ? '' : `/${mirror.tab}`}`;
  }

  #missingFault(
    mirror: SheetMirror,
    view: TabView,
    { missing, known }: { readonly missing: number; readonly known: number },
  ): TabFault {
    return {
      code: 'rows-missing',
      message: `the tab no longer has ${missing} of the ${known} rows that were written`,
      advice: adviceFor(mirror, view),
    };
  }
}

function adviceFor(mirror: SheetMirror, view: TabView): string {
  const history =
    'What people wrote beside them is only in the version history of the spreadsheet (File menu).';
  if (view.blankColumns !== undefined)
    return `The tab is empty. The next change writes its header and all rows again. ${history}`;
  if (mirror.check?.removed === 'restore') return `They are being written again. ${history}`;
  return `Put them back from the version history if they were not meant to go; otherwise they stay away, from tomorrow on for good. With removed: restore they are written again.`;
}

function standing(rows: ReadonlyMap<string, string>): readonly string[] {
  return [...rows].flatMap(([key, hash]) => (hash === LEFT ? [] : [key]));
}

function checkedTab({ name, spreadsheetId, tab }: SheetMirror) {
  return { mirror: name, spreadsheetId, tab };
}

/** Changed rows in which a formula shows no value. Its value may come a moment later, so they are left alone for a while. */
class UnfinishedRows {
  readonly #sinceMs = new Map<string, ReadonlyMap<string, number>>();

  /** The rows without those that are still waited for. */
  settled(mirror: string, edited: readonly SeenRow[], nowMs: number): readonly SeenRow[] {
    const before = this.#sinceMs.get(mirror);
    const isError = ({ cells }: SeenRow) => Object.values(cells).some(isCellError);
    const now = new Map(
      edited.filter(isError).map(({ key }) => [key, startedBy(before?.get(key), nowMs)] as const),
    );
    this.#sinceMs.set(mirror, now);
    return edited.filter(({ key }) => nowMs - (now.get(key) ?? Number.NEGATIVE_INFINITY) >= FORMULA_ENDS_MS);
  }
}

interface Compared {
  /** Rows whose cells differ from what was confirmed, with their cells by header. */
  readonly edited: readonly SeenRow[];
  readonly right: readonly string[];
  /** Rows without a known object or content, and copies, of a mirror that carries contacts. */
  readonly strays: readonly SeenRow[];
  /** Ticked rows without an object, and ticked copies (`cancel` of a mirror that carries appointments). */
  readonly strayTicks: number;
  /** Figures of every start in the tab of a mirror that carries appointments. */
  readonly starts: readonly string[];
  /** True if Google returned every row. */
  readonly isWhole: boolean;
  /** A spent quota left this row and those below it for the next call. */
  readonly stopped?: { readonly atRow: number; readonly by: unknown };
}

/**
 * Returns the rows whose cells differ from what was confirmed, and the keys of the others. Each read includes the key column, to recognise
 * rows that users move between two reads. If rows share a key, only the first is the mirror's. Rejects with a spent quota only if it
 * could read nothing.
 */
export async function compareCells(api: SheetsApi, mirror: SheetMirror, tab: ComparedTab): Promise<Compared> {
  const comparison = new Comparison(mirror, tab);
  const { fromRow = 1 } = tab;
  const rows = tab.view.keys.length;
  let isWhole = fromRow === 1;
  let stopped: Compared['stopped'];
  for (let startRow = fromRow; startRow < rows; startRow += ROWS_PER_READ) {
    const endRow = Math.min(startRow + ROWS_PER_READ, rows);
    if (!comparison.concerns(startRow, endRow)) continue;
    // One more row on either side, so that each row has both of its neighbours.
    const readFrom = Math.max(1, startRow - 1);
    const areas = comparison.columns.map((column) => ({
      sheetId: tab.view.sheetId,
      startRow: readFrom,
      endRow: Math.min(endRow + 1, rows),
      startColumn: column,
      endColumn: column + 1,
    }));
    const read = await api.read(mirror.spreadsheetId, areas).catch((error: unknown) => {
      if (startRow === fromRow || !isOfQuota(error)) throw error;
      stopped = { atRow: startRow, by: error };
      return undefined;
    });
    // Google returned nothing for an area: its rows are skipped.
    if (read === undefined || read.some((area) => area === undefined)) isWhole = false;
    else for (let row = startRow; row < endRow; row += 1) comparison.compare(read, row - readFrom, row);
    if (read === undefined) break;
  }
  // The formats take another read.
  const edited = stopped === undefined ? await comparison.withMidnights(api) : comparison.withoutDays();
  return { ...comparison.found(edited, isWhole), ...(stopped && { stopped }) };
}

interface ComparedTab {
  readonly view: TabView;
  readonly rows: ReadonlyMap<string, string>;
  /** Absent: no cells are merged. */
  readonly shape?: TabShape;
  /** Zero-based; default: the first row below the header. */
  readonly fromRow?: number;
}

class Comparison {
  readonly #mirror: SheetMirror;
  readonly #tab: ComparedTab;
  readonly #headers: readonly string[];
  readonly #startHeader: string | undefined;
  readonly #isTicked: (cells: SeenRow['cells']) => boolean;
  readonly #edited: SeenRow[] = [];
  readonly #right: string[] = [];
  readonly #strays: SeenRow[] = [];
  readonly #starts: string[] = [];
  readonly #seen = new Set<string>();
  /** Where edited rows show a day, perhaps at 00:00. */
  readonly #days = new Map<string, number>();
  #strayTicks = 0;
  #isUncovered = true;

  constructor(mirror: SheetMirror, tab: ComparedTab) {
    this.#mirror = mirror;
    this.#tab = tab;
    this.#headers = [...tab.view.layout.columns.keys()];
    this.#startHeader = headerOf(mirror, 'start');
    this.#isTicked = tickOf(mirror);
  }

  /** The key column first, then those of `#headers`. */
  get columns(): readonly number[] {
    const { keyColumn, columns } = this.#tab.view.layout;
    return [keyColumn, ...columns.values()];
  }

  /** Without rows of the mirror there is nothing to compare. */
  concerns(fromRow: number, toRow: number): boolean {
    if ('carry' in this.#mirror) return true;
    const { view, rows } = this.#tab;
    for (let row = fromRow; row < toRow; row += 1)
      if (rows.has(formatKey({ kind: this.#mirror.from, id: view.keys.at(row) ?? '' }))) return true;
    return false;
  }

  /** `at`: the row among those that were read. `row`: its place in the tab. */
  compare(read: readonly (AreaValues | undefined)[], at: number, row: number): void {
    const key = formatKey({ kind: this.#mirror.from, id: trimmedCell(cellAt(read[0], at)) });
    const known = this.#tab.rows.get(key);
    const isCarrying = 'carry' in this.#mirror;
    if (!isCarrying && known === undefined) return;
    const cells = this.#cells(read, at);
    const start = this.#startHeader === undefined ? undefined : cells[this.#startHeader];
    const figures = figuresOf(start);
    if (figures !== undefined) this.#starts.push(figures);
    const isStray = known === undefined || known === LEFT || this.#seen.has(key);
    if (isStray && this.#isTicked(cells)) this.#strayTicks += 1;
    if (isStray || known === '') {
      const isOfContacts = isCarrying && this.#startHeader === undefined;
      if (isOfContacts && !isBlank(cells)) this.#strays.push({ key, cells });
      return;
    }
    this.#seen.add(key);
    // What a merge covers is nobody's edit.
    if (coveredColumns(this.#tab.shape ?? {}, this.#tab.view.layout, row).length > 0)
      this.#isUncovered = false;
    else if (cellsHash(cells) === cellsPart(known)) this.#right.push(key);
    else {
      this.#edited.push({ key, cells, beside: [at - 1, at + 1].map((next) => this.#cells(read, next)) });
      if (isDaySerial(start)) this.#days.set(key, row);
    }
  }

  #cells(read: readonly (AreaValues | undefined)[], at: number): SeenRow['cells'] {
    return Object.fromEntries(this.#headers.map((header, i) => [header, cellAt(read[i + 1], at)]));
  }

  withoutDays(): readonly SeenRow[] {
    return this.#edited.filter(({ key }) => !this.#days.has(key));
  }

  /** A start that shows a time of day is at midnight; one that shows none is a day. Only its format tells. */
  async withMidnights(api: SheetsApi): Promise<readonly SeenRow[]> {
    const { sheetId, layout } = this.#tab.view;
    const header = this.#startHeader ?? '';
    const column = layout.columns.get(header);
    if (column === undefined || this.#days.size === 0) return this.#edited;
    const rows = [...this.#days.values()];
    const area = { startRow: Math.min(...rows), endRow: Math.max(...rows) + 1 };
    const timed = await api.timedRows(this.#mirror.spreadsheetId, {
      ...{ sheetId, ...area, startColumn: column, endColumn: column + 1 },
    });
    return this.#edited.map((row) =>
      timed.has(this.#days.get(row.key) ?? -1)
        ? { ...row, cells: { ...row.cells, [header]: atMidnight(row.cells[header]) } }
        : row,
    );
  }

  found(edited: readonly SeenRow[], isWhole: boolean): Compared {
    return {
      ...{ edited, right: this.#right, strays: this.#strays, strayTicks: this.#strayTicks },
      ...{ starts: this.#starts, isWhole: isWhole && this.#isUncovered },
    };
  }
}

/** A tick in an otherwise blank row does not count. */
function tickOf(mirror: SheetMirror): (cells: Readonly<Record<string, unknown>>) => boolean {
  const box = headerOf(mirror, 'cancel');
  if (box === undefined) return () => false;
  return (cells) =>
    tickIn(cells[box]) === 'yes' &&
    Object.entries(cells).some(([header, cell]) => header !== box && trimmedCell(cell) !== '');
}

function isBlank(cells: Readonly<Record<string, unknown>>): boolean {
  return Object.values(cells).every((cell) => trimmedCell(cell) === '');
}

function headerOf(mirror: SheetMirror, field: CarriedField): string | undefined {
  const columns = 'carry' in mirror ? (mirror.carry?.columns ?? []) : [];
  return columns.find((column) => column.field === field)?.header;
}

function cellAt(area: AreaValues | undefined, row: number): unknown {
  return area?.rows[row]?.[0];
}
