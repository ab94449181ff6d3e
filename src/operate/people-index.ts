// Finds objects by the names, phones and e-mails in them, for searches in the console. The index is in memory, because Redis has no index
// of texts. The first search builds it, the journal keeps it current, and it is dropped when nobody searches any more.

import { bookingIdOf, calendarOrigin, objectOf } from '../engine/ids.ts';
import type { Journal } from '../engine/intake-store.ts';
import type { KnownObjects, Ledger } from '../engine/ledger.ts';
import {
  ENTITY_KINDS,
  type EntityKey,
  type EntityKind,
  formatKey,
  inParts,
  isShortId,
  parseKey,
  type Snapshot,
} from '../engine/object.ts';
import { FOUND_BY_DIGITS } from '../engine/person.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import { localDate } from '../engine/zone-parts.ts';

/** What a user typed; all of it must match. Digits belong to a phone number. Words belong to a name or an e-mail address, in lower case. */
export interface PersonAsked {
  readonly digits?: string;
  readonly words?: readonly string[];
  /** Day on which the appointment begins, on the clock of its branch: 2026-11-24. */
  readonly day?: string;
}

/** Most objects in the index; further ones are not found by name. */
const OBJECTS_MAX = 300_000;
/** Age at which everything is read again: objects that only a list has shown are in no journal. */
const REBUILD_AFTER_MS = 10 * 60_000;
/** Most changes that are read one by one; for more, everything is read again. */
const CATCH_UP_MAX = 5_000;
/** How many changes are read in one step. */
const CATCH_UP_AT_ONCE = 100;
/** How far the clock of Redis, which the journal uses, may be behind this one. */
const CLOCKS_APART_MS = 60_000;
/** How long the index is kept after the last search. */
const FORGET_AFTER_MS = 15 * 60_000;
/** Longest text of one object that is indexed. */
const TEXT_CHARS_MAX = 300;
const BLOCK_ENTRIES = 250;
const KINDS: readonly EntityKind[] = ['contact', 'appointment', 'lead'];

interface Entry {
  /** Local day on which an appointment starts; empty for other kinds. */
  readonly day: string;
  readonly text: string;
  readonly digits: string;
}

/** Some entries together: one look at all their texts is enough to skip most blocks. */
interface Block {
  readonly entries: Map<string, Entry>;
  /** All texts and digits; built again by the first search after a change. */
  haystack: string | undefined;
}

interface Index {
  readonly blocks: Block[];
  readonly blockOf: Map<string, Block>;
  /** By the `steady` clock. */
  readonly builtAtMs: number;
  /** The newest entry of the journal that was read, by the journal's own clock. */
  readUntilMs: number;
}

export interface IndexParts {
  readonly known: Pick<KnownObjects, 'each'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly journal: Pick<Journal, 'between'>;
  /** Objects that are no persons. Default: none. */
  readonly isHidden?: (claim: Claim) => boolean;
  readonly clock: Clock;
  /** For durations. */
  readonly steady: Clock;
  /** The zone in which an appointment takes place; undefined when it is unknown. */
  readonly zoneOf: (snapshot: Snapshot) => string;
}

/** Objects that name a person. */
export class PeopleIndex {
  readonly #parts: IndexParts;
  #index: Index | undefined;
  #building: Promise<Index> | undefined;
  #forgetting: NodeJS.Timeout | undefined;

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** At most `limit` objects; if there are more, the choice is arbitrary. */
  async search(asked: PersonAsked, limit: number): Promise<readonly EntityKey[]> {
    this.#remember();
    const { blocks } = await this.#current();
    const needle = needleOf(asked);
    const found: EntityKey[] = [];
    for (const block of blocks) {
      if (!haystackOf(block).includes(needle)) continue;
      for (const [name, entry] of block.entries) {
        const key = isMeant(entry, asked) ? parseKey(name) : undefined;
        if (key !== undefined) found.push(key);
        if (found.length >= limit) return this.#stillKnown(found);
      }
    }
    return this.#stillKnown(found);
  }

  /** The journal says nothing about erased people, so every result is checked. */
  async #stillKnown(found: readonly EntityKey[]): Promise<readonly EntityKey[]> {
    const claims = await Promise.all(found.map((key) => this.#parts.view.peek(key)));
    return found.filter((key, nth) => {
      if (claims[nth] !== undefined) return true;
      if (this.#index !== undefined) this.#put(this.#index, formatKey(key), undefined);
      return false;
    });
  }

  /** A search may follow soon. Resolves when it will be fast. */
  async prepare(): Promise<void> {
    this.#remember();
    if (this.#index === undefined || this.#isOld(this.#index)) await this.#build();
  }

  #remember(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => this.forget(), FORGET_AFTER_MS).unref();
  }

  #isOld({ builtAtMs }: Index): boolean {
    return this.#parts.steady.now() - builtAtMs > REBUILD_AFTER_MS;
  }

  forget(): void {
    clearTimeout(this.#forgetting);
    this.#index = undefined;
  }

  async #current(): Promise<Index> {
    const index = this.#index;
    if (index === undefined) return this.#build();
    const isCaughtUp = await this.#catchUp(index);
    if (!isCaughtUp) return this.#build();
    // What no journal shows may be a little older: no search waits for it.
    if (this.#isOld(index)) this.#build().catch(() => undefined);
    return index;
  }

  /** Searches at the same time share one build. */
  #build(): Promise<Index> {
    this.#building ??= this.#read().finally(() => {
      this.#building = undefined;
    });
    return this.#building;
  }

  async #read(): Promise<Index> {
    const nowMs = this.#parts.clock.now();
    // The scan shows everything that is in the journal before it begins: only later entries have to be caught up with.
    const index: Index = {
      ...{ blocks: [], blockOf: new Map(), builtAtMs: this.#parts.steady.now() },
      readUntilMs: await this.#newestSince(nowMs - CLOCKS_APART_MS),
    };
    for (const kind of KINDS) {
      await this.#parts.known.each(kind, async (claims) => {
        for (const claim of claims) this.#put(index, formatKey(claim.key), claim);
      });
    }
    for (const block of index.blocks) haystackOf(block);
    this.#index = index;
    return index;
  }

  /** By the journal's own clock; `fromMs` when the journal has nothing newer. */
  async #newestSince(fromMs: number): Promise<number> {
    let newestMs = fromMs;
    for await (const { atMs } of this.#parts.journal.between({ fromMs, toMs: Number.MAX_SAFE_INTEGER }))
      newestMs = Math.max(newestMs, atMs);
    return newestMs;
  }

  /** False when too much has changed since. */
  async #catchUp(index: Index): Promise<boolean> {
    const changed = new Set<string>();
    let untilMs = index.readUntilMs;
    const bounds = { fromMs: untilMs, toMs: Number.MAX_SAFE_INTEGER };
    for await (const { key, atMs } of this.#parts.journal.between(bounds)) {
      if (KINDS.includes(key.kind)) changed.add(formatKey(key));
      if (changed.size > CATCH_UP_MAX) return false;
      untilMs = Math.max(untilMs, atMs);
    }
    for (const some of inParts([...changed], CATCH_UP_AT_ONCE))
      await Promise.all(
        some.map(async (name) => {
          const key = parseKey(name);
          this.#put(index, name, key === undefined ? undefined : await this.#parts.view.peek(key));
        }),
      );
    index.readUntilMs = untilMs;
    return true;
  }

  #put(index: Index, name: string, claim: Claim | undefined): void {
    const { snapshot } = claim ?? {};
    const isGone = claim === undefined || claim.deleted || snapshot === undefined;
    const known = index.blockOf.get(name);
    if (isGone || this.#parts.isHidden?.(claim) === true) {
      known?.entries.delete(name);
      index.blockOf.delete(name);
      if (known !== undefined) known.haystack = undefined;
      return;
    }
    if (known === undefined && index.blockOf.size >= OBJECTS_MAX) return;
    const block = known ?? roomIn(index);
    block.entries.set(name, entryOf(snapshot, this.#parts.zoneOf));
    block.haystack = undefined;
    index.blockOf.set(name, block);
  }
}

function roomIn({ blocks }: Index): Block {
  const last = blocks.at(-1);
  if (last !== undefined && last.entries.size < BLOCK_ENTRIES) return last;
  const block: Block = { entries: new Map(), haystack: undefined };
  blocks.push(block);
  return block;
}

function haystackOf(block: Block): string {
  block.haystack ??= [...block.entries.values()].map(({ text, digits }) => `${text}\n${digits}`).join('\n');
  return block.haystack;
}

/** A text that every match contains: the last digits of the phone, or the longest word, which the fewest objects have. */
function needleOf({ digits, words = [] }: PersonAsked): string {
  if (digits !== undefined) return digits.slice(-FOUND_BY_DIGITS);
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

function entryOf(snapshot: Snapshot, zoneOf: IndexParts['zoneOf']): Entry {
  const text = (...fields: readonly string[]) =>
    fields
      .flatMap((field) => (typeof snapshot[field] === 'string' ? [snapshot[field]] : []))
      .join(' ')
      .slice(0, TEXT_CHARS_MAX);
  const startsAt = text('starts_at');
  return {
    text: text('name', 'customer_name', 'email', 'customer_email').toLowerCase(),
    digits: text('phone', 'customer_phone').replaceAll(/\D/g, ''),
    day: startsAt === '' ? '' : localDate(Date.parse(startsAt), zoneOf(snapshot)),
  };
}

function isMeant(entry: Entry, { digits, words, day }: PersonAsked): boolean {
  if (day !== undefined && entry.day !== day) return false;
  if (digits !== undefined && !entry.digits.includes(digits.slice(-FOUND_BY_DIGITS))) return false;
  return words === undefined || words.every((word) => entry.text.includes(word));
}

/**
 * The objects that an id may mean, each once. It may be the object's own id, which is also in its row's key column. Or it is the id of an
 * event, of the platform or of a calendar. `what` narrows the search: `event`, `row`, or `any`. The beginning of an id is enough if nothing
 * has that whole id: pages and lists print ids shortened.
 */
export async function findObjects(
  parts: {
    readonly view: Ledger;
    readonly journal: Journal;
    /** Calendars in which people book. */
    readonly calendars: readonly string[];
    readonly search?: { objectsBeginning(id: string): Promise<readonly string[]> };
  },
  what: string,
  id: string,
): Promise<readonly EntityKey[]> {
  const found: EntityKey[] = [];
  if (what !== 'event') found.push(...(await ownIds(parts.view, id)));
  if (what !== 'row') {
    const shown = objectOf(id);
    if (shown !== undefined) found.push(shown);
    found.push(...(await bookingsBy(parts, id)));
    const ofEvent = await parts.journal.objectOf(id);
    if (ofEvent !== undefined) found.push(ofEvent);
  }
  if (found.length === 0 && isShortId(id))
    found.push(
      ...((await parts.search?.objectsBeginning(id.toLowerCase())) ?? []).flatMap(
        (name) => parseKey(name) ?? [],
      ),
    );
  return [...new Map(found.map((key) => [formatKey(key), key])).values()];
}

/** Several calendars may contain the same event id. */
async function bookingsBy(
  { view, calendars }: { readonly view: Ledger; readonly calendars: readonly string[] },
  eventId: string,
): Promise<readonly EntityKey[]> {
  const keys = calendars.map((calendarId): EntityKey => {
    return { kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) };
  });
  const known = await Promise.all(keys.map((key) => view.peek(key)));
  return keys.filter((_, at) => known[at] !== undefined);
}

async function ownIds(view: Ledger, id: string): Promise<readonly EntityKey[]> {
  const keys = ENTITY_KINDS.map((kind): EntityKey => ({ kind, id }));
  const known = await Promise.all(keys.map((key) => view.peek(key)));
  return keys.filter((_, at) => known[at] !== undefined);
}
