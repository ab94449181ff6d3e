import type { Clock } from '../ports/clock.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered, Script } from './script.ts';

/** A shorter pause never ends a longer one. */
const PAUSE = new Script(`
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
`);

/** Until when nobody may call somebody, shared by all processes. */
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
    if (ttlMs > 0) await PAUSE.run(this.#redis, [this.#key], [Math.ceil(untilMs), ttlMs]);
  }
}
