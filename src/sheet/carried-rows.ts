// Finds what users changed in mirrored rows: when it looks at a tab, and in the before-images of writes. Input: the rows as they were.
// Output: changes, stored together with a turn for their object. The same change may be reported twice. The caller holds the lease of the
// spreadsheet.

import { randomInt } from 'node:crypto';
import { RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { Memory } from '../engine/memory.ts';
import type { CarryingMirror } from '../engine/mirror.ts';
import { canHaveBeen, type ForgottenTime, startedBy } from '../engine/moments.ts';
import { formatKey } from '../engine/object.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { RowEdit, ShownCells } from '../engine/row-edit.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { trimmedCell } from '../engine/sheet-row.ts';
import type { SheetRows } from '../engine/sheet-rows.ts';
import { type AreaValues, type SheetsApi, type TabInfo, WRITE_LANDS_MS } from '../google/sheets-api.ts';
import { atMidnight, isDaySerial } from '../google/shown-cells.ts';
import { isOfAppointments, judgeRows } from './cell-judge.ts';
import { beforeTitle, carriedColumns, rowsBefore } from './cells.ts';
import {
  addGoneCells,
  dropGoneCells,
  goneCells,
  type JudgedBy,
  type Look,
  ROWS_PER_READ,
  rememberSeen,
  type SeenRow,
} from './edited-rows.ts';
import { isObjectId, type TabPlan } from './flush-plan.ts';
import type { OverWrite, OverWrites, RowEdits } from './stores.ts';
import type { SheetZones } from './typed-cell.ts';

export interface CarriedRowsParts {
  readonly api: SheetsApi;
  readonly mirrors: readonly CarryingMirror[];
  readonly shown: SheetRows;
  readonly edits: Pick<RowEdits, 'note' | 'withdraw'>;
  readonly overWrites: OverWrites;
  readonly memory: Memory;
  /** Zone in which users type starts, where the mapping names none. */
  readonly zones: SheetZones;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear' | 'list'>;
  readonly forgotten: () => Promise<ForgottenTime | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Clocks of the platform and of the worker's hosts differ by no more. */
const CLOCKS_APART_MS = 10_000;
/** How long a tab that cannot be looked at as a whole keeps its rows in doubt after a loss of Redis. */
const LOOKED_WITHIN_MS = 3_600_000;
/** The largest sheet id: a positive int32 (Sheets API, SheetProperties). */
const SHEET_IDS = 2 ** 31 - 1;

export class CarriedRows {
  readonly #parts: CarriedRowsParts;
  readonly #leftBehind: LeftBehindTabs;

  constructor(parts: CarriedRowsParts) {
    this.#parts = parts;
    this.#leftBehind = new LeftBehindTabs(parts);
  }

  /**
   * Returns the plans. Each plan that overwrites cells users may change now names the hidden tab of its before-image. That write is stored
   * before it leaves.
   */
  async begin(spreadsheetId: string, plans: readonly TabPlan[]): Promise<readonly TabPlan[]> {
    const begun: TabPlan[] = [];
    for (const plan of plans) {
      const mirror = this.#mirror(plan.mirror.name);
      if (mirror === undefined || plan.inPlace.size === 0) {
        begun.push(plan);
        continue;
      }
      const write = await this.#overWrite(mirror, plan);
      await this.#parts.overWrites.begin(spreadsheetId, write);
      begun.push({ ...plan, before: { sheetId: write.sheetId } });
    }
    return begun;
  }

  /** The write of the plan went into rows of these ids as well. What it left there is nobody's change until a look finds them right. */
  async strayed(spreadsheetId: string, { mirror, before }: TabPlan, ids: readonly string[]): Promise<void> {
    const { overWrites } = this.#parts;
    if (ids.length === 0) return;
    const write = (await overWrites.open(spreadsheetId)).find(({ sheetId }) => sheetId === before?.sheetId);
    if (write === undefined) return;
    const stray = { wrote: {}, isStray: true } as const;
    const hit = ids.map((id) => ({ key: formatKey({ kind: mirror.from, id }), ...stray }));
    await overWrites.begin(spreadsheetId, { ...write, rows: [...write.rows, ...hit] });
  }

  /** Call when the write has ended. `performed`: the plans as written; the other plans were not performed. */
  async finish(
    spreadsheetId: string,
    begun: readonly TabPlan[],
    performed: readonly TabPlan[],
  ): Promise<void> {
    const own = new Set(begun.flatMap(({ before }) => before?.sheetId ?? []));
    if (own.size === 0) return;
    const done = new Set(
      performed.flatMap((plan) => (plan.inPlace.size > 0 ? (plan.before?.sheetId ?? []) : [])),
    );
    for (const write of await this.#parts.overWrites.open(spreadsheetId)) {
      if (!own.has(write.sheetId)) continue;
      if (done.has(write.sheetId)) {
        await this.#takeUp(spreadsheetId, write);
        await removeTab(this.#parts.api, spreadsheetId, write.sheetId);
      }
      const hasStrayed = write.rows.some(({ isStray }) => isStray);
      await this.#parts.overWrites[hasStrayed ? 'landed' : 'ended'](spreadsheetId, write);
    }
  }

  /** Looks for writes without a known end. If one was performed, reads what it overwrote. Makes no call when no write is open. */
  async recover(spreadsheetId: string): Promise<void> {
    const { overWrites, api, clock, log } = this.#parts;
    const open = await overWrites.open(spreadsheetId);
    if (open.length === 0) return;
    const tabs = new Set((await api.tabs(spreadsheetId)).map(({ sheetId }) => sheetId));
    for (const write of open) {
      const isUnknown = write.hasLanded !== true;
      if (tabs.has(write.sheetId)) {
        log.info({ mirror: write.mirror, spreadsheetId }, 'a write of unknown end was performed');
        if (isUnknown) await this.#takeUp(spreadsheetId, write);
        // It may have been performed after a later write, so its cells may be in the tab without being a user's change.
        await overWrites.landed(spreadsheetId, write);
        await removeTab(api, spreadsheetId, write.sheetId);
      } else if (isUnknown && !canHaveBeen(write.sentAtMs, clock.now())) {
        // The clock that stamped it was ahead, so the time in which it may still land begins now.
        await overWrites.begin(spreadsheetId, { ...write, sentAtMs: clock.now() });
      } else if (isUnknown && clock.now() - write.sentAtMs >= WRITE_LANDS_MS)
        await overWrites.ended(spreadsheetId, write);
    }
  }

  /** Removes hidden tabs that belong to no known write. `tabs`: all tabs of the spreadsheet, just read. */
  tidy(spreadsheetId: string, tabs: readonly Pick<TabInfo, 'sheetId' | 'title'>[]): Promise<void> {
    return this.#leftBehind.remove(spreadsheetId, tabs);
  }

  /** Returns the object keys of rows whose changes were handed on. */
  async look(look: Look): Promise<ReadonlySet<string>> {
    const { overWrites, memory } = this.#parts;
    const mirror = this.#mirror(look.mirror);
    if (mirror === undefined) return new Set();
    const strayTicks = await movedStrayTicks(this.#parts, mirror, look);
    const found = await this.#judge(mirror, look.edited, { ...look, strayTicks, others: () => look.strays });
    // Leave out rows in which only restored cells changed. The caller counts those, to find whatever keeps changing them.
    const handed = new Set([...found].flatMap(([key, edits]) => (isCarried(mirror, edits) ? [key] : [])));
    const shownOf = (keys: ReadonlySet<string>) => this.#shown(mirror, keys);
    await withdrawTakenBack({ ...this.#parts, shownOf }, mirror, { look, found });
    const believed = look.edited.filter(({ key }) =>
      found.get(key)?.every(({ doubt }) => doubt === undefined),
    );
    await rememberSeen(memory, mirror, { edited: believed, isWhole: look.isWhole });
    if (!look.isWhole) return handed;
    await reportMassChange(this.#parts, mirror, found);
    await rememberStrayTicks(this.#parts, mirror, { look, found });
    await dropGoneCells(memory, mirror, look.startedAtMs);
    await memory.set(lookedAt(mirror), String(look.startedAtMs));
    const edited = new Set(look.edited.map(({ key }) => key));
    for (const write of await overWrites.open(mirror.spreadsheetId)) {
      const isOver = this.#mirrorOf(mirror.spreadsheetId, write) === mirror && write.hasLanded === true;
      if (isOver && !write.rows.some(({ key }) => edited.has(key)))
        await overWrites.ended(mirror.spreadsheetId, write);
    }
    return handed;
  }

  async #zone({ timezone, spreadsheetId, carry }: CarryingMirror): Promise<Pick<JudgedBy, 'zone'>> {
    if (!isOfAppointments(carry)) return {};
    return { zone: timezone ?? (await this.#parts.zones.zoneOf(spreadsheetId)) };
  }

  async #overWrite(mirror: CarryingMirror, plan: TabPlan): Promise<OverWrite> {
    const pending = [...plan.inPlace.values()].flatMap((write) => write.pending ?? []);
    const known = await this.#shown(mirror, new Set(pending.map(({ key }) => key)));
    const rows = pending.map(({ key, shown: wrote = {} }) => {
      const shown = known.get(key);
      return { key, ...(shown && { shown }), wrote };
    });
    return {
      ...{ sheetId: randomInt(1, SHEET_IDS), sentAtMs: this.#parts.clock.now() },
      ...{ mirror: mirror.name, tab: mirror.tab },
      ...{ rows, doubled: [...doubledIn(plan.view.keys, mirror)] },
    };
  }

  /** Stores what users had written there, before the hidden tab is deleted. */
  async #takeUp(spreadsheetId: string, { rows: all, ...about }: OverWrite): Promise<void> {
    const { api, memory, clock, log } = this.#parts;
    const write = { ...about, rows: all.filter(({ isStray }) => isStray !== true) };
    const mirror = this.#mirrorOf(spreadsheetId, write);
    if (mirror === undefined) return;
    const [image] = await api.read(spreadsheetId, [{ sheetId: write.sheetId }]);
    // The tab still exists, but Google returned nothing for it.
    if (image === undefined) throw unread(spreadsheetId);
    const rows = rowsBefore(mirror, image);
    if (rows === undefined) log.warn({ mirror: mirror.name, spreadsheetId }, 'headers changed under a write');
    const where = { spreadsheetId, sheetId: write.sheetId, image };
    const seen = (await this.#withMidnights(mirror, rows ?? [], where)).map(({ id, cells }) => ({
      id,
      key: formatKey({ kind: mirror.from, id }),
      cells,
    }));
    await addGoneCells(memory, mirror, { rows: seen, write, nowMs: clock.now() });
    const ids = seen.map(({ id }) => id).filter(isObjectId);
    await this.#judge(
      mirror,
      seen.filter(({ id }) => isObjectId(id)),
      {
        ...{ doubled: new Set([...write.doubled, ...doubledIn(['', ...ids], mirror)]), own: write },
        others: async () => {
          const inImage = new Set(seen.map(({ key }) => key));
          return (await this.#rowsNow(mirror)).filter(({ key }) => !inImage.has(key));
        },
      },
    );
  }

  async #rowsNow(mirror: CarryingMirror): Promise<readonly SeenRow[]> {
    const { spreadsheetId, tab: title, from } = mirror;
    const { api } = this.#parts;
    const tab = (await api.tabs(spreadsheetId)).find((each) => each.title === title);
    if (tab === undefined) throw unread(spreadsheetId);
    const { sheetId } = tab;
    const [header] = await api.read(spreadsheetId, [{ sheetId, startRow: 0, endRow: 1 }]);
    if (header === undefined) throw unread(spreadsheetId);
    const columns = carriedColumns(mirror, header.rows[0] ?? []);
    const rows: SeenRow[] = [];
    if (columns === undefined) return rows;
    const read = [columns.keyColumn, ...columns.own.map(({ column }) => column)];
    for (let startRow = 1; startRow < tab.rows; startRow += ROWS_PER_READ) {
      const endRow = Math.min(startRow + ROWS_PER_READ, tab.rows);
      const [ids, ...cells] = await api.read(
        spreadsheetId,
        read.map((column) => ({ sheetId, startRow, endRow, startColumn: column, endColumn: column + 1 })),
      );
      if (ids === undefined || cells.some((area) => area === undefined)) throw unread(spreadsheetId);
      for (const [row, [id]] of ids.rows.entries()) {
        const own = columns.own.map(({ header }, at) => [header, cells[at]?.rows[row]?.[0]] as const);
        rows.push({ key: formatKey({ kind: from, id: trimmedCell(id) }), cells: Object.fromEntries(own) });
      }
    }
    return rows;
  }

  /** The rows of a before-image; a start that its cell shows with 00:00 has that hour. */
  async #withMidnights<Row extends Pick<SeenRow, 'cells'>>(
    { carry }: CarryingMirror,
    rows: readonly Row[],
    { spreadsheetId, sheetId, image }: { spreadsheetId: string; sheetId: number; image: AreaValues },
  ): Promise<readonly Row[]> {
    const start = carry.columns.find(({ field }) => field === 'start')?.header;
    if (start === undefined || !rows.some(({ cells }) => isDaySerial(cells[start]))) return rows;
    const column = (image.rows[0] ?? []).map(trimmedCell).indexOf(start);
    const area = { startRow: 1, endRow: image.rows.length, startColumn: column, endColumn: column + 1 };
    const timed = await this.#parts.api.timedRows(spreadsheetId, { sheetId, ...area });
    const timedCells = ({ cells }: Row) => ({ ...cells, [start]: atMidnight(cells[start]) });
    return rows.map((row, at) => (timed.has(at + 1) ? { ...row, cells: timedCells(row) } : row));
  }

  async #judge(
    mirror: CarryingMirror,
    rows: readonly SeenRow[],
    about: Pick<JudgedBy, 'doubled' | 'strayTicks' | 'starts'> & {
      readonly own?: OverWrite;
      /** Called only if something has changed. */
      readonly others: () => JudgedBy['others'] | Promise<JudgedBy['others']>;
    },
  ): Promise<ReadonlyMap<string, readonly RowEdit[]>> {
    if (rows.length === 0) return new Map();
    const zone = await this.#zone(mirror);
    const { edits, overWrites, memory, clock, log } = this.#parts;
    const open = (await overWrites.open(mirror.spreadsheetId)).filter(
      (write) => this.#mirrorOf(mirror.spreadsheetId, write) === mirror,
    );
    const lookedMs = Number((await memory.get(lookedAt(mirror))) ?? 0);
    // A clock that was ahead would make every change of the platform since then older than the sheet.
    const sinceMs = canHaveBeen(lookedMs, clock.now()) ? lookedMs : 0;
    const forgottenMs = await this.#forgottenMs(lookedMs);
    const gone = await goneCells(memory, mirror);
    const tried = new Map<string, ShownCells['cells'][]>();
    const bound = open.flatMap((write) => write.rows.map(({ key, wrote }) => [key, wrote] as const));
    const blank = Object.fromEntries(mirror.carry.columns.map(({ header }) => [header, '']));
    for (const { rows: written } of open)
      for (const { key, wrote, isStray } of written) {
        const perhaps = isStray === true ? [...written.map((other) => other.wrote), blank] : [wrote];
        tried.set(key, [...(tried.get(key) ?? []), ...perhaps]);
      }
    const judged = async (among?: ReadonlySet<string>, others: JudgedBy['others'] = []) => {
      const shown = withoutOwn(await this.#shown(mirror, among), about.own);
      return judgeRows(rows, {
        ...{ mirror: mirror.name, carry: mirror.carry, shown, doubled: about.doubled, rows: shown.size },
        tried: (key, header) => tried.get(key)?.flatMap((wrote) => wrote[header] ?? []) ?? [],
        bound,
        ...{ ...zone, isOverwritten: about.own !== undefined, strayTicks: about.strayTicks ?? 0 },
        ...{ sinceMs, nowMs: clock.now(), starts: about.starts ?? [], goneCells: gone, others },
        ...(forgottenMs !== undefined && { forgottenMs }),
      });
    };
    // Usually nothing has changed. Only a change must be compared with all other rows.
    if ((await judged(new Set(rows.map(({ key }) => key)))).size === 0) return new Map();
    const found = await judged(undefined, isOfAppointments(mirror.carry) ? [] : await about.others());
    for (const [key, ofRow] of found) await edits.note(key, ofRow);
    log.info({ mirror: mirror.name, rows: found.size }, 'people changed mirrored rows');
    return found;
  }

  /** Since when Redis may have forgotten what the worker wrote into the tab. Once the whole tab was looked at again, people wrote the rest. */
  async #forgottenMs(lookedMs: number): Promise<number | undefined> {
    const forgotten = await this.#parts.forgotten();
    if (forgotten === undefined || lookedMs > forgotten.untilMs) return undefined;
    const isOver = this.#parts.clock.now() > forgotten.untilMs + LOOKED_WITHIN_MS;
    return isOver ? undefined : forgotten.fromMs - CLOCKS_APART_MS;
  }

  #shown(mirror: CarryingMirror, among?: ReadonlySet<string>): Promise<ReadonlyMap<string, ShownCells>> {
    const { name, spreadsheetId, tab } = mirror;
    return this.#parts.shown.shown({ mirror: name, spreadsheetId, tab }, among);
  }

  #mirror(name: string): CarryingMirror | undefined {
    return this.#parts.mirrors.find((mirror) => mirror.name === name);
  }

  /** An edit of the YAML may have given the mirror another name since. */
  #mirrorOf(spreadsheetId: string, { mirror, tab }: Pick<OverWrite, 'mirror' | 'tab'>) {
    const isThere = (each: CarryingMirror) => each.spreadsheetId === spreadsheetId && each.tab === tab;
    return this.#mirror(mirror) ?? this.#parts.mirrors.find(isThere);
  }
}

/** What this write itself confirmed is not what the row showed before it: use the earlier cells. */
function withoutOwn(
  known: ReadonlyMap<string, ShownCells>,
  own: OverWrite | undefined,
): ReadonlyMap<string, ShownCells> {
  if (own === undefined) return known;
  const shown = new Map(known);
  for (const { key, shown: before } of own.rows) {
    if (before === undefined) shown.delete(key);
    else if (shown.has(key)) shown.set(key, before);
  }
  return shown;
}

function unread(spreadsheetId: string): RetryableError {
  const target = `spreadsheet:${spreadsheetId}`;
  return new RetryableError('sheet-changed', 'people changed the spreadsheet while it was being read', {
    target,
  });
}

/** Memory name of the last look at the whole tab. Earlier changes were already handed on. */
function lookedAt({ name }: CarryingMirror): string {
  return `rows-looked-at:${name}`;
}

/** Keys of the objects whose ids appear in several rows. `keys` is the key column, its header first. */
export function doubledIn(
  keys: Iterable<string>,
  { from }: Pick<CarryingMirror, 'from'>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const id of [...keys].slice(1)) {
    if (seen.has(id) && isObjectId(id)) doubled.add(formatKey({ kind: from, id }));
    seen.add(id);
  }
  return doubled;
}

// Follow-up of a look at a tab: withdraws changes that users took back, and reports mass changes to the operator.

interface WithdrawParts {
  readonly edits: Pick<RowEdits, 'withdraw'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly shownOf: (keys: ReadonlySet<string>) => Promise<ReadonlyMap<string, ShownCells>>;
}

type Found = ReadonlyMap<string, readonly RowEdit[]>;

/** Changed cells remembered from one look to the next. A look with more of them carries nothing. */
const HANDED_MAX = 500;
/** How long the problem board keeps the report that many rows changed at once. */
const REPORTED_MS = 3_600_000;

/**
 * Withdraws each waiting change that users took back. A row rewritten after the change was seen proves nothing, because the worker may have
 * restored the cell itself.
 */
async function withdrawTakenBack(
  { edits, memory, shownOf }: WithdrawParts,
  { name }: Pick<CarryingMirror, 'name'>,
  { look, found }: { readonly look: Look; readonly found: Found },
): Promise<void> {
  const { edited, right, doubled, isWhole } = look;
  // Cells whose changes the last look handed on, as key and header.
  const fact = `rows-handed-on:${name}`;
  const before = JSON.parse((await memory.get(fact)) ?? '[]') as readonly (readonly [string, string])[];
  const seen = new Set([...right, ...edited.map(({ key }) => key)]);
  const isChanged = (key: string, header: string) => found.get(key)?.some((edit) => edit.header === header);
  const back = before.filter(
    ([key, header]) => seen.has(key) && !doubled.has(key) && isChanged(key, header) !== true,
  );
  const shown = back.length === 0 ? undefined : await shownOf(new Set(back.map(([key]) => key)));
  for (const [key, header] of back) {
    const as = shown?.get(key)?.as;
    if (as !== undefined) await edits.withdraw(key, { mirror: name, header, as });
  }
  const now = [...found].flatMap(([key, ofRow]) => ofRow.map(({ header }) => [key, header] as const));
  const unseen = isWhole ? [] : before.filter(([key]) => !seen.has(key));
  const next = JSON.stringify([...now, ...unseen].slice(0, HANDED_MAX));
  if (next !== JSON.stringify(before)) await memory.set(fact, next);
}

/** Keeps the problem for as long as an operator may wonder what happened to the rows. */
async function reportMassChange(
  { problems }: { readonly problems: Pick<ProblemBoard, 'raise'> },
  { name, spreadsheetId, tab }: Pick<CarryingMirror, 'name' | 'spreadsheetId' | 'tab'>,
  found: Found,
): Promise<void> {
  const rows = [...found.values()].filter((ofRow) =>
    ofRow.some(({ doubt }) => doubt === 'many' || doubt === 'older'),
  ).length;
  if (rows === 0) return;
  await problems.raise({
    ...{ target: `carried-rows:${name}`, code: 'rows-changed-at-once', names: [tab], keptForMs: REPORTED_MS },
    message: `${rows} rows of ${spreadsheetId}/${tab} were changed between two checks: none of the changes was carried, and the rows are being restored`,
    advice:
      'Ask the office whether a column was sorted, filled or pasted over, or an older version restored. What was meant is to be changed row by row, or on the platform.',
  });
}

/** True if the row has a change in a column that users may change. */
function isCarried({ carry }: CarryingMirror, edits: readonly RowEdit[]): boolean {
  const fieldOf = new Map(carry.columns.map(({ header, field }) => [header, field]));
  return edits.some(({ header }) => fieldOf.get(header) !== 'shown');
}

// Removes hidden tabs of before-images that were left behind. They hold users' texts, so none may stay.

interface LeftBehindParts {
  readonly api: Pick<SheetsApi, 'write' | 'tabs'>;
  readonly overWrites: Pick<OverWrites, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Age at which an unknown hidden tab is removed. Another installation may use the spreadsheet: its tab exists for seconds, or until its
 * next start.
 */
const LEFT_AFTER_MS = 30 * 60_000;

/** Repeating this changes nothing. */
async function removeTab(
  api: Pick<SheetsApi, 'write' | 'tabs'>,
  spreadsheetId: string,
  sheetId: number,
): Promise<void> {
  try {
    await api.write(spreadsheetId, [{ deleteSheet: { sheetId } }]);
  } catch (error) {
    // A user has removed the tab, or an earlier answer was lost.
    if (!(error instanceof TerminalError)) throw error;
    const tabs = await api.tabs(spreadsheetId);
    if (tabs.some((tab) => tab.sheetId === sheetId)) throw error;
  }
}

/**
 * Removes hidden tabs of unknown writes: Redis was lost, or the write took effect after the worker had given it up. Their rows cannot be
 * compared with what was shown, so nothing is carried from them.
 */
class LeftBehindTabs {
  readonly #parts: LeftBehindParts;
  /** Spreadsheet to its hidden tabs, each with the time this process first saw it. */
  readonly #seen = new Map<string, ReadonlyMap<number, number>>();

  constructor(parts: LeftBehindParts) {
    this.#parts = parts;
  }

  /** `tabs`: all tabs of the spreadsheet, read before this call. A write is stored before its tab can exist. */
  async remove(spreadsheetId: string, tabs: readonly Pick<TabInfo, 'sheetId' | 'title'>[]): Promise<void> {
    const { api, overWrites, clock, log } = this.#parts;
    const copies = tabs.filter(({ sheetId, title }) => title === beforeTitle(sheetId));
    const before = this.#seen.get(spreadsheetId);
    this.#seen.delete(spreadsheetId);
    if (copies.length === 0) return;
    const own = new Set((await overWrites.open(spreadsheetId)).map(({ sheetId }) => sheetId));
    const nowMs = clock.now();
    const seen = new Map<number, number>();
    for (const { sheetId } of copies)
      if (!own.has(sheetId)) seen.set(sheetId, startedBy(before?.get(sheetId), nowMs));
    this.#seen.set(spreadsheetId, seen);
    for (const [sheetId, sinceMs] of seen) {
      if (nowMs - sinceMs < LEFT_AFTER_MS) continue;
      try {
        await removeTab(api, spreadsheetId, sheetId);
        log.warn({ spreadsheetId }, 'hidden tab of an unknown write removed');
      } catch (error) {
        // The check of the rows does not wait for this.
        if (!(error instanceof WorkerError)) throw error;
        log.warn({ spreadsheetId, code: error.code }, 'hidden tab of an unknown write stays');
      }
    }
  }
}

// Counts ticks in rows without an object. Only a change of the count matters: an old tick, as in an erased person's row, is no current
// action. Sorting the checkbox column alone takes a tick away from such a row.

interface StrayTicksParts {
  readonly memory: Pick<Memory, 'get' | 'set'>;
}

async function movedStrayTicks(
  { memory }: StrayTicksParts,
  mirror: CarryingMirror,
  { strayTicks }: Look,
): Promise<number> {
  return Math.abs(strayTicks - Number((await memory.get(nameOf(mirror))) ?? 0));
}

/** Keeps the old count while other ticks are set. Until they are restored, each look must doubt them for the same reason. */
async function rememberStrayTicks(
  { memory }: StrayTicksParts,
  mirror: CarryingMirror,
  { look, found }: { readonly look: Look; readonly found: ReadonlyMap<string, readonly RowEdit[]> },
): Promise<void> {
  const boxes = mirror.carry.columns.flatMap(({ header, field }) => (field === 'cancel' ? [header] : []));
  const isTicked = [...found.values()].some((ofRow) => ofRow.some(({ header }) => boxes.includes(header)));
  const known = (await memory.get(nameOf(mirror))) ?? '0';
  if (!isTicked && known !== String(look.strayTicks))
    await memory.set(nameOf(mirror), String(look.strayTicks));
}

function nameOf({ name }: CarryingMirror): string {
  return `stray-ticks:${name}`;
}
