import type { Clock } from '../ports/clock.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered } from './script.ts';

/** Until when nobody may call somebody, shared by all processes. The newest word counts, also when it is a shorter one. */
export class RedisPauseStore {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; name: string }) {
    this.#redis = parts.redis;
    this.#key = parts.keys.pause(parts.name);
    this.#clock = parts.clock;
  }

  /** Epoch milliseconds; 0 when there is no pause. */
  async until(): Promise<number> {
    return Number((await answered(this.#redis.get(this.#key))) ?? 0);
  }

  async pause(untilMs: number): Promise<void> {
    const ttlMs = Math.ceil(untilMs - this.#clock.now());
    if (ttlMs > 0) await answered(this.#redis.set(this.#key, String(Math.ceil(untilMs)), 'PX', ttlMs));
  }
}
