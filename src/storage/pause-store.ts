import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered } from './script.ts';

/** Until when nobody may call somebody, shared by all processes. */
export class RedisPauseStore {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(parts: { redis: RedisClient; keys: KeySpace; name: string }) {
    this.#redis = parts.redis;
    this.#key = parts.keys.pause(parts.name);
  }

  /** Epoch milliseconds; 0 when there is no pause. */
  async until(): Promise<number> {
    return Number((await answered(this.#redis.get(this.#key))) ?? 0);
  }

  async pause(untilMs: number): Promise<void> {
    const ttlMs = Math.max(1, untilMs - Date.now());
    await answered(this.#redis.set(this.#key, untilMs, 'PX', ttlMs));
  }
}
