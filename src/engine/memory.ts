import { CHANGE_FIELD } from './changes.ts';
import type { KeySpace } from './key-space.ts';
import type { LeaseProof } from './leases.ts';
import type { RedisClient } from './redis-client.ts';
import { Batch, replyWithin } from './redis-script.ts';
import { fencedSet } from './work-store.ts';

/** Small facts about this installation that outlive a restart. */
export interface Memory {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  forget(name: string): Promise<void>;
  /** Names that begin with `prefix`, without it. */
  all(prefix: string): Promise<ReadonlyMap<string, string>>;
}

/** Memory for facts that another process may forget meanwhile. */
export interface SharedMemory extends Memory {
  /** Writes `next` only if the fact is still `was`. */
  change(name: string, to: { readonly was: string; readonly next: string }): Promise<void>;
}

/** Facts per call; few are asked for at once. */
const READ_AT_ONCE_MAX = 100;

/**
 * Memory for facts that only the holder of a lease may write.
 *
 * Small facts about this installation that outlive a restart: learned names, known tabs, the hash of the mapping.
 */
export class RedisMemory implements SharedMemory {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  /** Loops that wake together, and turns that begin together, ask in one command. */
  readonly #reads = new Batch<string, string | null>({
    run: (names) => replyWithin(this.#redis.hmget(this.#keys.memory, ...names)),
    atOnceMax: READ_AT_ONCE_MAX,
  });

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.#reads.ask(name)) ?? undefined;
  }

  async set(name: string, value: string): Promise<void> {
    await replyWithin(this.#redis.hset(this.#keys.memory, name, value));
  }

  /** Writes all of them in one step; an empty value forgets. False if the lease no longer holds: nothing was written. */
  async setUnder(lease: LeaseProof, facts: Readonly<Record<string, string>>): Promise<boolean> {
    const parts = { redis: this.#redis, keys: this.#keys };
    return fencedSet(parts, lease, { key: this.#keys.memory, pairs: Object.entries(facts).flat() });
  }

  async change(name: string, { was, next }: { readonly was: string; readonly next: string }): Promise<void> {
    const given = { keys: { hash: this.#keys.memory }, args: { field: name, was, next } };
    await CHANGE_FIELD.run(this.#redis, given);
  }

  async forget(name: string): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.memory, name));
  }

  async all(prefix: string): Promise<ReadonlyMap<string, string>> {
    const fields = await replyWithin(this.#redis.hgetall(this.#keys.memory));
    const entries = Object.entries(fields).filter(([name]) => name.startsWith(prefix));
    return new Map(entries.map(([name, value]) => [name.slice(prefix.length), value]));
  }
}
