import type { LaterTurns } from '../../ports/work.ts';
import type { KeySpace } from '../core/key-space.ts';
import { MARK_DIRTY } from '../core/object-life.ts';
import { replyWithin, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Moves the key from one set to the other in one step: a crash can neither lose the turn nor repeat it forever. */
const WAKE = new Script(`${MARK_DIRTY}
local object, later, dirty, since = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local key, now = ARGV[1], ARGV[2]
local at = redis.call('ZSCORE', later, key)
-- Woken by another process meanwhile, or put off by a handler.
if not at or tonumber(at) > tonumber(now) then return 0 end
redis.call('ZREM', later, key)
if redis.call('HEXISTS', object, 'd') == 0 then return 0 end
mark_dirty(object, dirty, since, key, now)
return 1
`);

const WOKEN_AT_ONCE = 250;

/** Due times in a sorted set beside the dirty set. A resync restores all of them, because they follow from the objects and the YAML. */
export class RedisLaterTurns implements LaterTurns {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async wake(nowMs: number, limit: number): Promise<readonly string[]> {
    const { later } = this.#keys;
    const due = await replyWithin(this.#redis.zrangebyscore(later, '-inf', nowMs, 'LIMIT', 0, limit));
    const woken: string[] = [];
    for (let at = 0; at < due.length; at += WOKEN_AT_ONCE) {
      const some = due.slice(at, at + WOKEN_AT_ONCE);
      const outcomes = await Promise.all(some.map((key) => this.#wake(key, nowMs)));
      woken.push(...some.filter((_, i) => outcomes[i] === 1));
    }
    return woken;
  }

  #wake(key: string, nowMs: number): Promise<unknown> {
    const { later, dirty, dirtySince } = this.#keys;
    return WAKE.run(this.#redis, [this.#keys.object(key), later, dirty, dirtySince], [key, nowMs]);
  }
}
