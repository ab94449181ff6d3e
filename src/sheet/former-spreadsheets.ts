// People copy a spreadsheet and name the copy in the YAML. Rows of the copy keep the ids of the former one, and are the same bookings.

import type { LeaseProof } from '../engine/leases.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { contentHash, readFact } from '../engine/object.ts';
import { ROW_INPUTS, type SheetBookings } from '../engine/outside-booking.ts';

/** Copies of copies that an entry remembers. */
const REMEMBERED_MAX = 10;
/** A part of a hash tells a few sets of rules apart. */
const HASH_CHARS = 12;
const HEADER_CHARS = 6;

interface Parts {
  readonly mappings: readonly SheetBookings[];
  readonly memory: Pick<RedisMemory, 'get' | 'setUnder'>;
}

export class FormerSpreadsheets {
  readonly #parts: Parts;
  /** By entry, the newest spreadsheet first. */
  readonly #remembered = new Map<SheetBookings, readonly string[]>();
  /** By entry: by what its rows are read (see `SeenRowBooking`). */
  readonly rules = new Map<SheetBookings, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Call it in each poll before the rows are judged. */
  async look(mappings: readonly SheetBookings[]): Promise<void> {
    for (const mapping of mappings) {
      if (!this.rules.has(mapping)) this.rules.set(mapping, rulesOf(mapping));
      // Until then, another process may have looked.
      if (this.#remembered.get(mapping)?.[0] === mapping.spreadsheetId) continue;
      const known = await readFact<readonly string[]>(this.#parts.memory, factOf(mapping));
      this.#remembered.set(mapping, known ?? []);
    }
  }

  /** Spreadsheets whose ids are this entry's, its own first. Not a former one that any entry still names. */
  of(mapping: SheetBookings): readonly string[] {
    const named = new Set(this.#parts.mappings.map(({ spreadsheetId }) => spreadsheetId));
    const before = this.#remembered.get(mapping) ?? [];
    return [mapping.spreadsheetId, ...before.filter((each) => !named.has(each))];
  }

  /** The entry read another spreadsheet until now: its rows may be older than what is known of them. */
  isFirstLook(mapping: SheetBookings): boolean {
    const [last] = this.#remembered.get(mapping) ?? [];
    return last !== undefined && last !== mapping.spreadsheetId;
  }

  /** Call it once the rows have been handed on. A poll that dies before is repeated as the first look. */
  async looked(mapping: SheetBookings, lease: LeaseProof): Promise<void> {
    const before = this.#remembered.get(mapping) ?? [];
    if (before[0] === mapping.spreadsheetId) return;
    const others = before.filter((each) => each !== mapping.spreadsheetId);
    const all = [mapping.spreadsheetId, ...others].slice(0, REMEMBERED_MAX);
    const isStored = await this.#parts.memory.setUnder(lease, { [factOf(mapping)]: JSON.stringify(all) });
    if (isStored) this.#remembered.set(mapping, all);
  }
}

function factOf({ name }: SheetBookings): string {
  return `intake-spreadsheets ${name}`;
}

/** As in `SeenRowBooking`. Whether a row is ready is asked for elsewhere. */
function rulesOf(mapping: SheetBookings): string {
  const { timezone, dateFormats, columns, service, resource, branch, duration, guests } = mapping;
  const { customer, comment, region } = mapping;
  const templates = [service, resource, branch, duration, guests, customer, comment, region];
  const rules = [timezone, dateFormats, { ...columns, ready: undefined }, templates];
  const named: SheetBookings['columns'] = { ...columns };
  const headers = ROW_INPUTS.map((input) => contentHash(named[input]?.trim() ?? '').slice(0, HEADER_CHARS));
  return `${headers.join('.')}/${contentHash(rules).slice(0, HASH_CHARS)}`;
}
