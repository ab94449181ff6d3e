import type { KeySpace } from '../engine/key-space.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { replyWithin } from '../engine/redis-script.ts';

/**
 * How long no process may call, shared by all processes and measured by Redis. The newest pause replaces the last one, even if it is
 * shorter.
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
    return Math.max(0, await replyWithin(this.#redis.pttl(this.#key)));
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await replyWithin(this.#redis.set(this.#key, '', 'PX', Math.ceil(ms)));
  }
}
