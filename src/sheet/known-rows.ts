import { RetryableError } from '../engine/errors.ts';
import { newRowId, type RowSeen } from '../engine/ids.ts';
import type { LeaseProof } from '../engine/leases.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { distanceMs, startedBy } from '../engine/moments.ts';
import type { Snapshot } from '../engine/object.ts';
import type { SheetBookings } from '../engine/outside-booking.ts';
import { type CustomerMarks, compareCustomers } from '../engine/person.ts';
import { FORMULA_ENDS_MS } from '../engine/sheet-row.ts';
import { cellsOf, printOf } from './booking-former.ts';
import type { Knowledge, LastSeen } from './booking-judge.ts';
import type { RowRegister } from './stores.ts';
import { customerInRow, flagIn, isBlank, type TypedRow } from './tab-reading.ts';

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
  #handedSinceMs = 0;

  last(id: string): LastSeen | undefined {
    return this.#rows.get(id)?.last;
  }

  /** Looks up ids that are new to this process, or whose row says something else: another process may know more. */
  async lookUp(rows: readonly { id: string; print?: string }[], view: Pick<Ledger, 'peek'>): Promise<void> {
    const news = rows.filter(({ id, print }) => {
      const last = this.last(id);
      return last === undefined || (print !== undefined && print !== last.print);
    });
    const ids = [...new Set(news.map(({ id }) => id))];
    for (let from = 0; from < ids.length; from += LOOKS_AT_ONCE) {
      const some = ids.slice(from, from + LOOKS_AT_ONCE);
      const found = await Promise.all(some.map((id) => view.peek({ kind: 'booking', id })));
      for (const [i, id] of some.entries()) {
        const snapshot = found[i]?.snapshot;
        const last = snapshot && lastIn(snapshot);
        // A difference means that another process replaced what this one handed on, or that it was forgotten.
        if (last === undefined || last.print !== this.last(id)?.print) this.#rows.set(id, { last });
      }
    }
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

  handed(row: TypedRow): void {
    const last = { print: row.print, customer: customerInRow(row.cells), ready: row.ready };
    this.#rows.set(row.id, { last, handed: stateOf(row) });
    this.#given.delete(row.id);
  }

  #forgetHanded(nowMs: number): void {
    this.#handedSinceMs = nowMs;
    for (const [id, { last }] of this.#rows) this.#rows.set(id, { last });
  }
}

function lastIn(snapshot: Snapshot): LastSeen {
  const customer = customerInRow(cellsOf(snapshot));
  return { print: printOf(snapshot), customer, ready: snapshot['ready'] === true };
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

  async #read(entry: string): Promise<readonly Asked[] | undefined> {
    const text = await this.#memory.get(factOf(entry));
    return text === undefined ? undefined : (JSON.parse(text) as readonly Asked[]);
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
  const prints = rows.map(({ print }) => print);
  for (const ids of (await register.find(place.entry, prints)).values()) for (const id of ids) taken.add(id);
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
