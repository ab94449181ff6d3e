// The mark of the mapping in Redis: which YAML the processes work by, and whether a changed one has been taken up.

import type { BlockRule } from './block.ts';
import type { CoverageStore } from './coverage-store.ts';
import type { Feed } from './feed.ts';
import type { LeaseProof } from './leases.ts';
import type { RedisMemory } from './memory.ts';
import type { Mirror } from './mirror.ts';
import { contentHash } from './object.ts';
import type { BookingSource } from './outside-booking.ts';
import type { Clock } from './runtime.ts';
import { STATE_VERSION } from './state-search.ts';
import { MAPPING_HASH } from './work-store.ts';

/** Replaces the hash while a changed mapping is taken up, so that no worker goes by the former one. */
const CHANGING = 'changing';

interface MappingMarkParts {
  readonly mirrors: readonly Mirror[];
  readonly bookings: readonly BookingSource[];
  readonly feeds: readonly Feed[];
  /** Two processes with different entries would book and cancel against each other. */
  readonly blocks: readonly BlockRule[];
  readonly memory: RedisMemory;
  readonly coverage: Pick<CoverageStore, 'putHole'>;
  /** Renders every row of a kind again. */
  readonly outbox: { renderAgain(kind: 'lead'): Promise<void> };
  readonly clock: Clock;
}

export class MappingMark {
  readonly #parts: MappingMarkParts;
  /** The mark as version 1 of the state had it. */
  readonly #former: string;
  /** Names the version of the state: a worker of an older one takes it for another mapping, and leaves the work to this one. */
  readonly #hash: string;

  constructor(parts: MappingMarkParts) {
    this.#parts = parts;
    const { mirrors, bookings, feeds, blocks } = parts;
    // Absent parts leave the hash as it always was, because an update of the worker must not look like an edit of the YAML.
    const before = bookings.length === 0 ? mirrors : { mirrors, bookings };
    const without = feeds.length === 0 ? before : { mirrors, bookings, feeds };
    this.#former = contentHash(blocks.length === 0 ? without : { mirrors, bookings, feeds, blocks });
    this.#hash = `${STATE_VERSION} ${this.#former}`;
  }

  /** False before the first start, and after Redis was wiped. */
  async isKnown(): Promise<boolean> {
    return (await this.#parts.memory.get(MAPPING_HASH)) !== undefined;
  }

  async whose(): Promise<'own' | 'another' | 'none'> {
    const known = await this.#parts.memory.get(MAPPING_HASH);
    if (known === undefined) return 'none';
    return this.hashes.includes(known) ? 'own' : 'another';
  }

  /** The marks under which this worker works: see `isCurrent`. */
  get hashes(): readonly string[] {
    return [this.#hash, this.#former];
  }

  /**
   * False once a worker with another mapping has started, because this one would write what the YAML used to say. Also false after a wipe
   * of Redis, until the events in the calendars are known again: an unknown event would be taken for a person's.
   */
  readonly isCurrent = async (): Promise<boolean> => (await this.whose()) === 'own';

  /**
   * Takes up this mapping. If another one was known, opens a hole that has everything reconciled, and returns true. With `lease`, the mark
   * is stored only while the lease is held, because the mark confirms what was done under it.
   */
  async take(lease?: LeaseProof): Promise<boolean> {
    const { mirrors, memory, coverage, outbox, clock } = this.#parts;
    const known = await memory.get(MAPPING_HASH);
    if (known === this.#hash) return false;
    if (known !== undefined && known !== this.#former) {
      // First: a worker with the former mapping must not start a turn after the steps below, and settle it.
      await this.#mark(CHANGING, lease);
      // The hole's resync brings everything again except leads, which are on no list of the platform.
      const hasLeads = mirrors.some((mirror) => mirror.kind === 'sheet' && mirror.from === 'lead');
      if (hasLeads) await outbox.renderAgain('lead');
      const now = clock.now();
      const about = { source: 'mapping', cause: 'mapping-changed', fromMs: now, toMs: now } as const;
      await coverage.putHole({ id: `mapping-${now}`, ...about, foundAtMs: now });
    }
    await this.#mark(this.#hash, lease);
    return known !== undefined && known !== this.#former;
  }

  async #mark(value: string, lease: LeaseProof | undefined): Promise<void> {
    const { memory } = this.#parts;
    if (lease === undefined) await memory.set(MAPPING_HASH, value);
    else await memory.setUnder(lease, { [MAPPING_HASH]: value });
  }
}
