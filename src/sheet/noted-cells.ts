// What is stored of a write before it leaves, and what a tab shows of it later. Pure. A note holds hashes, so a row is known again only as a
// whole: where all cells of the write still stand side by side.

import { TerminalError } from '../engine/errors.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import { contentHash, formatKey } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { type PendingRow, trimmedCell } from '../engine/sheet-row.ts';
import { type SheetRequest, type SheetsApi, WRITE_LANDS_MS } from '../google/sheets-api.ts';
import {
  assertHeld,
  filledCells,
  isObjectId,
  type Layout,
  type RowWrite,
  type TabPlan,
  type TabView,
  type Turn,
} from './flush-plan.ts';
import type { OpenWrite, SentCells, SentRow, SentRows } from './stores.ts';
import { cellsCovered, isTabFault, namedCells, readLayout } from './tab-layout.ts';
import { fingerprint, holds, storable } from './tab-survey.ts';

type Grid = readonly (readonly unknown[])[];

/** Cells of a noted row in the wrong place. */
export interface Cut {
  readonly sent: SentRow;
  readonly row: number;
  readonly columns: readonly number[];
}

/** Cells that the worker certainly wrote. */
export interface Emptied extends Cut {
  readonly cells: ReadonlyMap<number, unknown>;
  /** Columns of people. The write may have gone over what they wrote. */
  readonly covers: readonly number[];
  /** The row's id, and the cell that gets it. */
  readonly id?: { readonly column: number; readonly text: string };
}

export interface CutCells {
  readonly emptied: readonly Emptied[];
  /** Perhaps somebody typed them. */
  readonly left: readonly Cut[];
  /** Ids whose rows must be written again. */
  readonly hit: readonly string[];
}

/** True for a row that its write adds. */
export function isAdded({ cells }: SentRow): boolean {
  return cells === undefined || cells.kind === 'new';
}

function isRepair({ cells }: SentRow): boolean {
  return cells?.kind === 'stray';
}

/**
 * For the plan of a repair: the cells that it is about to go over, those that it fills, and each of these texts alone. People may act once
 * more before the repair arrives. Then it fills a column of theirs, or what it should empty stays where they moved it.
 */
export function notedCells(plan: TabPlan): readonly SentRow[] {
  const { mirror, view, inPlace, fresh, insertAt } = plan;
  const { grid, layout } = view;
  const headers = new Map([...layout.columns].map(([header, column]) => [column, header]));
  headers.set(layout.keyColumn, mirror.keyHeader.trim());
  const noted = (
    [row, write]: readonly [number, RowWrite],
    kind: SentCells['kind'],
    shown: ReadonlyMap<number, unknown>,
  ): readonly SentRow[] => {
    const columns = [...shown.keys()].sort((a, b) => a - b);
    if (columns.every((column) => fingerprint(shown.get(column)) === '')) return [];
    const cells: SentCells = {
      ...{ kind, sheetId: view.sheetId, row, columns },
      beside: [view.keys.at(row - 1) ?? '', view.keys.at(row + 1) ?? ''],
      under: columns.map((column) =>
        contentHash(grid === undefined ? (headers.get(column) ?? '') : trimmedCell(grid[0]?.[column])),
      ),
      print: printOf(columns.map((column) => shown.get(column))),
    };
    const { key = '', hash = '' } = write.pending ?? {};
    return [{ mirror: mirror.name, tab: mirror.tab, key, rowKey: write.keyAfter || write.key, hash, cells }];
  };
  const stored = (write: RowWrite) =>
    new Map([...filledCells(write, layout)].map(([column, cell]) => [column, storable(cell)]));
  if (grid !== undefined) {
    const owned = new Set([layout.keyColumn, ...layout.columns.values()]);
    return [...inPlace].flatMap((at) => {
      const [row, write] = at;
      const put = filledCells(write, layout);
      const shown = new Map([...put.keys()].map((column) => [column, grid[row]?.[column]]));
      const texts = [...shown].filter(([column]) => put.get(column) === null && !owned.has(column));
      const filled = new Map([...stored(write)].filter(([, cell]) => fingerprint(cell) !== ''));
      return [
        ...noted(at, 'stray', shown),
        ...noted(at, 'in-place', filled),
        ...[...texts, ...filled].flatMap((text) => noted(at, 'text', new Map([text]))),
      ];
    });
  }
  const added = fresh.map((write, i) => [insertAt + i, write] as const);
  return [
    ...[...inPlace].map((at) => [at, 'in-place'] as const),
    ...added.map((at) => [at, 'new'] as const),
  ].flatMap(([at, kind]) => (at[1].pending === undefined ? [] : noted(at, kind, stored(at[1]))));
}

/** `grid`: the tab as it is now, with its formulas. Undefined while it lacks a header of the mirror. */
export function cutCells(place: KeyedTab, rows: readonly SentRow[], grid: Grid): CutCells | undefined {
  const layout = readLayout(grid[0] ?? [], place);
  if (isTabFault(layout)) return undefined;
  const { keyColumn } = layout;
  const tab: NotedTab = {
    ...{ grid, keyColumn, owned: new Set([keyColumn, ...layout.columns.values()]) },
    under: (grid[0] ?? []).map((cell) => contentHash(trimmedCell(cell))),
    keys: grid.map((cells) => trimmedCell(cells[keyColumn])),
  };
  const ids = idsElsewhere(tab);
  const found = placesOf(rows, tab);
  const emptied: Emptied[] = [];
  const left: Cut[] = [];
  const hit = new Set<string>();
  for (const sent of rows) {
    if (sent.cells === undefined) continue;
    const columns = columnsNow(sent.cells, tab);
    const places = (found.get(sent) ?? []).filter((row) => !isRight(sent, row, tab));
    if (sent.cells.kind === 'text') {
      left.push(
        ...places.filter((row) => isLeft(sent, row, { tab, columns })).map((row) => ({ sent, row, columns })),
      );
      continue;
    }
    for (const row of places) {
      const key = tab.keys[row] ?? '';
      if (isObjectId(key) && sent.cells.kind === 'in-place') hit.add(key);
      const wrong = places.length === 1 ? wrongColumns(sent, row, { tab, columns, found }) : undefined;
      if (wrong === undefined) {
        const isOdd = !isObjectId(key) || isMoved(sent.cells, tab);
        const odd = isMoved(sent.cells, tab) ? elsewhere(sent.cells, tab) : columns;
        const shown = shownIn(odd, grid[row]);
        if (isOdd && shownIn(columns, grid[row]).length > 1) left.push({ sent, row, columns: shown });
        continue;
      }
      const cells = new Map(wrong.map((column) => [column, grid[row]?.[column]] as const));
      const filled = new Map([...cells].filter(([, cell]) => fingerprint(cell) !== ''));
      if (filled.size === 0) continue;
      if (isObjectId(sent.rowKey)) hit.add(sent.rowKey);
      const id = idFor(sent, { tab, filled });
      // A new row covers nothing, and the look that found stray cells has named what they cover.
      const mayCover = sent.cells.kind === 'in-place';
      const covers = mayCover ? [...filled.keys()].filter((column) => !tab.owned.has(column)) : [];
      emptied.push({ sent, row, columns: wrong, cells: filled, covers, ...(id && { id }) });
    }
    if (places.length === 0 && sent.cells.kind === 'new')
      for (const at of ids.get(sent.rowKey) ?? []) left.push({ sent, ...at });
  }
  return { emptied, left, hit: [...hit] };
}

interface NotedTab {
  readonly grid: Grid;
  readonly keyColumn: number;
  /** Columns of the mirror. */
  readonly owned: ReadonlySet<number>;
  /** Hash of each header. */
  readonly under: readonly string[];
  readonly keys: readonly string[];
}

/** Where all cells of each write stand now. */
function placesOf(rows: readonly SentRow[], tab: NotedTab): ReadonlyMap<SentRow, readonly number[]> {
  const groups = new Map<string, { columns: readonly number[]; rows: Map<string, SentRow[]> }>();
  for (const sent of rows) {
    if (sent.cells === undefined) continue;
    const columns = columnsNow(sent.cells, tab);
    const group = groups.get(columns.join()) ?? { columns, rows: new Map<string, SentRow[]>() };
    groups.set(columns.join(), group);
    group.rows.set(sent.cells.print, [...(group.rows.get(sent.cells.print) ?? []), sent]);
  }
  const found = new Map<SentRow, number[]>();
  for (const { columns, rows: noted } of groups.values())
    for (const [row, cells] of tab.grid.entries()) {
      if (row === 0) continue;
      for (const sent of noted.get(printOf(columns.map((column) => cells[column]))) ?? [])
        found.set(sent, [...(found.get(sent) ?? []), row]);
    }
  return found;
}

/** Cells that a look has seen move with their columns. Where a write has landed is known only by the columns it was sent to. */
function columnsNow({ kind, columns, under }: SentCells, tab: NotedTab): readonly number[] {
  if (kind !== 'stray' && kind !== 'text') return columns;
  return columns.map((column, i) => {
    if (tab.under[column] === under[i]) return column;
    const now = tab.under.indexOf(under[i] ?? '');
    // A text that was meant for a column of the mirror is right there. It may have landed where that column was.
    return now === -1 || (kind === 'text' && tab.owned.has(now)) ? column : now;
  });
}

interface AtColumns {
  readonly tab: NotedTab;
  readonly found: ReadonlyMap<SentRow, readonly number[]>;
  readonly columns: readonly number[];
}

function isMoved(cells: SentCells, tab: NotedTab): boolean {
  return elsewhere(cells, tab).length > 0;
}

/** Columns that are no longer under the header for which their cells were meant. */
function elsewhere({ columns, under }: SentCells, tab: NotedTab): readonly number[] {
  return columns.filter((column, i) => tab.under[column] !== under[i]);
}

/** The write stands in the row for which it was meant, under its headers. */
function isRight({ rowKey, cells }: SentRow, row: number, tab: NotedTab): boolean {
  if (cells === undefined || cells.kind === 'stray' || cells.kind === 'text') return false;
  return tab.keys[row] === rowKey && !isMoved(cells, tab);
}

/** A row without an id is known by its place only. In any other, the mirror's own columns are written again. */
function isLeft(
  { rowKey, cells }: SentRow,
  row: number,
  { tab, columns }: Omit<AtColumns, 'found'>,
): boolean {
  const key = tab.keys[row] ?? '';
  const isPeoples = columns.every((column) => !tab.owned.has(column));
  if (cells === undefined) return false;
  return isObjectId(key)
    ? isPeoples && key === rowKey
    : row === cells.row && (isPeoples || isMoved(cells, tab));
}

/** The row has not moved between its neighbours. The write may have gone over their ids, too. */
function isInPlace({ cells }: SentRow, row: number, { tab, found }: AtColumns): boolean {
  if (cells?.row !== row) return false;
  const isStill = (at: number, key: string) =>
    (tab.keys[at] ?? '') === key ||
    [...found].some(([other, rows]) => other.rowKey === key && other.cells?.row === at && rows.includes(at));
  return isStill(row - 1, cells.beside[0]) && isStill(row + 1, cells.beside[1]);
}

/** The columns to empty, if the row proves that the worker wrote its cells. */
function wrongColumns(sent: SentRow, row: number, at: AtColumns): readonly number[] | undefined {
  const { tab, columns } = at;
  const { cells } = sent;
  const key = tab.keys[row] ?? '';
  if (cells === undefined) return undefined;
  // One cell may be typed again. Nobody types an id. Without one, wrong cells under the mirror's own headers are the proof.
  if (cells.kind === 'stray') return shownIn(columns, tab.grid[row]).length > 1 ? columns : undefined;
  if (cells.kind === 'in-place' && !goesOverOwn(cells, row, tab)) return undefined;
  // Rows moved, too: whose id the write went over is unknown.
  if (cells.kind === 'in-place' && !isObjectId(key) && !isInPlace(sent, row, at)) return undefined;
  // A row with an id is written again under the mirror's headers.
  return isObjectId(key) ? columns.filter((column) => !tab.owned.has(column)) : columns;
}

function shownIn(columns: readonly number[], cells: readonly unknown[] = []): readonly number[] {
  return columns.filter((column) => fingerprint(cells[column]) !== '');
}

/** Two cells or more, of which one stands under another header of the mirror that means something else. */
function goesOverOwn({ columns, under }: SentCells, row: number, tab: NotedTab): boolean {
  const cells = tab.grid[row] ?? [];
  const shown = shownIn(columns, cells);
  if (shown.length < 2) return false;
  return shown.some((column) => {
    if (column === tab.keyColumn) return true;
    const meant = under.indexOf(tab.under[column] ?? '');
    const own = columns[meant];
    return own !== undefined && own !== column && fingerprint(cells[own]) !== fingerprint(cells[column]);
  });
}

/**
 * The row gets its id back only in a cell that holds the worker's text. So the id goes over nothing, wherever people move the row
 * meanwhile.
 */
function idFor(
  { rowKey, cells }: SentRow,
  { tab, filled }: { readonly tab: NotedTab; readonly filled: ReadonlyMap<number, unknown> },
): Emptied['id'] {
  const { keys, keyColumn } = tab;
  if (cells === undefined || !isObjectId(rowKey) || keys.includes(rowKey)) return undefined;
  return typeof filled.get(keyColumn) === 'string' ? { column: keyColumn, text: rowKey } : undefined;
}

/** Ids outside the key column. That of a new row stands there if people changed its row before anybody looked. */
function idsElsewhere({ grid, keyColumn }: NotedTab): ReadonlyMap<string, readonly Omit<Cut, 'sent'>[]> {
  const ids = new Map<string, Omit<Cut, 'sent'>[]>();
  for (const [row, cells] of grid.entries())
    for (const [column, cell] of cells.entries()) {
      if (row === 0 || column === keyColumn || typeof cell !== 'string' || !isObjectId(cell)) continue;
      ids.set(cell, [...(ids.get(cell) ?? []), { row, columns: [column] }]);
    }
  return ids;
}

function printOf(cells: readonly unknown[]): string {
  return contentHash(cells.map((cell) => fingerprint(cell)));
}

// A process may die, or lose its connection, between a write and the look at what it hit. Input: the notes of such writes. Output: tabs in
// which none of their cells stands in the wrong place, or a problem that names the place. It empties a cell only where the tab proves that
// the worker wrote it, and only while the cell still holds that text.

interface CutWritesParts {
  readonly api: SheetsApi;
  readonly mirrors: readonly KeyedTab[];
  readonly sent: SentRows;
  readonly outbox: Pick<Outbox, 'rewrite'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What one look at a tab found of a write. */
interface Look {
  readonly atMs: number;
  /** Cells of it are in the wrong place. */
  readonly isLeft: boolean;
}

/** Looks in a row, while people move what is to be emptied. */
const LOOKS_MAX = 3;

export class CutWrites {
  readonly #parts: CutWritesParts;
  /** Spreadsheet and write to the last look at each of its tabs. A spent budget may end a look between two tabs. */
  readonly #looks = new Map<string, Map<KeyedTab, Look>>();
  /** Spreadsheet and write: repairs that were performed, and await their look. */
  readonly #performed = new Set<string>();

  constructor(parts: CutWritesParts) {
    this.#parts = parts;
  }

  /** Call before the write leaves: if the process is killed, Google may still perform it. */
  async note(spreadsheetId: string, plans: readonly TabPlan[]): Promise<OpenWrite | undefined> {
    const rows = plans.flatMap(notedCells);
    return rows.length === 0 ? undefined : this.#parts.sent.sent(spreadsheetId, rows);
  }

  /**
   * The write was performed, and settled. A repair ends with the look that finds nothing of it. `next` takes its place. If this fails, the
   * write stays open: the next look finds nothing of it.
   */
  async ended(spreadsheetId: string, open: OpenWrite | undefined, next?: OpenWrite): Promise<void> {
    if (open === undefined || open.sentAtMs === next?.sentAtMs) return;
    const name = nameOf(spreadsheetId, open);
    this.#looks.delete(name);
    if (open.rows.some(isRepair)) this.#performed.add(name);
    else await this.#parts.sent.ended(spreadsheetId, open).catch(() => undefined);
  }

  /**
   * Looks at each open write once, and again when it can no longer arrive. Takes one read for each tab of such a write. If a spent budget ends
   * it, the next call goes on with the other tabs. The caller holds the lease of the spreadsheet.
   */
  async lookOnce(spreadsheetId: string, turn: Turn): Promise<void> {
    const nowMs = this.#parts.clock.now();
    await this.#lookAt(spreadsheetId, turn, ({ atMs }) => Math.abs(nowMs - atMs) >= WRITE_LANDS_MS);
  }

  /** Looks at the repairs of this flush, if there were any. */
  async lookAtRepairs(spreadsheetId: string, turn: Turn): Promise<void> {
    if (this.#performed.size > 0) await this.lookOnce(spreadsheetId, turn);
  }

  /** Looks at all open writes. Returns those of which cells are still in the wrong place. Goes on like `lookOnce`. */
  async look(spreadsheetId: string, turn: Turn): Promise<ReadonlySet<OpenWrite['sentAtMs']>> {
    const left = await this.#lookAt(spreadsheetId, turn, () => false);
    for (const name of this.#looks.keys()) if (name.startsWith(`${spreadsheetId} `)) this.#looks.delete(name);
    return left;
  }

  /** `isOld`: the look counts no more. */
  async #lookAt(
    spreadsheetId: string,
    turn: Turn,
    isOld: (look: Look) => boolean,
  ): Promise<ReadonlySet<OpenWrite['sentAtMs']>> {
    const { clock, mirrors, sent } = this.#parts;
    const open = await sent.open(spreadsheetId);
    const looksOf = (write: OpenWrite) => this.#looks.get(nameOf(spreadsheetId, write));
    for (const place of mirrors) {
      if (place.spreadsheetId !== spreadsheetId) continue;
      const own = open.filter((write) => write.rows.some((row) => isOf(row, place)));
      const isDue = (write: OpenWrite) => {
        const before = looksOf(write)?.get(place);
        return before === undefined || isOld(before);
      };
      if (!own.some(isDue)) continue;
      // All of them, because one problem tells of all that is left in the tab.
      const rows = own.flatMap((write) => write.rows.filter((row) => isOf(row, place)));
      const left = await this.#mend(place, rows, turn);
      for (const write of own) {
        const look = { atMs: clock.now(), isLeft: write.rows.some((row) => left.has(row)) };
        const name = nameOf(spreadsheetId, write);
        this.#looks.set(name, new Map([...(this.#looks.get(name) ?? []), [place, look]]));
      }
    }
    const kept = new Set<number>();
    for (const write of open) {
      const looks = [...(looksOf(write)?.values() ?? [])];
      const name = nameOf(spreadsheetId, write);
      const lookedAtMs = Math.min(clock.now(), ...looks.map(({ atMs }) => atMs));
      const isOver = this.#performed.delete(name) || lookedAtMs - write.sentAtMs >= WRITE_LANDS_MS;
      if (looks.some(({ isLeft }) => isLeft)) kept.add(write.sentAtMs);
      // The sheet check looks for doubles of new rows, and ends their writes.
      else if (isOver && !write.rows.some(isAdded)) {
        await sent.ended(spreadsheetId, write);
        this.#looks.delete(name);
      }
    }
    return kept;
  }

  /** Returns the rows of which cells stay in the wrong place. */
  async #mend(place: KeyedTab, rows: readonly SentRow[], turn: Turn): Promise<ReadonlySet<SentRow>> {
    const { api, outbox, problems, log } = this.#parts;
    const { name, spreadsheetId, tab } = place;
    const target = `sheet-cells:${name}${this.#isHome(place) ? '' : `/${tab}`}`;
    const sheetId = rows[0]?.cells?.sheetId ?? 0;
    for (let looks = 1; ; looks += 1) {
      const grid = await this.#read(spreadsheetId, sheetId);
      const cut = cutCells(place, rows, grid);
      if (cut === undefined) return new Set(rows);
      const keys = cut.hit.map((id) => formatKey({ kind: place.from, id }));
      if (keys.length > 0) await outbox.rewrite(keys, name);
      const left = cut.emptied.length === 0 || looks > LOOKS_MAX ? [...cut.left, ...cut.emptied] : undefined;
      if (left !== undefined) {
        if (left.length === 0) await problems.clear(target);
        else await problems.raise({ target, names: [tab], ...leftProblem(tab, left) });
        return new Set(left.map(({ sent }) => sent));
      }
      assertHeld(turn, spreadsheetId);
      try {
        await api.write(
          spreadsheetId,
          cut.emptied.flatMap((each) => requestsOf(sheetId, each)),
        );
      } catch (error) {
        // A protection covers the cells.
        if (!(error instanceof TerminalError)) throw error;
        looks = LOOKS_MAX;
      }
      const covered = cut.emptied.filter(({ covers }) => covers.length > 0);
      const cells = covered.map(({ row, covers }) => ({ row, columns: covers }));
      if (cells.length > 0) await problems.raise(cellsCovered(place, cells));
      log.warn(
        { mirror: name, rows: cut.emptied.length },
        'cells of a write that was cut off are taken back',
      );
    }
  }

  /** Nothing if the tab is gone. */
  async #read(spreadsheetId: string, sheetId: number) {
    try {
      const [read] = await this.#parts.api.readTyped(spreadsheetId, [{ sheetId }]);
      return read?.rows ?? [];
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      return [];
    }
  }

  /** A mirror lists its main tab first. */
  #isHome({ name, tab }: KeyedTab): boolean {
    return this.#parts.mirrors.find((mirror) => mirror.name === name)?.tab === tab;
  }
}

function nameOf(spreadsheetId: string, { sentAtMs }: OpenWrite): string {
  return `${spreadsheetId} ${sentAtMs}`;
}

/** The row was written into the tab, and its cells are noted. */
function isOf({ mirror, tab, cells }: SentRow, place: KeyedTab): boolean {
  return cells !== undefined && mirror === place.name && tab === place.tab;
}

function leftProblem(tab: string, left: readonly Cut[]) {
  return {
    code: 'cells-left',
    message: `people moved rows or columns under a write, which may have left cells in the tab ${tab}: ${namedCells(left)}`,
    advice: 'Empty these cells if nobody typed them. The problem ends with the next sheet check.',
  };
}

/** Empties a cell only if it still holds the text: people may have moved the rows once more. */
function requestsOf(sheetId: number, { row, cells, id }: Emptied): readonly SheetRequest[] {
  return [...cells].map(([column, cell]) => {
    const range = {
      ...{ sheetId, startRowIndex: row, endRowIndex: row + 1 },
      ...{ startColumnIndex: column, endColumnIndex: column + 1 },
    };
    if (typeof cell !== 'string') {
      const start = { sheetId, rowIndex: row, columnIndex: column };
      return { updateCells: { start, rows: [{ values: [{}] }], fields: 'userEnteredValue' } };
    }
    const replacement = id?.column === column ? id.text : '';
    return { findReplace: { find: cell, matchCase: true, matchEntireCell: true, replacement, range } };
  });
}

// Rows whose ids a write went over, because people moved rows and columns in that moment. What people wrote beside the mirror's cells must not
// lose its object. So each row is remembered with what was left in it, until its object is written again. Pure.

export interface StrandedRow {
  /** What people wrote in the row. */
  readonly beside: string;
  /** The mirror's cells that the write left there, by header. */
  readonly left: ReadonlyMap<string, unknown>;
  /** The id that its place tells. */
  readonly id?: string;
}

/** The rows that one write has stranded in a tab. */
export interface Stranded {
  readonly rows: readonly StrandedRow[];
  /** Ids that the tab has lost: those of these rows, and of rows that people deleted. */
  readonly gone: ReadonlySet<string>;
  /** Ids of rows that were to be written. What their rows showed before is unknown. */
  readonly own: ReadonlySet<string>;
}

/** `put`: the columns that the write has filled. */
export function strandedRow({
  layout,
  cells,
  put,
}: {
  readonly layout: Layout;
  readonly cells: readonly unknown[];
  readonly put: ReadonlyMap<number, unknown>;
}): StrandedRow {
  const left = [...layout.columns].flatMap(([header, column]) =>
    put.has(column) || fingerprint(cells[column]) === '' ? [] : [[header, cells[column]] as const],
  );
  const free = cells.map((cell, column) => (put.has(column) ? '' : cell));
  return { beside: besideIn(free, layout), left: new Map(left) };
}

/**
 * Key to row, for waiting rows that get their stranded row back. A row is recognized by the cells that were left in it. A row that was to be
 * written may have shown other cells, so it is recognized only when it is the last that lacks one.
 */
export function homesOfRows(
  { rows, gone, own }: Stranded,
  tab: { readonly view: TabView; readonly grid: readonly (readonly unknown[])[] },
  waiting: readonly PendingRow[],
): ReadonlyMap<string, number> {
  const { layout } = tab.view;
  const free = new Map<string, number[]>();
  for (const [row, cells] of tab.grid.entries()) {
    const beside = besideIn(cells, layout);
    const isFree = row > 0 && beside !== '' && trimmedCell(cells[layout.keyColumn]) === '';
    if (isFree) free.set(beside, [...(free.get(beside) ?? []), row]);
  }
  const missing = new Map(
    waiting.flatMap((row) => (gone.has(row.rowKey.trim()) ? [[row.rowKey.trim(), row] as const] : [])),
  );
  const homes = new Map<string, number>();
  const found = new Set<string>();
  let lost = rows;
  const bringHome = (key: string, row: StrandedRow) => {
    const [at, ...others] = free.get(row.beside) ?? [];
    if (at !== undefined && others.length === 0 && missing.has(key)) homes.set(key, at);
    found.add(key);
    lost = lost.filter((other) => other !== row);
  };
  for (const row of rows) {
    const [key = '', ...others] = [...missing.keys()].filter((id) => shows(missing.get(id), row));
    const alike = rows.filter((other) => shows(missing.get(key), other));
    if (others.length === 0 && alike.length === 1) bringHome(key, row);
  }
  for (const row of lost) {
    const { id, left } = row;
    const isKept = id !== undefined && (own.has(id) || left.size === 0 || shows(missing.get(id), row));
    if (isKept && !found.has(id)) bringHome(id, row);
  }
  const [last, ...more] = lost;
  if (last === undefined || more.length > 0) return homes;
  const isPossible = (id: string) => own.has(id) || !missing.has(id) || shows(missing.get(id), last);
  const [key = '', ...others] = [...gone].filter((id) => !found.has(id) && isPossible(id));
  if (others.length === 0 && missing.has(key)) bringHome(key, last);
  return homes;
}

/** Rows of people's cells that do not get their object back. */
export function loneRows(
  { rows }: Stranded,
  { view, grid }: { readonly view: TabView; readonly grid: readonly (readonly unknown[])[] },
  homes: ReadonlyMap<string, number>,
): readonly number[] {
  const lost = new Set(rows.flatMap(({ beside }) => (beside === '' ? [] : [beside])));
  const found = new Set(homes.values());
  return [...grid.entries()].flatMap(([row, cells]) => {
    const isFree = row > 0 && trimmedCell(cells[view.layout.keyColumn]) === '' && !found.has(row);
    return isFree && lost.has(besideIn(cells, view.layout)) ? [row] : [];
  });
}

/** True if the row shows what was left of it. */
export function shows(pending: PendingRow | undefined, { left }: StrandedRow): boolean {
  return left.size > 0 && [...left].every(([header, cell]) => holds(cell, pending?.cells?.[header]));
}

/** Wherever its columns are now. */
function besideIn(cells: readonly unknown[], { keyColumn, columns }: Layout): string {
  const owned = new Set([keyColumn, ...columns.values()]);
  const prints = cells.map((cell, column) => (owned.has(column) ? '' : fingerprint(cell)));
  return prints
    .filter((print) => print !== '')
    .sort()
    .join('\n');
}
