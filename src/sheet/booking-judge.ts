// Decides which row of one reading owns which id. Pure: the same rows, and the same knowledge of them, give the same judgement. An id alone
// proves nothing: it is a row's if the row says what was known under it, or still names the same customer.
import { type CustomerMarks, compareCustomers } from '../engine/person.ts';
import {
  type AsideFlag,
  customerInRow,
  type Flag,
  type IdCell,
  isBlank,
  isFlag,
  readIdCell,
  rowMark,
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
}

export interface Knowledge {
  readonly spreadsheetId: string;
  /** Undefined if nothing was ever handed on under the id. */
  readonly last: (id: string) => LastSeen | undefined;
  /** Print of the row to which the id was sent, until it is seen there. */
  readonly sentTo: (id: string) => string | undefined;
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
    const cell: IdCell = readIdCell(row.id, knowledge.spreadsheetId);
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
    judgeSame(judgement, { id, same, knowledge });
    judgeAside(judgement, { id, isBorne: same.length > 0, aside, knowledge });
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
