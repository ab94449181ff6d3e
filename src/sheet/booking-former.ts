// Returns the former id of a row that seems new, if it is an old row. Somebody emptied its id cell, or the worker wrote another id over it
// during a sort. Under a new id, it would be booked twice.

import { isRowId, rowOfOrigin } from '../engine/ids.ts';
import type { Ledger } from '../engine/ledger.ts';
import { contentHash, type Snapshot } from '../engine/object.ts';
import {
  answerOf,
  type BookingRecord,
  type OwnAppointment,
  ownOf,
  type RowInput,
  wishedOf,
} from '../engine/outside-booking.ts';
import { compareCustomers, customerMarks, strongestMark } from '../engine/person.ts';
import { foldedText } from '../engine/plain-text.ts';
import type { PlatformReader } from '../engine/platform.ts';
import { type Cell, trimmedCell } from '../engine/sheet-row.ts';
import type { Claim } from '../engine/work.ts';
import type { RowRegister, RowTrace } from './stores.ts';
import { customerInRow, type Flag, flagIn, type TypedRow } from './tab-reading.ts';

export interface FormerParts {
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly register: Pick<RowRegister, 'find'>;
  /** Metadata key under which an appointment names its origin. */
  readonly originMark: string;
}

export interface FormerGround {
  readonly spreadsheetId: string;
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

  constructor(parts: FormerParts, ground: FormerGround) {
    this.#parts = parts;
    this.#ground = ground;
  }

  /** Finds ids by content: the row says what was last known under an id that no other row has. */
  async byContent(rows: readonly TypedRow[]): Promise<ReadonlyMap<TypedRow, string>> {
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
      const known = claims.filter(({ claim }) => this.#says(claim, row));
      // If several say the same, prefer the one whose appointment the row names.
      const isNamed = ({ claim }: Found) =>
        this.#own(claim)?.id === row.appointment && row.appointment !== '';
      const ranked = [...known.filter(isNamed), ...known.filter((each) => !isNamed(each))];
      for (const { id, claim } of ranked) {
        if (!(await this.#isCustomers(claim, row))) continue;
        this.#taken.add(id);
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
    this.#taken.add(only.id);
    return only.id;
  }

  /** Finds the id through the row's appointment, which names the row that booked it. This works even after everything else was lost. */
  async byAppointment(row: TypedRow): Promise<string | undefined> {
    if (!namesAppointment(row)) return undefined;
    const found = await this.#parts.reader.get({ kind: 'appointment', id: row.appointment });
    const id = this.#rowOf(found);
    if (id === undefined || !this.#isMissing(id) || isAnothers(found, row)) return undefined;
    this.#taken.add(id);
    return id;
  }

  /**
   * Finds the id by the customer, for a row that changed since. An id whose row was never answered is this row's: people could not see that
   * it was booked. `ask`: the row shows an earlier answer, and a person must say whether that is another appointment's.
   */
  async byCustomer(row: TypedRow): Promise<string | 'ask' | undefined> {
    if (strongestMark(customerInRow(row.cells)) === undefined) return undefined;
    const isOld = isAnswered(row);
    if (isOld && (await this.#isOfAnother(row))) return undefined;
    const missing = (await this.#missingOf(row)).map(({ id, claim }) => ({
      ...{ id, isShown: this.#isShown(claim), isSame: this.#isOfSameHour(claim, row) },
    }));
    const former = formerOfCustomer(missing, { isAnswered: isOld, isCancelling: row.cancel });
    if (former !== undefined && former !== 'ask') this.#taken.add(former);
    return former;
  }

  /** Ids of the row's customer that no row has, and whose appointment is still to come. */
  async #missingOf(row: TypedRow): Promise<readonly Found[]> {
    const mark = strongestMark(customerInRow(row.cells));
    if (mark === undefined) return [];
    const ids = (await this.#parts.register.find(this.#ground.mapping, [mark])).get(mark) ?? [];
    const claims = await this.#peek(ids.filter((id) => this.#isMissing(id)));
    const { nowMs } = this.#ground;
    const isAhead = ({ claim }: Found) => !(Date.parse(String(claim.snapshot?.['starts_at'])) <= nowMs);
    const live = claims.filter((each) => this.#isLive(each.claim) && isAhead(each));
    return this.#ofCustomer(live, row);
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

  async #ofCustomer(found: readonly Found[], row: TypedRow): Promise<readonly Found[]> {
    const own: Found[] = [];
    for (const each of found) if (await this.#isCustomers(each.claim, row)) own.push(each);
    return own;
  }

  /** Whether the row was copied from one that still has its id: the worker's columns then hold that row's answer. */
  async #isOfAnother(row: TypedRow): Promise<boolean> {
    if (!namesAppointment(row)) return false;
    const id = this.#rowOf(await this.#parts.reader.get({ kind: 'appointment', id: row.appointment }));
    return id !== undefined && this.#ground.standing.has(id);
  }

  #rowOf(appointment: Snapshot | undefined): string | undefined {
    const metadata = appointment?.['metadata'] as Readonly<Record<string, unknown>> | null | undefined;
    return rowOfOrigin(metadata?.[this.#parts.originMark]);
  }

  #isMissing(id: string): boolean {
    const { spreadsheetId, standing } = this.#ground;
    return isRowId(id, spreadsheetId) && !standing.has(id) && !this.#taken.has(id);
  }

  async #peek(ids: readonly string[]): Promise<readonly Found[]> {
    const found: Found[] = [];
    const some = ids.slice(0, IDS_OF_TRACE_MAX);
    for (let from = 0; from < some.length; from += LOOKS_AT_ONCE) {
      const batch = some.slice(from, from + LOOKS_AT_ONCE);
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
