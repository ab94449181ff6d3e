// Which rows stood there unticked when the YAML lost the column `ready`. Nobody said that they are bookings, and the edit of the YAML does
// not say so either: they wait for a person.

import { RetryableError } from '../../engine/domain/errors.ts';
import type { SheetBookings } from '../../engine/domain/outside-booking.ts';
import type { LeaseProof } from '../../engine/ports/leases.ts';
import type { LeasedMemory } from '../../engine/ports/memory.ts';
import type { Knowledge } from './judge.ts';
import { isBlank, type TypedRow } from './typed-row.ts';

/** The entry has the column. */
const TICKED = 'ticked';

export class UntickedRows {
  readonly #memory: Pick<LeasedMemory, 'get' | 'setUnder'>;
  readonly #known = new Map<SheetBookings, ReadonlySet<string>>();

  constructor(memory: Pick<LeasedMemory, 'get' | 'setUnder'>) {
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
