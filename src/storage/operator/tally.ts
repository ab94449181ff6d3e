import type { Tally } from '../../ports/operator.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

const COUNT = new Script(`
local tally, mark, now, window = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', tally, '-inf', '(' .. string.format('%d', now - window))
redis.call('ZADD', tally, 'NX', now, mark)
redis.call('PEXPIRE', tally, window)
return redis.call('ZCARD', tally)
`);

/** Tallies in Redis: one sorted set each, forgotten one window after the last mark. */
export class RedisTally implements Tally {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async count(name: string, mark: string, windowMs: number): Promise<number> {
    const marks = await COUNT.run(this.#redis, [this.#keys.tally(name)], [mark, this.#clock.now(), windowMs]);
    return Number(marks);
  }

  async forget(name: string, mark: string): Promise<void> {
    await replyWithin(this.#redis.zrem(this.#keys.tally(name), mark));
  }

  async clear(name: string): Promise<void> {
    await replyWithin(this.#redis.del(this.#keys.tally(name)));
  }
}
