// Keeps the drop-downs of booking sheets: a hidden tab with the lists, and data validation rules that refer to it. Level-based: a round
// compares the actual state with the expected one and writes the differences, at most once a minute. Repeating a round changes nothing,
// even if a process died in between. Sheets has no conditional writes. If people moved a column meanwhile, the next round removes the
// misplaced rules. A drop-down in another row only suggests; the platform decides.

import type { DayAsked, RowTimes, WishedPlace } from '../engine/carriers.ts';
import { TerminalError, WorkerError } from '../engine/errors.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import { contentHash, readFact } from '../engine/object.ts';
import { type DropDown, ROW_INPUTS, type SheetBookings } from '../engine/outside-booking.ts';
import { namedAlike } from '../engine/plain-text.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { trimmedCell } from '../engine/sheet-row.ts';
import type { SheetRequest, SheetsApi, TabInfo } from '../google/sheets-api.ts';
import {
  dayIn,
  offeredTime,
  type RuledCells,
  type TypedClock,
  type WholeRule,
} from '../google/shown-cells.ts';
import { namesAppointment } from './booking-judge.ts';
import { isLocked } from './flush-write.ts';
import {
  ITEMS_MAX,
  itemsAt,
  type List,
  type ListTab,
  listOf,
  listTabId,
  listTabTitle,
  type OfferedNames,
  placeOfNames,
  placesOfTimes,
  planLists,
  ruleOf,
} from './list-tab.ts';
import { isTypedCell } from './tab-layout.ts';
import {
  findColumns,
  type IntakeColumns,
  isBlank,
  isIntakeFault,
  readRows,
  rowAsSeen,
  SheetClocks,
  type TabIds,
  type TypedRow,
} from './tab-reading.ts';

export interface DropDownsParts {
  /** Every booking sheet, also those without drop-downs: they may have had some. */
  readonly mappings: readonly SheetBookings[];
  /** Prefix of the keys in Redis: two installations have two tabs. */
  readonly installation: string;
  readonly api: Pick<SheetsApi, 'tabs' | 'ruled' | 'write' | 'settings'>;
  readonly tabs: Pick<TabIds, 'get'>;
  /** Undefined while the platform's lists have not been read. */
  readonly names: () => OfferedNames | undefined;
  readonly times: RowTimes;
  /** Whether a status is the worker's own word about an appointment. */
  readonly isAnswer: (status: string) => boolean;
  readonly memory: RedisMemory;
  readonly leases: Leases;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

interface Kept {
  readonly atMs: number;
  /** The last round wrote something: the next one checks where it went. */
  readonly isOpen?: boolean;
  /** Hash of the names at that time. */
  readonly names?: string;
  /** What was last written, how often, and since when. */
  readonly wrote?: Wrote;
  /** Columns that were written, and when: people may have moved them meanwhile. */
  readonly touched?: readonly Touched[];
  /** Google refused the last write. */
  readonly isRefused?: boolean;
}

interface Wrote {
  readonly hash: string;
  readonly times: number;
  readonly sinceMs: number;
}

interface Touched {
  readonly sheetId: number;
  readonly column: number;
  readonly atMs: number;
}

/** An entry with its tab, as of one moment. */
interface Ground {
  readonly mapping: SheetBookings;
  readonly info: TabInfo;
  readonly cells: RuledCells;
  readonly columns: IntakeColumns;
  readonly clock: TypedClock | undefined;
  readonly asks: readonly RowTimesRequest[];
}

interface View {
  readonly grounds: readonly Ground[];
  readonly listTab: ListTab | undefined;
  /** Id and title that the hidden tab has, or will get. */
  readonly sheetId: number;
  readonly title: string;
}

interface Planned {
  readonly requests: readonly SheetRequest[];
  readonly written: readonly Omit<Touched, 'atMs'>[];
  /** Protected places. */
  readonly locked: readonly LockedPlace[];
  /** The tabs as they were read, by sheet id. */
  readonly before: ReadonlyMap<number, RuledCells>;
  /** Whether every tab could be read. */
  readonly isWhole: boolean;
}

interface LockedPlace {
  readonly tab: string;
  /** Absent: the whole tab. */
  readonly column?: string;
}

/** Time between two rounds: each takes three to five of the sixty calls that Google admits in a minute. */
const LOOK_EVERY_MS = 60_000;
/** Time between two rounds where no times are offered and no name has changed. */
const CALM_EVERY_MS = 5 * 60_000;
/** How often the same content is written within this time: cells that never stay as written must not be written endlessly. */
const SAME_MAX = 5;
const SAME_WITHIN_MS = 3_600_000;
/** How long a written column is watched: longer than Google takes for a write that was given up. */
const TOUCHED_FOR_MS = 10 * 60_000;
/** Rows of a tab that get drop-downs. */
const ROWS_MAX = 5_000;

export class DropDowns {
  readonly #parts: DropDownsParts;
  readonly #clocks: SheetClocks;
  readonly #times: TimeLists;
  /** The tabs just before rules were last written, by sheet id. */
  #before: ReadonlyMap<number, RuledCells> = new Map();

  constructor(parts: DropDownsParts) {
    this.#parts = parts;
    this.#clocks = new SheetClocks(parts);
    this.#times = new TimeLists(parts);
  }

  /** Runs one round over all spreadsheets in parallel. One that refuses delays no other; one that hangs delays only the next round. */
  async look(signal: AbortSignal): Promise<void> {
    const { mappings, leases, log } = this.#parts;
    const spreadsheets = new Set(mappings.map(({ spreadsheetId }) => spreadsheetId));
    await Promise.all(
      [...spreadsheets].map(async (spreadsheetId) => {
        try {
          const round = (lease: Lease) => this.#keep(spreadsheetId, lease);
          await leases.hold(`drop-downs:${spreadsheetId}`, round, { until: signal });
        } catch (error) {
          log.warn({ spreadsheet: spreadsheetId, err: error }, 'drop-downs not kept');
        }
      }),
    );
  }

  async #keep(spreadsheetId: string, lease: Lease): Promise<void> {
    const { mappings, memory, clock } = this.#parts;
    const entries = mappings.filter((each) => each.spreadsheetId === spreadsheetId);
    const kept = await readFact<Kept>(memory, nameOf(spreadsheetId));
    const isWanted = entries.some(({ dropDowns }) => dropDowns !== undefined);
    if (!isWanted && kept === undefined) return;
    const names = this.#parts.names();
    if (names === undefined) return;
    const namesHash = contentHash(names);
    const nowMs = clock.now();
    const isCalm = kept?.isOpen !== true && kept?.names === namesHash && isWanted && !offersTimes(entries);
    if (kept !== undefined && distanceMs(kept.atMs, nowMs) < (isCalm ? CALM_EVERY_MS : LOOK_EVERY_MS)) return;
    const round: Kept = { ...kept, atMs: nowMs, names: namesHash, isOpen: false };
    const keep = (now: Kept) => memory.setUnder(lease, { [nameOf(spreadsheetId)]: JSON.stringify(now) });
    // Stored before Google is called, so that a refused or unanswered round is not repeated immediately either.
    if (!(await keep(round))) return;
    const touchedBefore = (round.touched ?? []).filter(
      ({ atMs }) => distanceMs(atMs, nowMs) < TOUCHED_FOR_MS,
    );
    const plan = await this.#plan({ spreadsheetId, entries, names, touched: touchedBefore }, lease.signal);
    if (lease.signal.aborted) return;
    const wrote = writtenAgain(round.wrote, contentHash(plan.requests), nowMs);
    if (plan.requests.length === 0 || wrote.times > SAME_MAX) {
      await this.#tell(spreadsheetId, plan.locked);
      // Nothing of the drop-downs is left.
      if (!isWanted && plan.isWhole) await memory.setUnder(lease, { [nameOf(spreadsheetId)]: '' });
      return;
    }
    const touched = [...touchedBefore, ...plan.written.map((each) => ({ ...each, atMs: nowMs }))];
    const sent: Kept = { ...round, touched, isOpen: true };
    if (!(await keep(sent))) return;
    this.#before = new Map([...this.#before, ...plan.before]);
    const refused = await this.#write(spreadsheetId, plan.requests);
    await keep(refused ? { ...sent, isRefused: true } : { ...sent, isRefused: false, wrote });
    // A single refusal may come from people who renamed or protected something in that second.
    if (refused && round.isRefused === true)
      await this.#parts.problems.raise({ target: targetOf(spreadsheetId), ...REFUSED });
    else if (!refused) await this.#tell(spreadsheetId, plan.locked);
  }

  /** True when Google refuses the write for good. */
  async #write(spreadsheetId: string, requests: readonly SheetRequest[]): Promise<boolean> {
    try {
      await this.#parts.api.write(spreadsheetId, requests);
      return false;
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      this.#parts.log.warn({ spreadsheet: spreadsheetId, err: error }, 'Google refuses drop-downs');
      return true;
    }
  }

  async #plan(
    asked: {
      readonly spreadsheetId: string;
      readonly entries: readonly SheetBookings[];
      readonly names: OfferedNames;
      readonly touched: readonly Touched[];
    },
    signal: AbortSignal,
  ): Promise<Planned> {
    const { spreadsheetId, entries, names, touched } = asked;
    let view = await this.#view(spreadsheetId, entries);
    // Asking took time in which people may have sorted rows and moved columns.
    if (await this.#times.fill(wantedTimes(view), signal)) view = await this.#view(spreadsheetId, entries);
    const { grounds, listTab, sheetId, title } = view;
    const timesOf = this.#timeLists(view);
    const lists = new Map<number, List>(timesOf.lists);
    for (const meaning of new Set(entries.flatMap(({ dropDowns = [] }) => dropDowns))) {
      if (meaning !== 'starts_at')
        lists.set(placeOfNames(meaning), {
          title: `slotbridge ${meaning}`,
          items: names[meaning].slice(0, ITEMS_MAX),
        });
    }
    const planned = grounds.map((ground) => {
      const { mapping, columns, info, cells } = ground;
      const wishes = new Map<number, ColumnWish>();
      for (const { sheetId: at, column } of touched)
        if (at === info.sheetId) wishes.set(column, this.#formerly(ground, column));
      for (const meaning of ROW_INPUTS) {
        const column = columns.get(meaning);
        if (column === undefined) continue;
        const wish = wishFor(meaning, ground, timesOf.placeOf) ??
          wishes.get(column) ?? { listFor: () => undefined };
        wishes.set(column, wish);
      }
      const plan = planRules({ info, cells, rows: rowsOf(info), columns: wishes, lists: title });
      return { plan, mapping, info, cells };
    });
    const isListTabLocked = listTab !== undefined && listTab.info.locks.length > 0;
    const listRequests = lists.size === 0 ? [] : planLists(listTab, lists, { sheetId, title });
    return {
      requests: [...(isListTabLocked ? [] : listRequests), ...planned.flatMap(({ plan }) => plan.requests)],
      written: planned.flatMap(({ plan, info }) =>
        plan.written.map((column) => ({ sheetId: info.sheetId, column })),
      ),
      locked: [
        ...(isListTabLocked && listRequests.length > 0 ? [{ tab: title }] : []),
        ...planned.flatMap(({ plan, cells, mapping }) => lockedColumns(plan, cells.values[0] ?? [], mapping)),
      ],
      before: new Map(planned.map(({ info, cells }) => [info.sheetId, cells])),
      isWhole: grounds.length === entries.length,
    };
  }

  /** The current state, as of one moment. Costs two reads. */
  async #view(spreadsheetId: string, entries: readonly SheetBookings[]): Promise<View> {
    const { api, installation } = this.#parts;
    const standing = await api.tabs(spreadsheetId);
    const sheetId = listTabId(installation);
    const places = await this.#placesOf(entries, standing);
    const own = standing.find((tab) => tab.sheetId === sheetId);
    const areas = [...places.values(), ...(own === undefined ? [] : [own])];
    const read = areas.length === 0 ? new Map() : await api.ruled(spreadsheetId, areas.map(areaOf));
    return {
      grounds: await this.#groundsOf(places, read),
      listTab: own === undefined ? undefined : { info: own, values: read.get(sheetId)?.values ?? [] },
      ...{ sheetId, title: listTabTitle(standing, sheetId) },
    };
  }

  /** For a column that was moved during a write: gives back the rules that it had, as far as this process has seen them. */
  #formerly({ info, cells }: Ground, column: number): ColumnWish {
    const listFor = () => undefined;
    const before = this.#before.get(info.sheetId);
    const header = trimmedCell(cells.values[0]?.[column]);
    const was = header === '' ? -1 : (before?.values[0] ?? []).map(trimmedCell).indexOf(header);
    return was < 0 ? { listFor } : { listFor, formerly: (row) => before?.rules[row]?.[was]?.whole };
  }

  /** Finds a tab by its known id, which survives renaming, else by its title. */
  async #placesOf(
    entries: readonly SheetBookings[],
    standing: readonly TabInfo[],
  ): Promise<ReadonlyMap<SheetBookings, TabInfo>> {
    const places = new Map<SheetBookings, TabInfo>();
    for (const mapping of entries) {
      const id = await this.#parts.tabs.get(mapping.spreadsheetId, mapping.tab);
      const info =
        standing.find(({ sheetId }) => sheetId === id) ??
        namedAlike(standing, mapping.tab, ({ title }) => title)[0];
      if (info !== undefined) places.set(mapping, info);
    }
    return places;
  }

  /** Leaves tabs alone whose headers cannot be matched: the poll reports them. */
  async #groundsOf(
    places: ReadonlyMap<SheetBookings, TabInfo>,
    read: ReadonlyMap<number, RuledCells>,
  ): Promise<readonly Ground[]> {
    const grounds: Ground[] = [];
    for (const [mapping, info] of places) {
      const cells = read.get(info.sheetId);
      const columns = cells === undefined ? undefined : findColumns(cells.values[0] ?? [], mapping);
      if (cells === undefined || columns === undefined || isIntakeFault(columns)) continue;
      const zone = offersTimes([mapping]) ? await this.#clocks.zoneOf(mapping) : undefined;
      const clock = typeof zone === 'string' ? { zone, formats: mapping.dateFormats ?? [] } : undefined;
      const { times, isAnswer, clock: now } = this.#parts;
      const about = { mapping, times, isAnswer, nowMs: now.now() };
      const asks =
        clock === undefined ? [] : rowAsks(await readRows(cells.values, columns, clock), { ...about, clock });
      grounds.push({ mapping, info, cells, columns, clock, asks });
    }
    return grounds;
  }

  /** The lists of times that rows need, and the column of each. A list that was not read from the platform yet stays as it is. */
  #timeLists(view: View) {
    const { grounds, listTab } = view;
    const clocks = new Map(
      grounds.flatMap(({ asks, clock }) => asks.map(({ name }) => [name, clock] as const)),
    );
    const lists = new Map<number, List>();
    const offered = new Map<string, number>();
    for (const [name, column] of placesOf(view)) {
      const clock = clocks.get(name);
      const starts = this.#times.startsOf(name);
      const stands = listTab !== undefined && listTab.values[0]?.[column] === name;
      const items =
        clock === undefined || starts === undefined
          ? stands
            ? itemsAt(listTab, column)
            : []
          : starts.flatMap((atMs) => offeredTime(atMs, clock) ?? []);
      if (items.length === 0) continue;
      lists.set(column, { title: name, items });
      offered.set(name, column);
    }
    return { lists, placeOf: (name: string) => offered.get(name) };
  }

  async #tell(spreadsheetId: string, locked: readonly LockedPlace[]): Promise<void> {
    const { problems } = this.#parts;
    const target = targetOf(spreadsheetId);
    if (locked.length === 0) return problems.clear(target);
    const what = locked.map(spokenPlace).join(', ');
    await problems.raise({
      target,
      code: 'drop-downs-protected',
      message: `the worker may not edit ${what}: the drop-downs there are not kept`,
      names: locked.map(({ tab, column }) => (column === undefined ? tab : `${tab}/${column}`)),
      advice:
        "Let the worker's service account edit what is protected (Google Sheets, Data, Protect sheets and ranges), or take the column out of drop_downs. In a table, remove the column's type. Rows are booked all the same.",
    });
  }
}

const REFUSED = {
  code: 'drop-downs-refused',
  message: 'Google refuses the drop-downs of the spreadsheet',
  advice:
    'See whether its columns are protected, or the spreadsheet is full. Without drop_downs in the mapping nothing is written. Rows are booked all the same.',
};

function writtenAgain(before: Wrote | undefined, hash: string, nowMs: number): Wrote {
  const isSame = before?.hash === hash && distanceMs(before.sinceMs, nowMs) < SAME_WITHIN_MS;
  return isSame ? { ...before, times: before.times + 1 } : { hash, times: 1, sinceMs: nowMs };
}

/** Column of each list of times that rows need: the one it has, or a new one. */
function placesOf({ grounds, listTab }: View): ReadonlyMap<string, number> {
  const names = new Set(grounds.flatMap(({ asks }) => asks.map(({ name }) => name)));
  return placesOfTimes(listTab, [...names]);
}

function wantedTimes(view: View): ReadonlyMap<string, TimesRequest> {
  const places = placesOf(view);
  const asks = view.grounds.flatMap((ground) => ground.asks).filter(({ name }) => places.has(name));
  return new Map(asks.map(({ name, asked }) => [name, asked]));
}

/** Undefined: the column gets no drop-down. */
function wishFor(
  meaning: (typeof ROW_INPUTS)[number],
  { mapping, asks }: Ground,
  placeOf: (name: string) => number | undefined,
): ColumnWish | undefined {
  const { dropDowns = [] } = mapping;
  if (!(dropDowns as readonly string[]).includes(meaning)) return undefined;
  if (meaning !== 'starts_at') {
    const place = placeOfNames(meaning as Exclude<DropDown, 'starts_at'>);
    return { listFor: () => place };
  }
  const byRow = new Map(asks.map(({ row, name }) => [row, placeOf(name)] as const));
  return { listFor: (row) => byRow.get(row) };
}

function lockedColumns(
  { locked }: PlannedRules,
  header: readonly unknown[],
  { tab }: SheetBookings,
): readonly LockedPlace[] {
  return locked.map((column) => ({ tab, column: String(header[column] ?? '') }));
}

function spokenPlace({ tab, column }: LockedPlace): string {
  return column === undefined ? `the tab "${tab}"` : `the column "${column}" of the tab "${tab}"`;
}

function offersTimes(entries: readonly SheetBookings[]): boolean {
  return entries.some(({ dropDowns }) => dropDowns?.includes('starts_at'));
}

function areaOf(info: TabInfo): { readonly sheetId: number; readonly rows: number } {
  return { sheetId: info.sheetId, rows: rowsOf(info) };
}

function rowsOf({ rows }: TabInfo): number {
  return Math.min(rows, ROWS_MAX);
}

function targetOf(spreadsheetId: string): string {
  return `drop-downs:${spreadsheetId}`;
}

function nameOf(spreadsheetId: string): string {
  return `drop-downs ${spreadsheetId}`;
}

// Takes one tab's rules as read and the drop-downs that its columns should have. Returns the requests that close the difference. A
// drop-down replaces people's own rules in its cells; all other rules are left alone. Pure.

/** What a column should have, by row. */
interface ColumnWish {
  /** A list of the hidden tab; undefined: no drop-down of the worker. */
  readonly listFor: (row: number) => number | undefined;
  /** People's own rule that was there before a drop-down hit the cell by mistake. */
  readonly formerly?: (row: number) => WholeRule | undefined;
}

interface RuledTab {
  readonly info: TabInfo;
  readonly cells: RuledCells;
  /** Number of rows that get drop-downs, including the header. */
  readonly rows: number;
  /** Columns of the entry, and those that an earlier write may have hit by mistake. */
  readonly columns: ReadonlyMap<number, ColumnWish>;
  /** Title of the hidden tab. */
  readonly lists: string;
}

interface PlannedRules {
  readonly requests: readonly SheetRequest[];
  /** Columns that get a write. */
  readonly written: readonly number[];
  /** Columns with cells that need a change but are protected, or typed by a table. */
  readonly locked: readonly number[];
}

interface Run {
  readonly from: number;
  to: number;
  /** Undefined removes the rule. */
  readonly rule: WholeRule | undefined;
  readonly list: number | undefined;
}

/** Separate pieces of one column in one write: more are written as one, if all its rows have the same list. */
const RUNS_MAX = 20;

function planRules(tab: RuledTab): PlannedRules {
  const requests: SheetRequest[] = [];
  const [written, locked]: [number[], number[]] = [[], []];
  for (const [column, wish] of tab.columns) {
    const { runs, hasHeld } = runsOf(tab, column, wish);
    if (hasHeld) locked.push(column);
    if (runs.length === 0) continue;
    written.push(column);
    requests.push(...runs.map((run) => requestOf(tab, column, run)));
  }
  return { requests, written, locked };
}

/** `hasHeld`: a cell needs a change that Google refuses. */
function runsOf(
  tab: RuledTab,
  column: number,
  { listFor, formerly }: ColumnWish,
): { readonly runs: readonly Run[]; readonly hasHeld: boolean } {
  const { cells, rows, lists } = tab;
  const runs: Run[] = [];
  let hasHeld = false;
  for (let row = 1; row < rows; row += 1) {
    const list = listFor(row);
    const now = listOf(cells.rules[row]?.[column], lists);
    if (now === list) continue;
    if (isHeld(tab, row, column)) {
      hasHeld = true;
      continue;
    }
    const last = runs.at(-1);
    const rule = list === undefined ? formerly?.(row) : ruleOf(lists, list);
    if (last !== undefined && last.to === row && isSame(last.rule, rule)) last.to = row + 1;
    else runs.push({ from: row, to: row + 1, rule, list });
  }
  const [first] = runs;
  if (first?.list === undefined || runs.length <= RUNS_MAX) return { runs, hasHeld };
  for (let row = 1; row < rows; row += 1)
    if (listFor(row) !== first.list || isHeld(tab, row, column)) return { runs, hasHeld };
  return { runs: [{ ...first, to: runs.at(-1)?.to ?? first.to }], hasHeld };
}

function isSame(one: WholeRule | undefined, other: WholeRule | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Includes rows that a filter hides, or they would never get the rule. */
function requestOf({ info }: RuledTab, column: number, { from, to, rule }: Run): SheetRequest {
  const range = {
    ...{ sheetId: info.sheetId, startRowIndex: from, endRowIndex: to },
    ...{ startColumnIndex: column, endColumnIndex: column + 1 },
  };
  return { setDataValidation: { range, ...(rule && { rule }), filteredRowsIncluded: true } };
}

/** Protected, or of a typed column of a table: for one such cell Google refuses the whole write. */
function isHeld({ info }: RuledTab, row: number, column: number): boolean {
  return isLocked(info, row, [column]) || isTypedCell(info, { row, column });
}

/** A row that should offer free times. */
interface RowTimesRequest {
  /** Zero-based, at the moment of the reading. */
  readonly row: number;
  /** The title of its list: equal for rows that need the same times. */
  readonly name: string;
  readonly asked: TimesRequest;
}

/** Rows of a tab that get free times: the lowest ones, because people write new rows below the others. */
const ROWS_ASKED_MAX = 100;

/** Rows without an appointment whose service is known, for a future day or for none yet; the lowest first. */
function rowAsks(
  rows: readonly TypedRow[],
  tab: {
    readonly mapping: SheetBookings;
    readonly clock: TypedClock;
    readonly times: Pick<RowTimes, 'placeOf'>;
    readonly isAnswer: (status: string) => boolean;
    readonly nowMs: number;
  },
): readonly RowTimesRequest[] {
  const { mapping, clock, times, isAnswer, nowMs } = tab;
  const open = rows.filter(
    (row) => !namesAppointment(row) && !isAnswer(row.status) && !row.cancel && !isBlank(row),
  );
  return open
    .slice(-ROWS_ASKED_MAX)
    .reverse()
    .flatMap((row) => {
      const day = dayIn(row.cells.starts_at, clock);
      // This day is over.
      if (day !== undefined && day.toMs <= nowMs) return [];
      const place = times.placeOf(mapping, rowAsSeen(mapping, row, nowMs));
      if (place === undefined) return [];
      const { date = 'next', ...within } = day ?? {};
      const asked = { place, ...('fromMs' in within && { day: within }) };
      const hash = contentHash({ place, zone: clock.zone, formats: clock.formats }).slice(0, 12);
      return [{ row: row.row, name: `${date} ${hash}`, asked }];
    });
}

/** A list of free times that a row needs. */
interface TimesRequest {
  readonly place: WishedPlace;
  /** Absent: the next free times. */
  readonly day?: DayAsked;
}

interface Found {
  readonly atMs: number;
  /** Epoch milliseconds, the earliest first. */
  readonly startsMs: readonly number[];
}

/** Age at which free times are read again: they change with every booking. The verdict is the platform's anyway. */
const FRESH_FOR_MS = 5 * 60_000;
/** How long free times are kept after the last reading: no row has needed them since. */
const KEPT_FOR_MS = 3_600_000;
/** Requests for free times in a minute: a share of the platform's budget, in which all other work goes first. */
const ASKS_A_MINUTE = 6;
const MINUTE_MS = 60_000;

/** The free times last found. A few at a time are read again now and then; what cannot be read now is read later. */
class TimeLists {
  readonly #parts: { readonly times: Pick<RowTimes, 'free'>; readonly clock: Clock; readonly log: Log };
  readonly #found = new Map<string, Found>();
  #askedMs: number[] = [];

  constructor(parts: { readonly times: Pick<RowTimes, 'free'>; readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts;
  }

  /** Reads the lists that are due, a few at a time. True when it sent a request, which takes time. */
  async fill(asked: ReadonlyMap<string, TimesRequest>, signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#parts.clock.now();
    for (const [name, { atMs }] of this.#found)
      if (Math.abs(nowMs - atMs) >= KEPT_FOR_MS) this.#found.delete(name);
    const ageOf = (name: string) =>
      Math.abs(nowMs - (this.#found.get(name)?.atMs ?? Number.NEGATIVE_INFINITY));
    const due = [...asked].filter(([name]) => ageOf(name) >= FRESH_FOR_MS);
    // Lists that were never read come first, in their order; then the oldest.
    due.sort(([a], [b]) => (ageOf(a) === ageOf(b) ? 0 : ageOf(b) - ageOf(a)));
    let hasAsked = false;
    for (const [name, wanted] of due) {
      if (signal.aborted || !this.#mayAsk()) break;
      hasAsked = true;
      if (!(await this.#ask(name, wanted))) break;
    }
    return hasAsked;
  }

  /** The starts last found, in epoch milliseconds; undefined when they were not read yet. */
  startsOf(name: string): readonly number[] | undefined {
    const nowMs = this.#parts.clock.now();
    return this.#found.get(name)?.startsMs.filter((startMs) => startMs > nowMs);
  }

  #mayAsk(): boolean {
    const nowMs = this.#parts.clock.now();
    this.#askedMs = this.#askedMs.filter((atMs) => Math.abs(nowMs - atMs) < MINUTE_MS);
    return this.#askedMs.length < ASKS_A_MINUTE;
  }

  /** False: no more requests now. */
  async #ask(name: string, wanted: TimesRequest): Promise<boolean> {
    const { times, clock, log } = this.#parts;
    const atMs = clock.now();
    this.#askedMs.push(atMs);
    try {
      this.#found.set(name, { atMs, startsMs: await times.free(wanted.place, wanted.day) });
      return true;
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      // Only this list is refused: a service without a branch, or a resource that does not provide it.
      const isRefused = error.family === 'terminal';
      if (isRefused) this.#found.set(name, { atMs, startsMs: [] });
      else log.info({ err: error }, 'free times for drop-downs are asked for later');
      return isRefused;
    }
  }
}
