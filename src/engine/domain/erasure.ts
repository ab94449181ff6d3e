import type { PersonTerms } from './person.ts';

/** Whom to erase. The worker keeps the order from before the first write until the end. */
export interface ErasureOrder {
  readonly contactId: string;
  /** `formatKey` of every object that is about this person only. */
  readonly keys: readonly string[];
  readonly terms: PersonTerms;
  /** Epoch milliseconds. */
  readonly begunAtMs: number;
  /** What all runs have erased so far. */
  readonly erased: Erased;
}

/** Counts of what was erased, by kind. `keys`: counts by family of Redis keys. */
export interface Erased {
  readonly events: number;
  /** Events rewritten to no longer show the person: people's own events, and class events that named the person. */
  readonly rewritten: number;
  readonly cells: number;
  readonly keys: Readonly<Record<string, number>>;
  /** Rows of others that may have lost cells while people moved them. The receipt lists them as left. */
  readonly moved?: readonly MovedRow[];
}

export interface MovedRow {
  readonly kind: 'row';
  readonly where: string;
  readonly name: string;
  readonly by: readonly [];
  readonly why: 'moved';
}

export const NOTHING_ERASED: Erased = { events: 0, rewritten: 0, cells: 0, keys: {} };

/** Proof that names no one: places and persons are salted hashes. */
export interface ErasureReceipt {
  readonly version: 1;
  readonly person: string;
  readonly begun: string;
  /** When the last check began that found nothing more to erase. ISO 8601. */
  readonly verified: string;
  readonly erased: Erased;
  /** What was left: it may be someone else's, belongs to another object, or cannot be written (`why`). */
  readonly left: readonly {
    readonly place: string;
    readonly kind: string;
    readonly by: readonly string[];
    readonly why?: string;
  }[];
  /** What the person was recognised by. Places that contain none of it were not found. */
  readonly recognisedBy: readonly ('id' | 'phone' | 'email' | 'name')[];
  readonly outOfReach: readonly string[];
}

export function addErased(a: Erased, b: Partial<Erased>): Erased {
  const keys: Record<string, number> = { ...a.keys };
  for (const [family, count] of Object.entries(b.keys ?? {})) keys[family] = (keys[family] ?? 0) + count;
  const moved = [...(a.moved ?? []), ...(b.moved ?? [])];
  return {
    ...(moved.length === 0 ? {} : { moved }),
    events: a.events + (b.events ?? 0),
    rewritten: a.rewritten + (b.rewritten ?? 0),
    cells: a.cells + (b.cells ?? 0),
    keys,
  };
}
