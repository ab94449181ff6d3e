// People copy a spreadsheet and name the copy in the YAML. Rows of the copy keep the ids of the former one, and are the same bookings.

import type { LeaseProof } from '../engine/leases.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { contentHash } from '../engine/object.ts';
import type { SheetBookings } from '../engine/outside-booking.ts';

/** Copies of copies that an entry remembers. */
const REMEMBERED_MAX = 10;

interface Parts {
  readonly mappings: readonly SheetBookings[];
  readonly memory: Pick<RedisMemory, 'get' | 'setUnder'>;
}

export class FormerSpreadsheets {
  readonly #parts: Parts;
  /** By entry, the newest spreadsheet first. */
  readonly #remembered = new Map<SheetBookings, readonly string[]>();
  /** Entries that the YAML reads otherwise than at their last look: what their rows say now need not be what people meant. */
  readonly reread = new Set<SheetBookings>();
  /** Entries whose rules are stored. */
  readonly #stored = new Set<SheetBookings>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Call it in each poll before the rows are judged. */
  async look(mappings: readonly SheetBookings[]): Promise<void> {
    for (const mapping of mappings) {
      // Until then, another process may have looked.
      if (!this.#stored.has(mapping)) {
        const [before, rules] = [await this.#parts.memory.get(rulesFactOf(mapping)), rulesOf(mapping)];
        if (before === rules) this.#stored.add(mapping);
        this.reread[before === undefined || before === rules ? 'delete' : 'add'](mapping);
      }
      if (this.#remembered.get(mapping)?.[0] === mapping.spreadsheetId) continue;
      const text = await this.#parts.memory.get(factOf(mapping));
      this.#remembered.set(mapping, text === undefined ? [] : (JSON.parse(text) as readonly string[]));
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
    const isKept =
      this.#stored.has(mapping) ||
      (await this.#parts.memory.setUnder(lease, { [rulesFactOf(mapping)]: rulesOf(mapping) }));
    if (isKept) {
      this.#stored.add(mapping);
      this.reread.delete(mapping);
    }
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

function rulesFactOf({ name }: SheetBookings): string {
  return `intake-rules ${name}`;
}

/** Names all that decides what a row says. Whether it is ready is asked for elsewhere. */
function rulesOf(mapping: SheetBookings): string {
  const { timezone, dateFormats, columns, service, resource, branch, duration, guests } = mapping;
  const { customer, comment, region } = mapping;
  const templates = [service, resource, branch, duration, guests, customer, comment, region];
  return contentHash([timezone, dateFormats, { ...columns, ready: undefined }, templates]);
}
