import type { KeySpace } from '../core/key-space.ts';
import { answered } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/**
 * For how long nobody may call somebody, shared by all processes and measured by Redis. The newest word counts, also when it is a
 * shorter one.
 */
export class RedisPauseStore {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(parts: { redis: RedisClient; keys: KeySpace; name: string }) {
    this.#redis = parts.redis;
    this.#key = parts.keys.pause(parts.name);
  }

  /** Milliseconds until it ends; 0 when there is no pause. */
  async leftMs(): Promise<number> {
    return Math.max(0, await answered(this.#redis.pttl(this.#key)));
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await answered(this.#redis.set(this.#key, '', 'PX', Math.ceil(ms)));
  }
}
