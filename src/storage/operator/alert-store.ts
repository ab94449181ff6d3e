import { type AlertBook, EMPTY_BOOK } from '../../domain/alert.ts';
import type { LeaseProof } from '../../ports/leases.ts';
import type { AlertStore } from '../../ports/operator.ts';
import { fencedSet } from '../core/fenced-set.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

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
