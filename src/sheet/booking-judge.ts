// Decides which row of one reading owns which id. Pure: the same rows, and the same knowledge of them, give the same judgement. An id alone
// proves nothing: it is a row's if the row says what was known under it, or still names the same customer.
import { isRowId, rowOfOrigin } from '../engine/ids.ts';
import type { Ledger } from '../engine/ledger.ts';
import { contentHash, inParts, type Snapshot, withoutUndefined } from '../engine/object.ts';
import {
  answerOf,
  type BookingRecord,
  type Exchanged,
  type OwnAppointment,
  ownOf,
  type RowInput,
  type SheetBookings,
  wishedOf,
} from '../engine/outside-booking.ts';
import { type CustomerMarks, compareCustomers, customerMarks, strongestMark } from '../engine/person.ts';
import { foldedText } from '../engine/plain-text.ts';
import type { PlatformReader } from '../engine/platform.ts';
import { type Cell, type SheetPlace, trimmedCell } from '../engine/sheet-row.ts';
import type { SheetRows } from '../engine/sheet-rows.ts';
import type { Claim } from '../engine/work.ts';
import type { FormerSpreadsheets } from './former-spreadsheets.ts';
import type { RowRegister, RowTrace } from './stores.ts';
import {
  type AsideFlag,
  bookingKeyOf,
  customerInRow,
  type Flag,
  findColumns,
  flagIn,
  type IdCell,
  isBlank,
  isFlag,
  isIntakeFault,
  readIdCell,
  rowMark,
  type TabReading,
  type TypedRow,
} from './tab-reading.ts';

export interface Judgement {
  /** Rows with an id of their own: no two have the same. */
  readonly bearers: readonly BornId[];
  /**
   * Like `bearers`, but the id is unknown, or the row names another customer. The row keeps the id unless a better match is found for
   * either.
   */
  readonly doubtful: readonly BornId[];
  /** Rows that people typed, without an id of their own. */
  readonly newcomers: readonly Newcomer[];
  /** Rows that share the id of another row and have no effect. The status cell of each says why. */
  readonly aside: readonly AsideRow[];
  /** Rows that are never acted upon: their status says to put the id back or to clear it. */
  readonly foreign: readonly TypedRow[];
}

export interface BornId {
  readonly row: TypedRow;
  readonly id: string;
}

export interface Newcomer {
  readonly row: TypedRow;
  /** `said`: a person wrote so into the id cell. `hit`: an id on its way to another row landed in this one. */
  readonly as: 'blank' | 'said' | 'hit';
}

export interface AsideRow extends BornId {
  readonly flag: AsideFlag & Flag;
}

export interface LastSeen {
  /** The row's print when it was last handed on under its id. */
  readonly print: string;
  readonly customer: CustomerMarks;
  readonly ready?: boolean;
  readonly cancel?: boolean;
  readonly startsAt?: string | undefined;
  readonly resource?: string | undefined;
  readonly exchanged?: Exchanged | undefined;
  /** The entry that handed it on, if another process or an earlier mapping did. */
  readonly entry?: unknown;
}

export interface Knowledge {
  /** Spreadsheets whose ids are this entry's. */
  readonly spreadsheetIds: readonly string[];
  /** Undefined if nothing was ever handed on under the id. */
  readonly last: (id: string) => LastSeen | undefined;
  /** Print of the row to which the id was sent, until it is seen there. */
  readonly sentTo: (id: string) => string | undefined;
  /** Undefined if no other entry reads the spreadsheet. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** Rows with one id that are compared with each other: if there are more, people filled them down. */
const HIT_MAX = 50;

type Mutable = { [Part in keyof Judgement]: Judgement[Part][number][] };

export function judgeBookingRows(rows: readonly TypedRow[], knowledge: Knowledge): Judgement {
  const judgement: Mutable = { bearers: [], doubtful: [], newcomers: [], aside: [], foreign: [] };
  const byId = new Map<string, { same: TypedRow[]; aside: AsideRow[] }>();
  const of = (id: string) => {
    const group = byId.get(id) ?? { same: [], aside: [] };
    byId.set(id, group);
    return group;
  };
  for (const row of rows) {
    const cell: IdCell = readIdCell(row.id, knowledge.spreadsheetIds);
    if (cell.as === 'own') of(cell.id).same.push(row);
    else if (cell.as === 'aside') {
      if (isHit(row, cell, knowledge)) judgement.newcomers.push({ row, as: 'hit' });
      else of(cell.id).aside.push({ row, id: cell.id, flag: cell.flag });
    }
    // A number or a total below the table is no booking row.
    else if (isBlank(row)) continue;
    else if (cell.as === 'foreign') judgement.foreign.push(row);
    else judgement.newcomers.push({ row, as: cell.as === 'new' ? 'said' : 'blank' });
  }
  for (const [id, { same, aside }] of byId) {
    const { elsewhere } = knowledge;
    const isElsewhere =
      elsewhere !== undefined &&
      (elsewhere.ids.has(id) || elsewhere.unread.has(String(knowledge.last(id)?.entry)));
    if (isElsewhere) setAside(judgement, id, same);
    else judgeSame(judgement, { id, same, knowledge });
    judgeAside(judgement, { id, isBorne: same.length > 0 || isElsewhere, aside, knowledge });
  }
  return judgement;
}

/** The mark was meant for another row, because people sorted while it was written. The customer differs as well. */
function isHit(
  row: TypedRow,
  { id, of }: { readonly id: string; readonly of: string },
  { last }: Knowledge,
): boolean {
  const known = last(id);
  if (of === '' || rowMark(row.print) === of || known === undefined) return false;
  return compareCustomers(customerInRow(row.cells), known.customer) === 'other';
}

/** Judges the rows that hold this very id. */
function judgeSame(
  judgement: Mutable,
  { id, same, knowledge }: { id: string; same: readonly TypedRow[]; knowledge: Knowledge },
): void {
  if (same.length === 0) return;
  const last = knowledge.last(id);
  const sentTo = knowledge.sentTo(id);
  const unflagged = same.filter(({ status }) => !isFlag(status));
  const isExact = ({ print }: TypedRow) => print === (sentTo ?? last?.print);
  const exact = unflagged.find(isExact) ?? same.find(isExact);
  if (exact !== undefined) judgement.bearers.push({ row: exact, id });
  const others = same.filter((row) => row !== exact);
  if (sentTo !== undefined) {
    // If the row names another customer, the worker's own write put the id there, not a person.
    const isCopy = (row: TypedRow) => isExact(row) || (exact !== undefined && isSameCustomer(row, exact));
    setAside(judgement, id, others.filter(isCopy));
    judgeHit(
      judgement,
      id,
      others.filter((row) => !isCopy(row)),
    );
  } else if (exact !== undefined) setAside(judgement, id, others);
  // A row already marked as a copy stays one.
  else if (unflagged.length === 0 && last !== undefined) setAside(judgement, id, same);
  else judgeChanged(judgement, { id, same, unflagged, last });
}

/**
 * Rows with an id that was on its way to another row. The worker writes it into one row only. If several name one customer, people copied
 * all but one, and nothing says which.
 */
function judgeHit(judgement: Mutable, id: string, hit: readonly TypedRow[]): void {
  if (hit.length > HIT_MAX) {
    for (const row of hit) judgement.aside.push({ row, id, flag: 'which' });
    return;
  }
  const left = new Set(hit);
  for (const row of left) {
    const rivals = [...left].filter((each) => each === row || isSameCustomer(each, row));
    for (const each of rivals) left.delete(each);
    if (rivals.every(({ print }) => print === row.print)) {
      judgement.newcomers.push({ row, as: 'hit' });
      setAside(
        judgement,
        id,
        rivals.filter((each) => each !== row),
      );
    } else for (const each of rivals) judgement.aside.push({ row: each, id, flag: 'which' });
  }
}

function isSameCustomer(row: TypedRow, other: TypedRow): boolean {
  return compareCustomers(customerInRow(row.cells), customerInRow(other.cells)) === 'same';
}

/** No row says what was known under the id. */
function judgeChanged(
  judgement: Mutable,
  about: {
    id: string;
    same: readonly TypedRow[];
    unflagged: readonly TypedRow[];
    last: LastSeen | undefined;
  },
): void {
  const { id, same, unflagged, last } = about;
  const candidates = unflagged.length > 0 ? unflagged : same;
  const isNear = ({ cells }: TypedRow) =>
    last !== undefined && compareCustomers(customerInRow(cells), last.customer) !== 'other';
  const near = candidates.filter(isNear);
  const rivals = near.length > 0 ? near : candidates;
  const [chosen] = rivals;
  // Identical rows are interchangeable: take the upper one.
  const isClear = chosen !== undefined && rivals.every(({ print }) => print === chosen.print);
  if (isClear) (near.length > 0 ? judgement.bearers : judgement.doubtful).push({ row: chosen, id });
  else for (const row of rivals) judgement.aside.push({ row, id, flag: 'which' });
  const settled = isClear ? [chosen] : rivals;
  setAside(
    judgement,
    id,
    same.filter((row) => !settled.includes(row)),
  );
}

/** Judges the rows that were set aside before. One of them gets the id back when it is the only one left and nothing contradicts it. */
function judgeAside(
  judgement: Mutable,
  about: { id: string; isBorne: boolean; aside: readonly AsideRow[]; knowledge: Knowledge },
): void {
  const { id, isBorne, aside, knowledge } = about;
  const print = knowledge.last(id)?.print;
  const asked = aside.filter(({ flag }) => flag === 'which');
  const only = asked.length === 1 ? asked[0] : undefined;
  const successor = isBorne ? undefined : (aside.find(({ row }) => row.print === print) ?? only);
  for (const each of aside) {
    if (each === successor) judgement.bearers.push({ row: each.row, id });
    else judgement.aside.push(isBorne || successor !== undefined ? { ...each, flag: 'copy' } : each);
  }
}

function setAside(judgement: Mutable, id: string, rows: readonly TypedRow[]): void {
  for (const row of rows) judgement.aside.push({ row, id, flag: 'copy' });
}

/** Ids that other tabs of the spreadsheet hold, and entries whose tabs show nothing now. */
export interface Elsewhere {
  readonly ids: ReadonlySet<string>;
  readonly unread: ReadonlySet<string>;
}

/**
 * People copy a whole tab, or rows from one tab into another. An id belongs to the tab of the entry that handed its row on last, and the
 * other rows are copies. If nobody did, it belongs to the first tab that has it.
 */
export async function lookElsewhere(
  known: Map<SheetBookings, Elsewhere>,
  readings: ReadonlyMap<SheetBookings, TabReading>,
  { view, former }: { readonly view: Pick<Ledger, 'peek'>; readonly former: Pick<FormerSpreadsheets, 'of'> },
): Promise<void> {
  const holders = new Map<string, SheetBookings[]>();
  for (const [mapping, reading] of readings)
    for (const id of idsIn(mapping, reading, former.of(mapping)))
      holders.set(id, [...(holders.get(id) ?? []), mapping]);
  const owners = new Map<string, SheetBookings | undefined>();
  for (const [id, [first, ...others]] of holders) {
    const claim = others.length === 0 ? undefined : await view.peek({ kind: 'booking', id });
    const last = claim?.snapshot?.['mapping'];
    owners.set(id, others.find(({ name }) => name === last) ?? first);
  }
  const unread = new Set(
    [...readings].flatMap(([{ name }, reading]) => (gridOf(reading) === undefined ? [name] : [])),
  );
  for (const mapping of readings.keys()) {
    const ids = [...owners].flatMap(([id, owner]) => (owner === mapping ? [] : [id]));
    known.set(mapping, { ids: new Set(ids), unread });
  }
}

function gridOf(reading: TabReading) {
  return isIntakeFault(reading) ? undefined : reading.grid;
}

/** The ids in the id column; without one, in any cell. */
function idsIn(
  mapping: SheetBookings,
  reading: TabReading,
  spreadsheetIds: readonly string[],
): ReadonlySet<string> {
  const [header = [], ...rows] = gridOf(reading) ?? [];
  const columns = findColumns(header, mapping);
  const at = isIntakeFault(columns) ? undefined : (columns.get('id') ?? -1);
  const cells = rows.flatMap((row) => (at === undefined ? row : [row[at]]));
  return new Set(cells.map(trimmedCell).filter((text) => isRowId(text, ...spreadsheetIds)));
}

// Returns the former id of a row that seems new, if it is an old row. Somebody emptied its id cell, or the worker wrote another id over it
// during a sort. Under a new id, it would be booked twice.

export interface FormerParts {
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly register: Pick<RowRegister, 'find'>;
  /** Metadata key under which an appointment names its origin. */
  readonly originMark: string;
}

export interface FormerGround {
  /** Spreadsheets whose ids are this entry's. */
  readonly spreadsheetIds: readonly string[];
  /** Name of the entry of `bookings`. */
  readonly mapping: string;
  /** Mirror name under which the answers of its rows are linked. */
  readonly answers: string;
  /** Ids in the tab, in the rows to which they belong. */
  readonly standing: ReadonlySet<string>;
  readonly nowMs: number;
}

interface Found {
  readonly id: string;
  readonly claim: Claim;
}

/** Ids that are checked per trace: a trace shared by more rows identifies none of them. */
const IDS_OF_TRACE_MAX = 50;
const LOOKS_AT_ONCE = 20;
/** Traces outlive the appointment, or the last look at its row, by this time. */
export const TRACES_KEPT_MS = 35 * 86_400_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Works on the rows of one reading, and gives each id to one row only. */
export class FormerIds {
  readonly #parts: FormerParts;
  readonly #ground: FormerGround;
  readonly #taken = new Set<string>();
  /** Customers of the rows that got an id back. Undefined: of one that names nobody. */
  readonly #returned = new Set<string | undefined>();

  constructor(parts: FormerParts, ground: FormerGround) {
    this.#parts = parts;
    this.#ground = ground;
  }

  /**
   * Finds ids by content: the row says what was last known under an id that no other row has. `refused`: rows whose own id was refused; they
   * are another's only if that one is live. Otherwise two refused rows of one content would exchange their ids for ever.
   */
  async byContent(
    rows: readonly TypedRow[],
    refused: ReadonlySet<TypedRow> = new Set(),
  ): Promise<ReadonlyMap<TypedRow, string>> {
    const { register } = this.#parts;
    const found = new Map<TypedRow, string>();
    if (rows.length === 0) return found;
    const traces = await register.find(
      this.#ground.mapping,
      rows.map(({ print }) => print),
    );
    for (const row of rows) {
      const ids = (traces.get(row.print) ?? []).filter((id) => this.#isMissing(id));
      const claims = await this.#peek(ids);
      const known = claims.filter(
        ({ claim }) => this.#says(claim, row) && (!refused.has(row) || this.#isLive(claim)),
      );
      // If several say the same, prefer the one whose appointment the row names.
      const isNamed = ({ claim }: Found) =>
        this.#own(claim)?.id === row.appointment && row.appointment !== '';
      const ranked = [...known.filter(isNamed), ...known.filter((each) => !isNamed(each))];
      for (const { id, claim } of ranked) {
        if (!(await this.#isCustomers(claim, row))) continue;
        this.#give(row, id);
        found.set(row, id);
        break;
      }
    }
    return found;
  }

  /** Those of the rows with whose content or customer an id was seen that no row has now. */
  async orphaned(rows: readonly TypedRow[]): Promise<ReadonlySet<TypedRow>> {
    if (rows.length === 0) return new Set();
    const tracesOf = ({ print, cells }: TypedRow) => [print, strongestMark(customerInRow(cells)) ?? print];
    const found = await this.#parts.register.find(this.#ground.mapping, rows.flatMap(tracesOf));
    const isOrphaned = (row: TypedRow) =>
      tracesOf(row).some((trace) => found.get(trace)?.some((id) => this.#isMissing(id)));
    return new Set(rows.filter(isOrphaned));
  }

  /** Finds the id by the customer, for a row that wishes for the very hour of its appointment. */
  async byHour(row: TypedRow): Promise<string | undefined> {
    const found = await this.#missingOf(row);
    const [only, ...others] = found.filter(({ claim }) => this.#isOfSameHour(claim, row));
    if (only === undefined || others.length > 0) return undefined;
    this.#give(row, only.id);
    return only.id;
  }

  /** Finds the id through the row's appointment, which names the row that booked it. This works even after everything else was lost. */
  async byAppointment(row: TypedRow): Promise<string | undefined> {
    if (!namesAppointment(row)) return undefined;
    const found = await this.#parts.reader.get({ kind: 'appointment', id: row.appointment });
    const id = this.#rowOf(found);
    if (id === undefined || !this.#isMissing(id) || isAnothers(found, row)) return undefined;
    this.#give(row, id);
    return id;
  }

  /**
   * Finds the id by the customer, for a row that changed since. An id whose row was never answered is this row's: people could not see that
   * it was booked. `ask`: the row shows an earlier answer, and a person must say whether that is another appointment's. `hasStrayId`: as
   * perhaps the answer, the id in the row is another row's.
   */
  async byCustomer(row: TypedRow, hasStrayId: boolean): Promise<string | 'ask' | undefined> {
    const mark = strongestMark(customerInRow(row.cells));
    const isOld = isAnswered(row);
    // A row and its copy both lost the id, and one got it back: nothing says whether this one was the copy.
    if (isOld && this.#returned.has(mark)) return 'ask';
    if (mark === undefined) return undefined;
    if (isOld && !hasStrayId && (await this.showsAnothers(row))) return undefined;
    const missing = (await this.#missingOf(row)).map(({ id, claim }) => ({
      ...{ id, isShown: this.#isShown(claim), isSame: this.#isOfSameHour(claim, row) },
    }));
    const former = formerOfCustomer(missing, { isAnswered: isOld, isCancelling: row.cancel });
    if (former !== undefined && former !== 'ask') this.#give(row, former);
    return former;
  }

  #give({ cells }: TypedRow, id: string): void {
    this.#taken.add(id);
    this.#returned.add(strongestMark(customerInRow(cells)));
  }

  /** Ids of the row's customer that no row has, and whose appointment is still to come. */
  async #missingOf(row: TypedRow): Promise<readonly Found[]> {
    const mark = strongestMark(customerInRow(row.cells));
    if (mark === undefined) return [];
    const ids = (await this.#parts.register.find(this.#ground.mapping, [mark])).get(mark) ?? [];
    const claims = await this.#peek(ids.filter((id) => this.#isMissing(id)));
    const { nowMs } = this.#ground;
    const found: Found[] = [];
    for (const each of claims) {
      const isOver = Date.parse(String(each.claim.snapshot?.['starts_at'])) <= nowMs;
      if (isOver || !this.#isLive(each.claim)) continue;
      if (await this.#isCustomers(each.claim, row)) found.push(each);
    }
    return found;
  }

  /** Whether this id's row has shown an answer of its own. */
  #isShown(claim: Claim): boolean {
    const link = claim.links[this.#ground.answers]?.sheet;
    return link !== undefined && link.unshown !== true;
  }

  /** Whether the row says the same in other words: its own appointment takes the very hour that it requests. */
  #isOfSameHour(claim: Claim, row: TypedRow): boolean {
    const { snapshot } = claim;
    const record = this.#record(claim);
    const answer = record && answerOf(record);
    if (snapshot === undefined || answer?.startsAt === undefined || row.startsAt === undefined) return false;
    const cells = cellsOf(snapshot);
    const isOf = (cell: 'service' | 'resource') =>
      foldedText(trimmedCell(cells[cell])) === foldedText(trimmedCell(row.cells[cell]));
    const isHis = contentHash(customerInRow(cells)) === contentHash(customerInRow(row.cells));
    const isThen = Date.parse(answer.startsAt) === Date.parse(row.startsAt);
    return isHis && isThen && isOf('service') && isOf('resource');
  }

  /** Whether the worker's columns hold the answer of another row that has its id: the row is a copy, or a write went astray. */
  async showsAnothers(row: TypedRow): Promise<boolean> {
    if (!namesAppointment(row)) return false;
    const id = this.#rowOf(await this.#parts.reader.get({ kind: 'appointment', id: row.appointment }));
    return id !== undefined && (this.#ground.standing.has(id) || this.#taken.has(id));
  }

  #rowOf(appointment: Snapshot | undefined): string | undefined {
    const metadata = appointment?.['metadata'] as Readonly<Record<string, unknown>> | null | undefined;
    return rowOfOrigin(metadata?.[this.#parts.originMark]);
  }

  #isMissing(id: string): boolean {
    const { spreadsheetIds, standing } = this.#ground;
    return isRowId(id, ...spreadsheetIds) && !standing.has(id) && !this.#taken.has(id);
  }

  async #peek(ids: readonly string[]): Promise<readonly Found[]> {
    const found: Found[] = [];
    for (const batch of inParts(ids.slice(0, IDS_OF_TRACE_MAX), LOOKS_AT_ONCE)) {
      const claims = await Promise.all(batch.map((id) => this.#parts.view.peek({ kind: 'booking', id })));
      for (const [i, claim] of claims.entries()) {
        const id = batch[i];
        if (id !== undefined && claim?.snapshot?.['mapping'] === this.#ground.mapping)
          found.push({ id, claim });
      }
    }
    return found;
  }

  /** An id that the worker itself overwrote is restored, whatever became of it. A row that was typed again is a new wish. */
  #says(claim: Claim, row: TypedRow): boolean {
    if (claim.snapshot === undefined || printOf(claim.snapshot) !== row.print) return false;
    return row.id !== '' || this.#isLive(claim);
  }

  #isLive(claim: Claim): boolean {
    const record = this.#record(claim);
    const isOver = record !== undefined && record.state !== 'new' && record.state !== 'booked';
    return !isOver || record.asked !== undefined;
  }

  /** The last content under the id may have been typed over another customer's row. */
  async #isCustomers(claim: Claim, row: TypedRow): Promise<boolean> {
    const own = this.#own(claim);
    const { id } = own ?? {};
    const wished = wishedOf(own);
    // Saves a platform request for each row when somebody emptied the whole id column.
    if (wished?.who !== undefined && compareCustomers(customerInRow(row.cells), wished.who) === 'same')
      return true;
    return id === undefined || !isAnothers(await this.#parts.reader.get({ kind: 'appointment', id }), row);
  }

  #own(claim: Claim): OwnAppointment | undefined {
    return ownOf(this.#record(claim));
  }

  #record(claim: Claim): BookingRecord | undefined {
    return claim.links[this.#ground.mapping]?.booking;
  }
}

/**
 * Chooses among the ids of a customer that no row has, for a row without one. A row without an answer can only have lost an id that never
 * showed one. An id whose answer was shown belongs to a deleted row; typing that customer again is a new wish. The exception is a row that
 * requests the very hour of its own appointment: it would be refused because that hour is taken. A row that cancels at another hour may
 * mean any of them, and nothing is cancelled before a person has said which.
 */
export function formerOfCustomer(
  missing: readonly { readonly id: string; readonly isShown: boolean; readonly isSame: boolean }[],
  { isAnswered, isCancelling }: { readonly isAnswered: boolean; readonly isCancelling: boolean },
): string | 'ask' | undefined {
  if (isAnswered) return missing.length > 0 ? 'ask' : undefined;
  const same = missing.filter(({ isSame }) => isSame);
  const unshown = missing.filter(({ isShown }) => isCancelling || !isShown);
  const [first, ...others] = same.length > 0 ? same : unshown;
  const isUnclear = others.length > 0 || (isCancelling && same.length === 0);
  return first !== undefined && isUnclear ? 'ask' : first?.id;
}

/** Whether the row shows the id of an appointment. */
export function namesAppointment({ appointment }: TypedRow): boolean {
  return UUID.test(appointment);
}

/** The print that `readRows` finds in the row. */
export function printOf(snapshot: Snapshot): string {
  return contentHash(cellsOf(snapshot));
}

export function cellsOf(snapshot: Snapshot): Readonly<Partial<Record<RowInput, Cell>>> {
  return (snapshot['cells'] ?? {}) as Readonly<Partial<Record<RowInput, Cell>>>;
}

/** How often rows that exchanged nothing are left out: a long chain of hours that all follow each other counts as exchanged. */
const PRUNED_MAX = 50;

/**
 * Rows that have each other's times or resources since they were last handed on, and what they said before. So do rows whose answer went
 * back as well. Sorting one column or restoring an older version does that; hands change one row after the other. A row stays so until it
 * says something else, or was not ready in between.
 */
export function exchangedRows(
  rows: readonly { readonly row: TypedRow; readonly last: LastSeen | undefined }[],
  outdated: ReadonlyMap<TypedRow, boolean> = new Map(),
): ReadonlyMap<TypedRow, Exchanged> {
  const all = rows.flatMap(({ row, last }) => {
    if (last === undefined) return [];
    const isAsBefore = last.print === row.print && last.ready !== false;
    const said = withoutUndefined({ starts_at: last.startsAt, resource: last.resource });
    const { unticked, ...others } = last.exchanged ?? {};
    const kept = unticked && row.cancel === last.cancel ? last.exchanged : others;
    const before = isAsBefore ? last.exchanged && kept : said;
    return before === undefined ? [] : [{ row, before, isKnown: isAsBefore }];
  });
  const found = new Map(all.flatMap(({ row, before, isKnown }) => (isKnown ? [[row, before] as const] : [])));
  for (const field of ['starts_at', 'resource'] as const) {
    const now = ({ row }: { row: TypedRow }) =>
      field === 'starts_at' ? row.startsAt : resourceIn(row.cells);
    let left = all.filter((each) => {
      const [from, to] = [each.before[field], now(each)];
      return from !== undefined && to !== undefined && from !== to;
    });
    for (let round = 0; round < PRUNED_MAX; round += 1) {
      const [froms, tos] = [new Set(left.map(({ before }) => before[field])), new Set(left.map(now))];
      const kept = left.filter((each) => froms.has(now(each)) && tos.has(each.before[field]));
      if (kept.length === left.length) break;
      left = kept;
    }
    for (const { row, before } of left) found.set(row, before);
  }
  for (const { row, last } of rows) {
    if (last === undefined || outdated.get(row) !== true) continue;
    const isTicked = row.cancel && last.cancel === false;
    if (row.print === last.print && !isTicked) continue;
    const said = withoutUndefined({ starts_at: last.startsAt, resource: last.resource });
    found.set(row, { ...said, ...(isTicked && { unticked: true }) });
  }
  return found;
}

export function resourceIn({ resource }: TypedRow['cells']): string | undefined {
  return resource === undefined || resource === null ? undefined : String(resource);
}

/** What identifies a row that has lost its id. */
export function traceOf(
  { id, cells, print, startsAt }: Pick<TypedRow, 'id' | 'cells' | 'print' | 'startsAt'>,
  nowMs: number,
): RowTrace {
  const mark = strongestMark(customerInRow(cells));
  const startsMs = Date.parse(startsAt ?? '');
  const aheadMs = Number.isNaN(startsMs) ? 0 : Math.max(0, startsMs - nowMs);
  return { id, traces: mark === undefined ? [print] : [print, mark], keepMs: aheadMs + TRACES_KEPT_MS };
}

/** Flags that rows get before anybody has checked what they are. */
const OF_NO_ANSWER: ReadonlySet<Flag> = new Set(['copy', 'which', 'unbooked', 'undecided']);

/** Whether the worker has written there before: the row is then older than it looks. Clearing the id of a copy says that the row is new. */
export function isAnswered({ status, appointment }: TypedRow): boolean {
  const flag = flagIn(status);
  return appointment !== '' || (status !== '' && !(flag !== undefined && OF_NO_ANSWER.has(flag)));
}

function isAnothers(appointment: Snapshot | undefined, row: TypedRow): boolean {
  if (appointment === undefined) return false;
  const booked = customerMarks({
    contactId: appointment['contact_id'],
    phone: appointment['customer_phone'],
    email: appointment['customer_email'],
    name: appointment['customer_name'],
  });
  return compareCustomers(customerInRow(row.cells), booked) === 'other';
}

export function split<T>(
  all: readonly T[],
  isFirst: (each: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

/**
 * The hashes of the answers that the rows of these readings are known to show, by booking key. Call it at once: an answer that is written
 * after a reading must not count.
 */
export async function confirmedAt(
  readings: ReadonlyMap<SheetBookings, TabReading>,
  parts: {
    readonly rows: Pick<SheetRows, 'among'>;
    readonly placeOf: (mapping: SheetBookings) => SheetPlace;
    readonly former: Pick<FormerSpreadsheets, 'of'>;
  },
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [mapping, reading] of readings) {
    const columns = isIntakeFault(reading) ? reading : findColumns(reading.grid?.[0] ?? [], mapping);
    if (isIntakeFault(reading) || isIntakeFault(columns)) continue;
    const [at, spreadsheetIds] = [columns.get('id') ?? -1, parts.former.of(mapping)];
    const keys: string[] = [];
    for (const row of reading.grid ?? []) {
      const cell = readIdCell(trimmedCell(row[at]), spreadsheetIds);
      if (cell.as === 'own') keys.push(bookingKeyOf(cell.id));
    }
    for (const [key, hash] of await parts.rows.among(parts.placeOf(mapping), keys)) found.set(key, hash);
  }
  return found;
}
