import type { Change, Changes } from '../ports/console.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { CHANGES_MAX, readEntry } from './history.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin } from './script.ts';

/** Entries per read. Redis trims a stream by whole nodes of a hundred entries. */
const READ_MAX = CHANGES_MAX + 200;

/** The changes of all objects in Redis: a stream that the scripts which write histories append to. */
export class RedisChanges implements Changes {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async newest(limit: number): Promise<readonly Change[]> {
    const found = await replyWithin(this.#redis.xrevrange(this.#keys.changes, '+', '-', 'COUNT', limit));
    return found.reverse().flatMap(toChange);
  }

  async after(id: string): Promise<readonly Change[]> {
    const found = await replyWithin(this.#redis.xrange(this.#keys.changes, `(${id}`, '+', 'COUNT', READ_MAX));
    return found.flatMap(toChange);
  }
}

function toChange([id, flat]: readonly [string, readonly string[]]): readonly Change[] {
  const [, nth, , key = '', , entry] = flat;
  return entry === undefined ? [] : [{ at: { id, nth: Number(nth) }, key, entry: readEntry(entry) }];
}
