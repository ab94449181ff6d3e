import type { PutOffTurns } from '../../ports/work.ts';
import type { KeySpace } from '../core/key-space.ts';
import { Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Keys per call, because a running script blocks every other caller. */
const RECALLED_AT_ONCE = 500;

const RECALL = new Script(`
local dirty, now, beyond = KEYS[1], ARGV[1], ARGV[2]
local keys = redis.call('ZRANGEBYSCORE', dirty, '(' .. beyond, '+inf', 'LIMIT', 0, ARGV[3])
for _, key in ipairs(keys) do redis.call('ZADD', dirty, 'XX', now, key) end
return #keys
`);

/** The part of the dirty set whose next attempt is in the future. */
export class RedisPutOffTurns implements PutOffTurns {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async recall(nowMs: number, beyondMs: number): Promise<number> {
    let recalled = 0;
    for (;;) {
      const args = [nowMs, Math.max(nowMs, beyondMs), RECALLED_AT_ONCE];
      const some = Number(await RECALL.run(this.#redis, [this.#keys.dirty], args));
      recalled += some;
      if (some < RECALLED_AT_ONCE) return recalled;
    }
  }
}
