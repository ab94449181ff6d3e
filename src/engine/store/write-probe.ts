import { RetryableError } from '../domain/errors.ts';
import type { Problem } from '../domain/work.ts';
import type { Clock } from '../ports/runtime.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { type RedisRefusal, redisRefusalOf } from '../redis/redis-refusal.ts';
import type { KeySpace } from './key-space.ts';
import { Script } from './script.ts';

const PROBE_TTL_MS = 10_000;

/**
 * Checks whether Redis accepts writes. A Redis that is full, cannot save to its disk, has become a replica, or forbids scripts answers every
 * read and keeps nothing. Only a write shows that. Rejects with `RetryableError` `store-unavailable` when there is no answer at all.
 */
export class WriteProbe {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  #refusedSinceMs: number | undefined;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** In the form of the problem board, which cannot be written then; undefined while Redis accepts writes. */
  async problem(): Promise<Problem | undefined> {
    const refusal = await this.#refusal();
    if (refusal === undefined) {
      this.#refusedSinceMs = undefined;
      return undefined;
    }
    const lastAtMs = this.#clock.now();
    this.#refusedSinceMs ??= lastAtMs;
    const { answer, advice, isForbidden } = refusal;
    return {
      target: 'redis',
      code: isForbidden ? 'redis-rights-missing' : 'redis-takes-no-writes',
      message: `Redis refuses to write (${answer}): nothing is taken in, webhooks are answered 503, and the platform sends them again`,
      advice,
      sinceMs: this.#refusedSinceMs,
      lastAtMs,
    };
  }

  async #refusal(): Promise<RedisRefusal | undefined> {
    try {
      await PROBE.run(this.#redis, [this.#keys.writable], [PROBE_TTL_MS]);
      return undefined;
    } catch (error) {
      const refusal = error instanceof RetryableError ? redisRefusalOf(error.cause) : undefined;
      if (refusal === undefined) throw error;
      return refusal;
    }
  }
}

/** A script, because everything durable is written by one. */
const PROBE = new Script(`return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])`);
