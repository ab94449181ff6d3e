// Google may perform a write that was given up, or whose process died, long after the next flush has settled. A row then appears twice.
// Input: a spreadsheet on which no flush works, and its writes without a known end. Output: its tabs without the rows that such a write
// added a second time, or added after their objects had left. Never touched: a row that differs from what was sent, or that holds anything
// users wrote (decision 0029).

import type { History } from '../engine/history.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import { canHaveBeen } from '../engine/moments.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Runtime } from '../engine/runtime.ts';
import { type Cell, trimmedCell } from '../engine/sheet-row.ts';
import type { SheetRows } from '../engine/sheet-rows.ts';
import type { Texts } from '../google/large-column.ts';
import { type AreaValues, type SheetsApi, WRITE_LANDS_MS } from '../google/sheets-api.ts';
import { assertHeld, type RowWrite, type TabPlan, type TabView, type Turn } from './flush-plan.ts';
import { settle } from './flush-settle.ts';
import { writePlans } from './flush-write.ts';
import { CutWrites, isAdded } from './noted-cells.ts';
import type { OpenWrite, SentRow, SentRows } from './stores.ts';
import { isTabFault } from './tab-layout.ts';
import { type RememberedTabs, TabSurvey } from './tab-survey.ts';
import { cellsHash, cellsPart } from './typed-cell.ts';

export interface LateDoublesParts extends Runtime {
  readonly api: SheetsApi;
  /** The same mirrors as the flusher's. */
  readonly mirrors: readonly KeyedTab[];
  readonly sent: SentRows;
  readonly outbox: Outbox;
  readonly rows: Pick<SheetRows, 'known' | 'restore'>;
  readonly tabs: RememberedTabs;
  readonly history: Pick<History, 'note'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
}

/** Rows per read: some megabytes if rows are wide. */
const ROWS_PER_READ = 10_000;

export class LateDoubles {
  readonly #parts: LateDoublesParts;
  readonly #survey: TabSurvey;
  readonly #cut: CutWrites;

  constructor(parts: LateDoublesParts) {
    this.#parts = parts;
    this.#cut = new CutWrites(parts);
    this.#survey = new TabSurvey({ api: parts.api, memory: parts.tabs, log: parts.log });
  }

  /**
   * Looks for cells that such a write left in the wrong place, too. The caller makes sure that no flush of the spreadsheet is in progress.
   * Costs nothing while no write is open. Rejects with one of the
   * three families.
   */
  async takeBack(spreadsheetId: string, turn: Turn): Promise<void> {
    const { sent } = this.#parts;
    const left = await this.#cut.look(spreadsheetId, turn);
    const landed = await this.#landed(spreadsheetId);
    if (landed.length === 0) return;
    const rows = landed.flatMap((write) => write.rows).filter(isAdded);
    const places = this.#parts.mirrors.filter(
      (place) =>
        place.spreadsheetId === spreadsheetId &&
        rows.some(({ mirror, tab }) => mirror === place.name && tab === place.tab),
    );
    // Empty if the mapping no longer names the tab.
    const seen = places.length === 0 ? [] : await this.#survey.look(spreadsheetId, places);
    let isWhole = true;
    for (const [place, view] of seen) {
      const own = rows.filter(({ mirror, tab }) => mirror === place.name && tab === place.tab);
      // An unreadable tab says nothing yet: look again later.
      if (isTabFault(view)) isWhole = false;
      else {
        await this.#markUnknownDirty(place, view, own);
        if (!(await this.#takeBackIn(place, view, { rows: own, turn }))) isWhole = false;
      }
    }
    if (!isWhole) return;
    for (const write of landed) if (!left.has(write.sentAtMs)) await sent.ended(spreadsheetId, write);
  }

  /** Writes that can no longer take effect. A write stamped by a clock that was ahead says nothing: its time begins now. */
  async #landed(spreadsheetId: string): Promise<readonly OpenWrite[]> {
    const { sent, clock } = this.#parts;
    const nowMs = clock.now();
    const open = await sent.open(spreadsheetId);
    const ahead = open.filter(({ sentAtMs }) => !canHaveBeen(sentAtMs, nowMs));
    if (ahead.length > 0)
      await sent.sent(
        spreadsheetId,
        ahead.flatMap(({ rows }) => rows),
      );
    for (const write of ahead) await sent.ended(spreadsheetId, write);
    return open.filter(({ sentAtMs }) => nowMs - sentAtMs >= WRITE_LANDS_MS);
  }

  /**
   * Marks dirty the objects whose row is in the tab but not known. They have left the tab meanwhile, and their next turn clears the row.
   */
  async #markUnknownDirty(place: KeyedTab, view: TabView, rows: readonly SentRow[]): Promise<void> {
    const { name, spreadsheetId, tab } = place;
    const known = await this.#parts.rows.known({ mirror: name, spreadsheetId, tab });
    const standing = new Set([...view.keys].slice(1));
    const unknown = rows.filter(({ key, rowKey }) => standing.has(rowKey) && !known.has(key));
    if (unknown.length === 0) return;
    await this.#parts.rows.restore(
      unknown.map(({ key }) => key),
      name,
    );
    this.#parts.log.warn(
      { mirror: name, spreadsheetId, rows: unknown.length },
      'rows came after they had left',
    );
  }

  /** False when not everything could be read. */
  async #takeBackIn(
    place: KeyedTab,
    view: TabView,
    { rows, turn }: { readonly rows: readonly SentRow[]; readonly turn: Turn },
  ): Promise<boolean> {
    if (view.blankColumns !== undefined || view.addedColumns !== undefined) return true;
    const doubled = new Map([...rowsByKey(view.keys, rows)].filter(([, at]) => at.length > 1));
    if (doubled.size === 0) return true;
    const unspoilt = new Set<number>();
    for (const area of windowsOf([...doubled.values()].flat())) {
      const found = await this.#ownRows(place, view, { ...area, rows });
      if (found === undefined) return false;
      for (const row of found) unspoilt.add(row);
    }
    const inPlace = new Map<number, RowWrite>();
    const keys = new Set<string>();
    for (const [key, at] of doubled) {
      const own = at.filter((row) => unspoilt.has(row));
      for (const row of own.length === at.length ? own.slice(1) : own) {
        inPlace.set(row, emptied(view, key));
        for (const sent of rows) if (sent.rowKey === key) keys.add(sent.key);
      }
    }
    if (inPlace.size > 0) await this.#empty(place, view, { inPlace, keys: [...keys], turn });
    return true;
  }

  /** Rows that hold exactly what was sent; undefined when the tab has changed since it was surveyed. */
  async #ownRows(
    { spreadsheetId }: KeyedTab,
    { sheetId, layout, keys }: TabView,
    about: { readonly startRow: number; readonly endRow: number; readonly rows: readonly SentRow[] },
  ): Promise<ReadonlySet<number> | undefined> {
    const { startRow, endRow, rows } = about;
    const area = { sheetId, startRow, endRow };
    const noted = await this.#parts.api.notedRows(spreadsheetId, area);
    const [read] = await this.#parts.api.readTyped(spreadsheetId, [area]);
    if (read === undefined || noted === undefined) return undefined;
    const owned = new Set([layout.keyColumn, ...layout.columns.values()]);
    const sent = new Set(rows.map(({ rowKey, hash }) => `${rowKey} ${cellsPart(hash)}`));
    const unspoilt = new Set<number>();
    for (let row = startRow; row < endRow; row += 1) {
      const cells = cellsOf(read, row - startRow);
      const key = trimmedCell(cells[layout.keyColumn]);
      if (key !== (keys.at(row) ?? '')) return undefined;
      const isOthers = cells.some((cell, at) => !owned.has(at) && cell !== false && trimmedCell(cell) !== '');
      if (isOthers || noted.has(row)) continue;
      const content = Object.fromEntries([...layout.columns].map(([header, at]) => [header, cells[at]]));
      if (sent.has(`${key} ${cellsHash(content)}`)) unspoilt.add(row);
    }
    return unspoilt;
  }

  async #empty(
    place: KeyedTab,
    view: TabView,
    about: {
      readonly inPlace: ReadonlyMap<number, RowWrite>;
      readonly keys: readonly string[];
      readonly turn: Turn;
    },
  ): Promise<void> {
    const { api, rows, history, clock, log } = this.#parts;
    const { spreadsheetId, name } = place;
    const inPlace = new Map([...about.inPlace].sort(([a], [b]) => a - b));
    const nothing = { insertAt: view.keys.length, fresh: [], absent: [], left: [], doubledRows: 0 };
    const plan: TabPlan = { mirror: place, view, inPlace, ...nothing };
    // Mark dirty before the write, because the row that stays may be the older of the two.
    await rows.restore(about.keys, name);
    assertHeld(about.turn, spreadsheetId);
    const { plans } = await writePlans({ api, spreadsheetId }, [plan]);
    await settle({ ...this.#parts, survey: this.#survey }, spreadsheetId, {
      plans,
      outcome: 'performed',
    });
    for (const key of about.keys)
      history.note(key, {
        ...{ what: 'acted', atMs: clock.now(), by: 'worker', code: 'own-double-cleared' },
        ids: { mirror: name, spreadsheet: spreadsheetId },
      });
    log.warn({ mirror: name, spreadsheetId, rows: inPlace.size }, 'rows that came twice are taken back');
  }
}

function rowsByKey(keys: Texts, rows: readonly SentRow[]): ReadonlyMap<string, readonly number[]> {
  const wanted = new Set(rows.map(({ rowKey }) => rowKey));
  const found = new Map<string, number[]>();
  for (const [row, key] of keys.entries())
    if (row > 0 && wanted.has(key)) found.set(key, [...(found.get(key) ?? []), row]);
  return found;
}

/** Few areas, none longer than one read, that hold all these rows. */
function windowsOf(
  rows: readonly number[],
): readonly { readonly startRow: number; readonly endRow: number }[] {
  const areas: { startRow: number; endRow: number }[] = [];
  for (const row of [...rows].sort((a, b) => a - b)) {
    const last = areas.at(-1);
    if (last !== undefined && row < last.startRow + ROWS_PER_READ) last.endRow = row + 1;
    else areas.push({ startRow: row, endRow: row + 1 });
  }
  return areas;
}

function cellsOf(read: AreaValues, row: number): readonly unknown[] {
  return read.rows[row] ?? [];
}

function emptied({ layout }: TabView, key: string): RowWrite {
  const cells = new Map<number, Cell>([layout.keyColumn, ...layout.columns.values()].map((at) => [at, null]));
  return { key, keyAfter: '', cells, pending: undefined };
}
