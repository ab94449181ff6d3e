import type { StateSearch, StoredText } from '../../ports/operator.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { scanKeys } from './scan-keys.ts';
import { answered } from './script.ts';

/** Members per read of a list, hash, set or stream. */
const PART = 500;

/** Every key of this installation and everything stored under it, in parts, so that Redis is never blocked. */
export class RedisStateSearch implements StateSearch {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async *all(): AsyncGenerator<StoredText> {
    for await (const names of scanKeys(this.#redis, this.#keys.everything))
      for (const key of names) yield* this.#of(key);
  }

  async *#of(key: string): AsyncGenerator<StoredText> {
    const name = key.slice(this.#keys.everything.length);
    yield { key: name, text: name };
    for await (const text of this.#texts(key)) yield { key: name, text };
  }

  async *#texts(key: string): AsyncGenerator<string> {
    const type = await answered(this.#redis.type(key));
    if (type === 'string') yield (await answered(this.#redis.get(key))) ?? '';
    if (type === 'hash') yield* this.#scanned((cursor) => this.#redis.hscan(key, cursor, 'COUNT', PART));
    if (type === 'set') yield* this.#scanned((cursor) => this.#redis.sscan(key, cursor, 'COUNT', PART));
    if (type === 'zset') yield* this.#scanned((cursor) => this.#redis.zscan(key, cursor, 'COUNT', PART));
    if (type === 'list') {
      for (let from = 0; ; from += PART) {
        const part = await answered(this.#redis.lrange(key, from, from + PART - 1));
        yield* part;
        if (part.length < PART) return;
      }
    }
    if (type === 'stream') {
      for (let from = '-'; ; ) {
        const part = await answered(this.#redis.xrange(key, from, '+', 'COUNT', PART));
        for (const [, fields] of part) yield fields.join(' ');
        const last = part.at(-1)?.[0];
        if (part.length < PART || last === undefined) return;
        from = `(${last}`;
      }
    }
  }

  async *#scanned(page: (cursor: string) => Promise<[string, string[]]>): AsyncGenerator<string> {
    let cursor = '0';
    do {
      const [next, members] = await answered(page(cursor));
      yield* members;
      cursor = next;
    } while (cursor !== '0');
  }
}
