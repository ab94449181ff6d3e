import { type AlertBook, EMPTY_BOOK } from '../../engine/domain/alert.ts';
import type { LeaseProof } from '../../engine/ports/leases.ts';
import type { AlertStore } from '../../engine/ports/operator.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import { fencedSet } from '../../engine/store/fenced-set.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin } from '../../engine/store/script.ts';

/** The book of alerts in Redis. */
export class RedisAlertStore implements AlertStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async read(): Promise<AlertBook> {
    const text = await replyWithin(this.#redis.hget(this.#keys.alerts, 'book'));
    return text === null ? EMPTY_BOOK : { ...EMPTY_BOOK, ...(JSON.parse(text) as Partial<AlertBook>) };
  }

  async save(book: AlertBook, lease: LeaseProof): Promise<boolean> {
    const pairs = ['book', JSON.stringify(book)];
    const parts = { redis: this.#redis, keys: this.#keys };
    return fencedSet(parts, lease, { key: this.#keys.alerts, pairs });
  }
}
