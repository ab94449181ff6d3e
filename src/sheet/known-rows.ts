import type { AnswerPlace } from '../engine/carriers.ts';
import type { EditGuard } from '../engine/edit-guard.ts';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import { newRowId, type RowSeen } from '../engine/ids.ts';
import type { LeaseProof } from '../engine/leases.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { RedisMemory } from '../engine/memory.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import { distanceMs, startedBy } from '../engine/moments.ts';
import { formatKey, inParts, parseKey, readFact, type Snapshot } from '../engine/object.ts';
import type { FlushWaker, Outbox } from '../engine/outbox.ts';
import { answerOf, type Exchanged, type SheetBookings } from '../engine/outside-booking.ts';
import { type CustomerMarks, compareCustomers } from '../engine/person.ts';
import type { Clock } from '../engine/runtime.ts';
import {
  type Cell,
  FORMULA_ENDS_MS,
  type OutboxRow,
  type SheetPlace,
  trimmedCell,
} from '../engine/sheet-row.ts';
import type { SheetRows } from '../engine/sheet-rows.ts';
import { GoogleFailure } from '../google/errors.ts';
import type { SheetRequest, SheetsApi, TabInfo } from '../google/sheets-api.ts';
import { CELLS_SHOWN_MAX, type ShownArea, type ShownRows, type ShownTabs } from '../google/shown-cells.ts';
import { cellsOf, isAnswered, type Knowledge, type LastSeen, printOf, resourceIn } from './booking-judge.ts';
import { isLocked } from './flush-write.ts';
import type { RowRegister } from './stores.ts';
import { cellsMerged, cellsProtected, isUnderMerge } from './tab-layout.ts';
import {
  answerIn,
  bookingKeyOf,
  customerInRow,
  FLAGS,
  type Flag,
  flagIn,
  type IntakeColumns,
  type IntakeFault,
  isBlank,
  isFlag,
  isIntakeFault,
  type TabReading,
  type TypedRow,
} from './tab-reading.ts';
import { toCellData } from './tab-survey.ts';
import { answerContent, answerLooks, cellsHash, cellsPart, rowHash, type SheetZones } from './typed-cell.ts';

interface Known {
  /** Undefined: the intake does not know the id. */
  readonly last: LastSeen | undefined;
  /** The state that this process last handed on; undefined: none yet. */
  readonly handed?: string;
}

/** How often everything is handed on again: this repairs what was forgotten behind the worker's back. */
const HANDED_FOR_MS = 600_000;
const LOOKS_AT_ONCE = 20;

/** What this process has seen of one tab's rows. It is lost with the process: then rows are handed on again, and their waiting restarts. */
export class KnownRows {
  readonly #rows = new Map<string, Known>();
  /** When content without an id was first seen, by its print. */
  readonly #still = new Map<string, number>();
  /** Ids that were just given, and since when their row has been unchanged. */
  readonly #given = new Map<string, { readonly print: string; readonly sinceMs: number }>();
  /** Rows with an id in which a formula shows no value, and since when. */
  readonly #unfinished = new Map<string, { readonly print: string; readonly sinceMs: number }>();
  /** By id: hashes of the worker's cells and of its confirmed answer at the last durable reading, and at this one. */
  #shown: ReadonlyMap<string, readonly [string, string | undefined]> = new Map();
  #showing = new Map<string, readonly [string, string | undefined]>();
  #handedSinceMs = 0;

  last(id: string): LastSeen | undefined {
    return this.#rows.get(id)?.last;
  }

  /** Looks up ids that are new to this process, or whose row says something else: another process may know more. */
  async lookUp(rows: readonly { id: string; print?: string }[], view: Pick<Ledger, 'peek'>): Promise<void> {
    const news = new Set<string>();
    for (const { id, print } of rows) {
      const last = this.last(id);
      if (last === undefined || (print !== undefined && print !== last.print)) news.add(id);
    }
    for (const some of inParts([...news], LOOKS_AT_ONCE)) {
      const found = await Promise.all(some.map((id) => view.peek({ kind: 'booking', id })));
      for (const [i, id] of some.entries()) {
        const snapshot = found[i]?.snapshot;
        const last = snapshot && lastIn(snapshot);
        // A difference means that another process replaced what this one handed on, or that it was forgotten.
        if (last === undefined || last.print !== this.last(id)?.print) this.#rows.set(id, { last });
      }
    }
  }

  /**
   * Rows that have come to show another answer than theirs, as after people restored an older version of the tab. After `keepShown`, each
   * counts again only once its cells change. A status in people's own words is theirs. True: the row showed that answer once. Otherwise
   * Redis may have lost the newer answer.
   */
  async outdated(
    rows: readonly TypedRow[],
    { hashes, mapping, isFirstLook, ...known }: AnswersKnown,
  ): Promise<ReadonlyMap<TypedRow, boolean>> {
    if (isFirstLook) return new Map(rows.map((row) => [row, true]));
    const found = new Map<TypedRow, boolean>();
    this.#showing = new Map();
    for (const row of rows) {
      const key = bookingKeyOf(row.id);
      const shown = cellsHash(answerIn(mapping, row));
      const confirmed = hashes.get(key);
      const [before, confirmedBefore] = this.#shown.get(row.id) ?? [];
      const isKnown = (before === shown && confirmedBefore === confirmed) || confirmed === undefined;
      // Read before the newest answer was written, perhaps: if the next reading shows the same, people restored it.
      const isEarlier = confirmedBefore !== confirmed && cellsPart(confirmedBefore ?? '') === shown;
      this.#showing.set(row.id, [isEarlier ? '' : shown, confirmed]);
      if (isKnown || isEarlier || cellsPart(confirmed) === shown || !isAnswered(row)) continue;
      const { links = {}, snapshot } = (await known.view.peek({ kind: 'booking', id: row.id })) ?? {};
      const record = links[mapping.name]?.booking;
      const answer = record && answerOf(record);
      if (answer === undefined) continue;
      const { cells } = answerContent(mapping, answer, known.zone);
      const status = mapping.columns.status?.trim() ?? '';
      const isTheirs = row.status !== cells[status] && !known.isAnswer(row.status);
      const said = isTheirs ? { ...cells, [status]: row.status } : cells;
      // An answer written since may have come between the reading and this look.
      if (cellsHash(said) === shown) continue;
      // Another process may have handed on more than this one knows.
      this.#rows.set(row.id, { last: snapshot && lastIn(snapshot) });
      const place = known.placeOf(mapping);
      const isFormer = links[place.mirror]?.sheet?.answered?.includes(shown) === true;
      found.set(row, isFormer && !(await known.outbox.waits({ ...place, key })));
    }
    return found;
  }

  keepShown(): void {
    this.#shown = this.#showing;
  }

  /** Those rows of one reading without an id that are unchanged for long enough. */
  still(rows: readonly TypedRow[], { stillForMs, nowMs }: { stillForMs: number; nowMs: number }) {
    const prints = new Set(rows.map(({ print }) => print));
    for (const print of this.#still.keys()) if (!prints.has(print)) this.#still.delete(print);
    for (const print of prints) this.#still.set(print, startedBy(this.#still.get(print), nowMs));
    const waitMs = ({ unclear }: TypedRow) =>
      unclear === 'formula' ? Math.max(stillForMs, FORMULA_ENDS_MS) : stillForMs;
    return rows.filter((row) => nowMs - (this.#still.get(row.print) ?? nowMs) >= waitMs(row));
  }

  /** The row was left alone for long enough and gets this id: it need not wait again. */
  give(id: string, { print }: TypedRow): void {
    const sinceMs = this.#still.get(print);
    if (sinceMs !== undefined) this.#given.set(id, { print, sinceMs });
  }

  /** A formula has had the time to end since the row was first seen so. */
  isSettled({ id, print, unclear }: TypedRow, nowMs: number): boolean {
    if (unclear !== 'formula') {
      this.#unfinished.delete(id);
      return true;
    }
    const before = this.#unfinished.get(id) ?? this.#given.get(id);
    const sinceMs = startedBy(before?.print === print ? before.sinceMs : undefined, nowMs);
    this.#unfinished.set(id, { print, sinceMs });
    return nowMs - sinceMs >= FORMULA_ENDS_MS;
  }

  /** When the row's current state was first seen; undefined when it was already handed on. */
  newsSince(row: TypedRow, nowMs: number): number | undefined {
    if (distanceMs(this.#handedSinceMs, nowMs) > HANDED_FOR_MS) this.#forgetHanded(nowMs);
    const known = this.#rows.get(row.id);
    if (known?.handed === stateOf(row)) return undefined;
    const given = this.#given.get(row.id);
    return given?.print === row.print ? given.sinceMs : nowMs;
  }

  handed(row: TypedRow, exchanged?: Exchanged): void {
    const { print, ready, cancel } = row;
    const [startsAt, resource] = [row.startsAt, resourceIn(row.cells)];
    const last = { print, customer: customerInRow(row.cells), ready, cancel, startsAt, resource, exchanged };
    this.#rows.set(row.id, { last, handed: stateOf(row) });
    this.#given.delete(row.id);
  }

  #forgetHanded(nowMs: number): void {
    this.#handedSinceMs = nowMs;
    for (const [id, { last }] of this.#rows) this.#rows.set(id, { last });
  }
}

export interface AnswersKnown {
  /** By booking key: hash of the answer that was confirmed when the tab was read. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The rows are in another spreadsheet than before: each may be older than what is known of it. */
  readonly isFirstLook: boolean;
  readonly mapping: SheetBookings;
  readonly view: Pick<Ledger, 'peek'>;
  readonly outbox: Pick<Outbox, 'waits'>;
  readonly placeOf: (mapping: SheetBookings) => SheetPlace;
  /** Whether a status is the worker's own word about an appointment. */
  readonly isAnswer: (status: string) => boolean;
  readonly zone: string;
}

function lastIn(snapshot: Snapshot): LastSeen {
  const customer = customerInRow(cellsOf(snapshot));
  const [ready, cancel] = [snapshot['ready'] === true, isTickedIn(snapshot)];
  const startsAt = snapshot['starts_at'] as string | undefined;
  const exchanged = snapshot['exchanged'] as Exchanged | undefined;
  const [resource, entry] = [resourceIn(cellsOf(snapshot)), snapshot['mapping']];
  return { print: printOf(snapshot), customer, ready, cancel, startsAt, resource, exchanged, entry };
}

function isTickedIn(snapshot: Snapshot | undefined): boolean {
  return snapshot?.['cancel'] === true;
}

/**
 * Counts ticks under `cancel` before any row is handed on: the first of many must not be cancelled while nobody knows of the others. What is
 * stored tells what is new: another process may have seen it.
 */
export async function countTicks(
  { view, guard }: { view: Pick<Ledger, 'peek'>; guard: Pick<EditGuard, 'deletionWaits' | 'deletionUndone'> },
  entry: string,
  rows: readonly { readonly row: TypedRow; readonly last: LastSeen | undefined }[],
): Promise<void> {
  for (const { row, last } of rows) {
    if (row.cancel === (last?.cancel ?? false)) continue;
    const key = { kind: 'booking', id: row.id } as const;
    if (row.cancel === isTickedIn((await view.peek(key))?.snapshot)) continue;
    if (row.cancel) await guard.deletionWaits(entry, formatKey(key));
    else await guard.deletionUndone(entry, formatKey(key));
  }
}

function stateOf({ print, startsAt, ready, cancel, unclear }: TypedRow): string {
  return [print, startsAt, ready, cancel, unclear ?? ''].join(' ');
}

// Which rows were asked whether they are new bookings. The question is in a status cell, and people may sort while it is written. A row
// that shows it without having been asked was hit by it.

interface Asked {
  readonly print: string;
  readonly customer: CustomerMarks;
}

/** Asked rows stored per entry: also those that no longer ask, or that were cut and may be pasted back. */
const ASKED_MAX = 500;

export class AskedRows {
  readonly #memory: Pick<RedisMemory, 'get' | 'setUnder'>;

  constructor(memory: Pick<RedisMemory, 'get' | 'setUnder'>) {
    this.#memory = memory;
  }

  /** Those of the rows that were asked and have not been answered. Without any record, the question counts wherever it is. */
  async among(entry: string, rows: readonly TypedRow[]): Promise<ReadonlySet<TypedRow>> {
    const flagged = rows.filter(({ status }) => ['lost', 'undecided'].includes(flagIn(status) ?? ''));
    const asked = flagged.length === 0 ? undefined : await this.#read(entry);
    if (asked === undefined) return new Set(flagged);
    return new Set(
      flagged.filter((row) => {
        const customer = customerInRow(row.cells);
        return asked.some((each) => compareCustomers(customer, each.customer) !== 'other');
      }),
    );
  }

  /** Call it before writing the question. Rejects if the lease is lost: this process may not know what another one has asked since. */
  async keep(entry: string, rows: readonly TypedRow[], lease: LeaseProof): Promise<void> {
    if (rows.length === 0) return;
    const known = (await this.#read(entry)) ?? [];
    const asked = new Map(rows.map(({ print, cells }) => [print, customerInRow(cells)] as const));
    for (const { print, customer } of known) if (asked.size < ASKED_MAX) asked.set(print, customer);
    if (known.length === asked.size && known.every(({ print }) => asked.has(print))) return;
    const all: readonly Asked[] = [...asked].map(([print, customer]) => ({ print, customer }));
    if (await this.#memory.setUnder(lease, { [factOf(entry)]: JSON.stringify(all) })) return;
    throw new RetryableError('lease-lost', 'another process has taken over the poll of the booking sheet');
  }

  #read(entry: string): Promise<readonly Asked[] | undefined> {
    return readFact(this.#memory, factOf(entry));
  }
}

function factOf(entry: string): string {
  return `intake-asked ${entry}`;
}

/**
 * Gives ids to rows without one, by what they say: the first that no row of this content had before. So a booking that was answered,
 * cleared and typed again is a new one, and each of several equal rows gets its own.
 */
export async function freshIds(
  register: Pick<RowRegister, 'seed' | 'find'>,
  rows: readonly TypedRow[],
  {
    isUsed,
    ...place
  }: Pick<RowSeen, 'spreadsheetId' | 'entry'> & { readonly isUsed: (id: string) => boolean },
): Promise<(print: string, isSaidNew: boolean) => string> {
  const taken = new Set<string>();
  if (rows.length === 0) return () => '';
  const seed = await register.seed();
  const found = await register.find(
    place.entry,
    rows.map(({ print }) => print),
  );
  for (const ids of found.values()) for (const id of ids) taken.add(id);
  return (print, isSaidNew) => {
    for (let nth = 0; ; nth += 1) {
      const id = newRowId({ ...place, seed, print, nth, isSaidNew });
      if (taken.has(id) || isUsed(id)) continue;
      taken.add(id);
      return id;
    }
  };
}

// Which rows stood there unticked when the YAML lost the column `ready`. Nobody said that they are bookings, and the edit of the YAML does
// not say so either: they wait for a person.

/** The entry has the column. */
const TICKED = 'ticked';

export class UntickedRows {
  readonly #memory: Pick<RedisMemory, 'get' | 'setUnder'>;
  readonly #known = new Map<SheetBookings, ReadonlySet<string>>();

  constructor(memory: Pick<RedisMemory, 'get' | 'setUnder'>) {
    this.#memory = memory;
  }

  /** Prints of these rows. Call it with every reading. Rejects if the lease is lost: another process may know more. */
  async among(
    mapping: SheetBookings,
    rows: readonly TypedRow[],
    { last, lease }: Pick<Knowledge, 'last'> & { readonly lease: LeaseProof },
  ): Promise<ReadonlySet<string>> {
    const known = this.#known.get(mapping);
    if (known !== undefined) return known;
    const fact = `intake-unticked ${mapping.spreadsheetId} ${mapping.tab}`;
    const before = await this.#memory.get(fact);
    const prints = mapping.columns.ready === undefined ? printsIn(before, rows, last) : undefined;
    const now = prints === undefined ? TICKED : JSON.stringify(prints);
    const isStored = now === before || (before === undefined && prints?.length === 0);
    if (!isStored && !(await this.#memory.setUnder(lease, { [fact]: now })))
      throw new RetryableError('lease-lost', 'another process has taken over the poll of the booking sheet');
    const found = new Set(prints);
    this.#known.set(mapping, found);
    return found;
  }

  /** Redis was lost, or the worker begins anew. */
  forget(mapping: SheetBookings): void {
    this.#known.delete(mapping);
  }
}

function printsIn(
  before: string | undefined,
  rows: readonly TypedRow[],
  last: Knowledge['last'],
): readonly string[] {
  if (before === undefined) return [];
  if (before !== TICKED) return JSON.parse(before) as readonly string[];
  // A row without an id was not ready at the last reading. A tick since then cannot be read any more.
  const unticked = rows.filter((row) => !isBlank(row) && last(row.id)?.ready !== true);
  return [...new Set(unticked.map(({ print }) => print))];
}

/** The new content of one cell, at the place where it was just read. */
export interface CellWrite {
  readonly sheetId: number;
  readonly row: number;
  readonly column: number;
  /** Null empties it. */
  readonly cell: Cell;
}

interface WriteResult {
  /** A write that Google refuses for good, usually because of a protected column. */
  readonly refused?: TerminalError;
  /** The tabs right after the write; empty when Google did not show them. */
  readonly shown: ShownTabs;
}

/**
 * Writes the marks in one request, all or none of them. Sheets has no conditional writes (Google has no etag for cells). So callers judge
 * by what is there afterwards, as shown or read again. Rejects with `DeferredError`. A lost answer resolves with nothing shown, because the
 * next reading shows what was written. `show`: the areas that the answer should include. A refusal that names no request may be about
 * those.
 */
export async function writeCells(
  api: SheetsApi,
  spreadsheetId: string,
  { marks, show }: { readonly marks: readonly CellWrite[]; readonly show: readonly ShownArea[] },
): Promise<WriteResult> {
  const nothing = new Map();
  if (marks.length === 0) return { shown: nothing };
  try {
    return { shown: await api.write(spreadsheetId, marks.map(requestOf), show) };
  } catch (error) {
    if (error instanceof RetryableError) return { shown: nothing };
    if (!(error instanceof TerminalError)) throw error;
    const { cause } = error;
    const isOpen = show.length > 0 && cause instanceof GoogleFailure && cause.refusedRequest() === undefined;
    return isOpen ? { shown: nothing } : { refused: error, shown: nothing };
  }
}

function requestOf({ sheetId, row, column, cell }: CellWrite): SheetRequest {
  return {
    updateCells: {
      start: { sheetId, rowIndex: row, columnIndex: column },
      // `stringValue` is never read as a formula (Google, ExtendedValue); a cell without a value is emptied.
      rows: [{ values: [toCellData(cell)] }],
      fields: 'userEnteredValue',
    },
  };
}

/** Ids by the print of the row to which each was sent. They are in no row, and nothing was done under them. */
export function unusedIds(
  sentTo: ReadonlyMap<string, string>,
  { standing, known }: { standing: ReadonlySet<string>; known: KnownRows },
): ReadonlyMap<string, string[]> {
  const unused = new Map<string, string[]>();
  for (const [id, print] of sentTo) {
    if (standing.has(id) || known.last(id) !== undefined) continue;
    unused.set(print, [...(unused.get(print) ?? []), id]);
  }
  return unused;
}

export interface TabGround {
  readonly columns: IntakeColumns;
  readonly sheetId: number;
}

export interface TabMarks {
  readonly mapping: SheetBookings;
  readonly ids: readonly CellWrite[];
  readonly flags: readonly CellWrite[];
  /** Keys of rows whose answer must be written again. */
  readonly again: readonly string[];
}

/**
 * Leaves out marks under merged cells, which would never show, and under protections: Google would refuse all marks for one. A line with
 * nothing but a merged title asks for nothing: no fault.
 */
export function uncoveredMarks(plan: TabMarks, tabs: readonly TabInfo[], sent: SentMarks | undefined) {
  const shapes = new Map(tabs.map((tab) => [tab.sheetId, tab]));
  const isUnder = (isIt: (tab: TabInfo, mark: CellWrite) => boolean) => (mark: CellWrite) =>
    [shapes.get(mark.sheetId)].some((tab) => tab !== undefined && isIt(tab, mark));
  const isMerged = isUnder(isUnderMerge);
  const isProtected = isUnder((tab, { row, column }) => isLocked(tab, row, [column]));
  const isUncovered = (mark: CellWrite) => !isMerged(mark) && !isProtected(mark);
  const uncovered = { ...plan, ids: plan.ids.filter(isUncovered), flags: plan.flags.filter(isUncovered) };
  const covered = [...plan.ids, ...plan.flags].filter((mark) => !isUncovered(mark));
  const told = covered.filter(
    ({ row }) => (sent?.grid[row] ?? []).filter((cell) => trimmedCell(cell) !== '').length > 1,
  );
  const faultOf = told.some(isProtected) ? cellsProtected : cellsMerged;
  const fault =
    told.length > 0 ? faultOf(told.map(({ row, column }) => ({ row, columns: [column] }))) : undefined;
  return { uncovered, isCovered: covered.length > 0, fault };
}

export interface FlaggedRow {
  readonly row: TypedRow;
  readonly flag: Flag;
}

/** With these flags, the appointment shown is another row's. With any other flag, it may be the only clue whose row it was. */
const NOT_ITS_OWN: ReadonlySet<Flag> = new Set(['copy', 'unbooked']);

/** Writes flags into status cells. Removes flags that are no longer true, and answers from rows that have none (`unanswered`). */
export function flagMarks(
  tab: TabGround,
  rows: {
    readonly flagged: readonly FlaggedRow[];
    readonly unanswered: readonly TypedRow[];
    readonly others: readonly TypedRow[];
  },
  { language }: SheetBookings,
): readonly CellWrite[] {
  const { flagged, unanswered, others } = rows;
  const marks: CellWrite[] = [];
  for (const { row, flag } of flagged) {
    const text = FLAGS[language][flag];
    if (row.status === text) continue;
    marks.push({ ...markAt(tab, row, 'status'), cell: text });
    if (NOT_ITS_OWN.has(flag)) marks.push(...withoutAppointment(tab, row));
  }
  for (const row of unanswered) {
    marks.push({ ...markAt(tab, row, 'status'), cell: null }, ...withoutAppointment(tab, row));
  }
  for (const row of others) {
    if (isFlag(row.status)) marks.push({ ...markAt(tab, row, 'status'), cell: null });
  }
  return marks;
}

/** Empties the cells that show the appointment of another row. */
export function withoutAppointment(tab: TabGround, row: TypedRow): readonly CellWrite[] {
  const outputs = (['appointment', 'booked_at'] as const).filter((output) => tab.columns.has(output));
  return outputs.map((output) => ({ ...markAt(tab, row, output), cell: null }));
}

export function markAt(
  tab: TabGround,
  { row }: TypedRow,
  output: 'id' | 'status' | 'appointment' | 'booked_at',
) {
  return { sheetId: tab.sheetId, row, column: tab.columns.get(output) ?? 0 };
}

/** A write that Google refuses for good, for people to fix. */
export function refusedFault(error: TerminalError, column: 'id' | 'status'): IntakeFault {
  const about =
    column === 'id'
      ? 'rows get no id, so that new ones are not booked'
      : 'copied rows cannot be marked as copies';
  return {
    code: 'intake-write-refused',
    message: `Google refuses to write into the ${column} column: ${about} (${error.code})`,
    advice:
      "If the column is protected, let the worker's service account edit it (Google Sheets, Data, Protect sheets and ranges).",
  };
}

type Grid = readonly (readonly unknown[])[];

/** The marks sent to a tab, and the tab just before. */
export interface SentMarks {
  readonly marks: readonly CellWrite[];
  readonly grid: Grid;
}

/**
 * Restores cells that marks hit because people changed the columns while they were on their way, or inserted a title above the header. Marks
 * that reached their column are left alone, in whatever row.
 */
export function strayMarks(sent: SentMarks | undefined, now: Grid): readonly CellWrite[] {
  const { marks, grid: before } = sent ?? { marks: [], grid: [] };
  const [headersBefore = [], headers = []] = [before, now].map((grid) => (grid[0] ?? []).map(trimmedCell));
  const marked = new Set(marks.map(({ row, column }) => `${row} ${column}`));
  return marks.flatMap((mark) => {
    const { row, column, cell } = mark;
    const header = headers[column] ?? '';
    if (header === headersBefore[column] || trimmedCell(now[row]?.[column]) !== trimmedCell(cell)) return [];
    const isHeader = headersBefore.every(
      (text, at) => marked.has(`${row} ${at}`) || text === trimmedCell(now[row]?.[at]),
    );
    const was = header === '' ? -1 : headersBefore.indexOf(header);
    const former = isHeader ? cellOf(before[0]?.[column]) : was < 0 ? null : cellOf(before[row]?.[was]);
    return trimmedCell(former) === trimmedCell(cell) ? [] : [{ ...mark, cell: former }];
  });
}

function cellOf(value: unknown): Cell {
  const isCell = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isCell && value !== '' ? value : null;
}

// Builds the reading that would follow a write of marks, without another request. The write's answer shows the tabs, and only the marks
// have changed. Pure.

type Readings = ReadonlyMap<SheetBookings, TabReading>;

/** All tabs in full; none if one of them cannot be shown, or together they are too large. */
export function tabsToShow(readings: Readings): readonly ShownArea[] {
  const areas: ShownArea[] = [];
  let cells = 0;
  for (const reading of readings.values()) {
    if (isIntakeFault(reading) || reading.grid === undefined || reading.title === undefined) return [];
    cells += reading.grid.reduce((sum, row) => sum + row.length, 0);
    areas.push({ title: reading.title, area: { sheetId: reading.sheetId } });
  }
  return cells > CELLS_SHOWN_MAX ? [] : areas;
}

/**
 * The cells as they were read, plus the marks. An answer to a write may show typed text differently from a reading, so that a row would
 * seem to change. So the answer is only compared with the cells that were read. Undefined: read the tabs again.
 */
export function readingsAfter(
  readings: Readings,
  plans: readonly TabMarks[],
  shown: ShownTabs,
): Readings | undefined {
  const after = new Map<SheetBookings, TabReading>();
  for (const [mapping, reading] of readings) {
    const now = isIntakeFault(reading) ? undefined : shown.get(reading.sheetId);
    if (isIntakeFault(reading) || reading.grid === undefined || now === undefined) return undefined;
    const marks = plans.flatMap((plan) => (plan.mapping === mapping ? [...plan.ids, ...plan.flags] : []));
    const grid = withMarks(reading.grid, marks);
    if (!isSame(grid, now)) return undefined;
    after.set(mapping, { ...reading, grid });
  }
  return after;
}

function withMarks(grid: Grid, marks: readonly CellWrite[]): Grid {
  const marked = grid.map((row) => [...row]);
  for (const { row, column, cell } of marks) {
    while (marked.length <= row) marked.push([]);
    const cells = marked[row] ?? [];
    while (cells.length < column) cells.push('');
    cells[column] = cell ?? '';
  }
  return marked;
}

function isSame(grid: Grid, shown: ShownRows): boolean {
  for (const row of new Set([...grid.keys(), ...shown.keys()])) {
    const [one = [], other = []] = [grid[row], shown.get(row)];
    for (let column = 0; column < Math.max(one.length, other.length); column += 1)
      if ((one[column] ?? '') !== (other[column] ?? '')) return false;
  }
  return true;
}

// Puts the answer to a booking-sheet row into the outbox, under the claim's fence. The flush that writes the mirrors also writes the
// answer, to wherever the row is by then. The worker never adds a row to a booking sheet.

export interface RowAnswersParts {
  readonly mapping: SheetBookings;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly waker: FlushWaker;
  readonly zones: SheetZones;
  readonly rows: Pick<SheetRows, 'known'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly clock: Clock;
}

/** The worker's own columns in a booking sheet. No mirror and no entry of `bookings` can have this name. */
export function answerTab({ name, spreadsheetId, tab, columns }: SheetBookings): KeyedTab {
  const { id = '', status, appointment, booked_at: bookedAt } = columns;
  const headers = [status, appointment, bookedAt].flatMap((header) => header ?? []);
  return {
    name: `${name}/answers`,
    from: 'booking',
    ...{ spreadsheetId, tab },
    keyHeader: id,
    columns: headers.map((header) => ({ header })),
  };
}

export function createRowAnswers(parts: RowAnswersParts): AnswerPlace {
  const tab = answerTab(parts.mapping);
  return {
    async answer(seen, answer, claim) {
      if (seen.place !== 'row') throw new TypeError('a row is answered in its sheet only');
      const content = answerContent(parts.mapping, answer, await zoneOf(parts));
      const row: OutboxRow = {
        ...{ spreadsheetId: tab.spreadsheetId, tab: tab.tab, mirror: tab.name },
        ...{ key: formatKey(claim.key), rowKey: seen.row_id, cells: content.cells, hash: rowHash(content) },
        ...answerLooks(claim, tab.name, content),
        inPlaceOnly: true,
        occurredAtMs: claim.pendingSinceMs,
      };
      const outcome = await parts.outbox.put(claim, row);
      if (outcome === 'queued') parts.waker.wake(tab.spreadsheetId);
      return 'answered';
    },
    async upcoming() {
      const { rows, view, clock, mapping } = parts;
      const { name: mirror, spreadsheetId, tab: title } = tab;
      const keys = [...(await rows.known({ mirror, spreadsheetId, tab: title })).keys()].flatMap(
        (key) => parseKey(key) ?? [],
      );
      let count = 0;
      for (const some of inParts(keys, LOOKS_AT_ONCE)) {
        const claims = await Promise.all(some.map((key) => view.peek(key)));
        for (const claim of claims) {
          const record = claim?.links[mapping.name]?.booking;
          const startMs = Date.parse((record && answerOf(record)?.startsAt) ?? '');
          if (record?.state === 'booked' && startMs > clock.now()) count += 1;
        }
      }
      return count;
    },
  };
}

async function zoneOf({ mapping, zones }: RowAnswersParts): Promise<string> {
  if (mapping.timezone !== undefined) return mapping.timezone;
  return mapping.columns.booked_at === undefined ? 'UTC' : zones.zoneOf(mapping.spreadsheetId);
}
