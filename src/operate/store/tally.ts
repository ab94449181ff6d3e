import type { Tally } from '../../engine/ports/operator.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin, Script } from '../../engine/store/script.ts';

const COUNT = new Script(`
local tally, mark, now, window = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', tally, '-inf', '(' .. string.format('%d', now - window))
redis.call('ZADD', tally, 'NX', now, mark)
redis.call('PEXPIRE', tally, window)
return redis.call('ZCARD', tally)
`);

/** One step: of two handlers at once, only one gets the last place. */
const ADMIT = new Script(`
local tally, mark, now, window, max = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', tally, '-inf', string.format('%d', now - window))
if redis.call('ZSCORE', tally, mark) then return 1 end
if redis.call('ZCARD', tally) >= max then return 0 end
redis.call('ZADD', tally, now, mark)
redis.call('PEXPIRE', tally, window)
return 1
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

  async admit(
    name: string,
    mark: string,
    { max, windowMs }: { readonly max: number; readonly windowMs: number },
  ): Promise<boolean> {
    const args = [mark, this.#clock.now(), windowMs, max];
    return (await ADMIT.run(this.#redis, [this.#keys.tally(name)], args)) === 1;
  }

  async forget(name: string, mark: string): Promise<void> {
    await replyWithin(this.#redis.zrem(this.#keys.tally(name), mark));
  }

  async clear(name: string): Promise<void> {
    await replyWithin(this.#redis.del(this.#keys.tally(name)));
  }
}
