import type { LeaseProof } from '../ports/leases.ts';
import type { LeasedMemory, SharedMemory } from '../ports/memory.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { CHANGE_FIELD } from './change-field.ts';
import { fencedSet } from './fenced-set.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin } from './script.ts';

/** Small facts about this installation that outlive a restart: learned names, known tabs, the hash of the mapping. */
export class RedisMemory implements LeasedMemory, SharedMemory {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async get(name: string): Promise<string | undefined> {
    return (await replyWithin(this.#redis.hget(this.#keys.memory, name))) ?? undefined;
  }

  async set(name: string, value: string): Promise<void> {
    await replyWithin(this.#redis.hset(this.#keys.memory, name, value));
  }

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
