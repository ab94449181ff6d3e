// Which rows were asked whether they are new bookings. The question is in a status cell, and people may sort while it is written. A row
// that shows it without having been asked was hit by it.
import { type CustomerMarks, compareCustomers } from '../../domain/customer.ts';
import { RetryableError } from '../../domain/errors.ts';
import type { LeaseProof } from '../../ports/leases.ts';
import type { LeasedMemory } from '../../ports/memory.ts';
import { flagIn } from './flags.ts';
import { customerInRow, type TypedRow } from './typed-row.ts';

interface Asked {
  readonly print: string;
  readonly customer: CustomerMarks;
}

/** Asked rows stored per entry: also those that no longer ask, or that were cut and may be pasted back. */
const ASKED_MAX = 500;

export class AskedRows {
  readonly #memory: Pick<LeasedMemory, 'get' | 'setUnder'>;

  constructor(memory: Pick<LeasedMemory, 'get' | 'setUnder'>) {
    this.#memory = memory;
  }

  /** Those of the rows that were asked and have not been answered. Without any record, the question counts wherever it is. */
  async among(entry: string, rows: readonly TypedRow[]): Promise<ReadonlySet<TypedRow>> {
    const flagged = rows.filter(({ status }) => flagIn(status) === 'lost');
    const asked = flagged.length === 0 ? undefined : await this.#read(entry);
    if (asked === undefined) return new Set(flagged);
    const prints = new Set(asked.map(({ print }) => print));
    return new Set(
      flagged.filter((row) => {
        const customer = customerInRow(row.cells);
        const isHis = (each: Asked) => compareCustomers(customer, each.customer) !== 'other';
        return prints.has(row.print) || asked.some(isHis);
      }),
    );
  }

  /** Call it before writing the question. Rejects if the lease is lost: this process may not know what another one has asked since. */
  async keep(entry: string, rows: readonly TypedRow[], lease: LeaseProof): Promise<void> {
    if (rows.length === 0) return;
    const known = (await this.#read(entry)) ?? [];
    const asked = new Map(rows.map(({ print, cells }) => [print, customerInRow(cells)] as const));
    for (const { print, customer } of known)
      if (asked.size < ASKED_MAX && !asked.has(print)) asked.set(print, customer);
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
