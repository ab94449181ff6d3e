// Objects by the names, phones and e-mails in them, for whoever searches in the console. Kept in memory, because Redis has no index of
// texts; made when somebody searches, kept current by the journal, and forgotten when nobody does any more.
import { type EntityKey, type EntityKind, formatKey, parseKey } from '../domain/entity.ts';
import type { Claim } from '../domain/work.ts';
import type { PeopleSearch, PersonAsked } from '../ports/console.ts';
import type { Journal } from '../ports/intake.ts';
import type { Clock } from '../ports/runtime.ts';
import type { KnownObjects, ObjectView } from '../ports/work.ts';

/** Objects that are remembered; more are not found by name. */
const OBJECTS_MAX = 300_000;
/** Objects that only a list has shown stand in no journal: after so long everything is read again. */
const REBUILD_AFTER_MS = 10 * 60_000;
/** Changes that are read one by one; for more everything is read again. */
const CATCH_UP_MAX = 5_000;
const CATCH_UP_AT_ONCE = 100;
/** The journal goes by the clock of Redis, which may be as much behind this one. */
const CLOCKS_APART_MS = 60_000;
/** Without a search. */
const FORGET_AFTER_MS = 15 * 60_000;
const TEXT_CHARS_MAX = 300;
const KINDS: readonly EntityKind[] = ['contact', 'appointment', 'lead'];

interface Entry {
  readonly text: string;
  readonly digits: string;
}

interface Index {
  readonly entries: Map<string, Entry>;
  readonly builtAtMs: number;
  /** The newest entry of the journal that was read, by its own clock. */
  readUntilMs: number;
}

export interface IndexParts {
  readonly known: Pick<KnownObjects, 'each'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly journal: Pick<Journal, 'between'>;
  /** Objects that stand for nobody. Default: none. */
  readonly isHidden?: (claim: Claim) => boolean;
  readonly clock: Clock;
}

export class PeopleIndex implements PeopleSearch {
  readonly #parts: IndexParts;
  #index: Index | undefined;
  #building: Promise<Index> | undefined;
  #forgetting: NodeJS.Timeout | undefined;

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  async search(asked: PersonAsked, limit: number): Promise<readonly EntityKey[]> {
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => this.forget(), FORGET_AFTER_MS).unref();
    const { entries } = await this.#current();
    const found: EntityKey[] = [];
    for (const [name, entry] of entries) {
      const key = isMeant(entry, asked) ? parseKey(name) : undefined;
      if (key !== undefined) found.push(key);
      if (found.length >= limit) break;
    }
    return this.#stillKnown(found);
  }

  /** Who was erased stands in no journal. */
  async #stillKnown(found: readonly EntityKey[]): Promise<readonly EntityKey[]> {
    const claims = await Promise.all(found.map((key) => this.#parts.view.peek(key)));
    return found.filter((key, nth) => {
      if (claims[nth] !== undefined) return true;
      this.#index?.entries.delete(formatKey(key));
      return false;
    });
  }

  forget(): void {
    clearTimeout(this.#forgetting);
    this.#index = undefined;
  }

  async #current(): Promise<Index> {
    const index = this.#index;
    if (index === undefined || this.#parts.clock.now() - index.builtAtMs > REBUILD_AFTER_MS)
      return this.#build();
    return (await this.#catchUp(index)) ? index : this.#build();
  }

  /** Many who search at once share one reading. */
  #build(): Promise<Index> {
    this.#building ??= this.#read().finally(() => {
      this.#building = undefined;
    });
    return this.#building;
  }

  async #read(): Promise<Index> {
    const nowMs = this.#parts.clock.now();
    const index: Index = { entries: new Map(), builtAtMs: nowMs, readUntilMs: nowMs - CLOCKS_APART_MS };
    for (const kind of KINDS) {
      await this.#parts.known.each(kind, async (claims) => {
        for (const claim of claims) this.#put(index, formatKey(claim.key), claim);
      });
    }
    this.#index = index;
    return index;
  }

  /** False when too much has happened since. */
  async #catchUp(index: Index): Promise<boolean> {
    const changed = new Set<string>();
    let untilMs = index.readUntilMs;
    const bounds = { fromMs: untilMs, toMs: Number.MAX_SAFE_INTEGER };
    for await (const { key, atMs } of this.#parts.journal.between(bounds)) {
      if (KINDS.includes(key.kind)) changed.add(formatKey(key));
      if (changed.size > CATCH_UP_MAX) return false;
      untilMs = Math.max(untilMs, atMs);
    }
    const names = [...changed];
    for (let at = 0; at < names.length; at += CATCH_UP_AT_ONCE) {
      await Promise.all(
        names.slice(at, at + CATCH_UP_AT_ONCE).map(async (name) => {
          const key = parseKey(name);
          this.#put(index, name, key === undefined ? undefined : await this.#parts.view.peek(key));
        }),
      );
    }
    index.readUntilMs = untilMs;
    return true;
  }

  #put({ entries }: Index, name: string, claim: Claim | undefined): void {
    const { snapshot } = claim ?? {};
    const isGone = claim === undefined || claim.deleted || snapshot === undefined;
    if (isGone || this.#parts.isHidden?.(claim) === true) entries.delete(name);
    else if (entries.size < OBJECTS_MAX || entries.has(name)) entries.set(name, entryOf(snapshot));
  }
}

function entryOf(snapshot: Readonly<Record<string, unknown>>): Entry {
  const text = (...fields: readonly string[]) =>
    fields
      .flatMap((field) => (typeof snapshot[field] === 'string' ? [snapshot[field]] : []))
      .join(' ')
      .slice(0, TEXT_CHARS_MAX);
  return {
    text: text('name', 'customer_name', 'email', 'customer_email').toLowerCase(),
    digits: text('phone', 'customer_phone').replaceAll(/\D/g, ''),
  };
}

/** A number is typed with and without the code of its country: its last ten digits decide. */
const PHONE_DIGITS = 10;

function isMeant({ text, digits }: Entry, asked: PersonAsked): boolean {
  if ('digits' in asked) return digits.includes(asked.digits.slice(-PHONE_DIGITS));
  return asked.words.every((word) => text.includes(word));
}
