// Asks Redis whether its user may run every command that the worker and its queue need. A user without one of them works until the moment
// that needs it.

import type { RedisClient } from '../redis/redis-client.ts';
import { redisRefusalOf } from '../redis/redis-refusal.ts';
import { replyWithin } from './script.ts';

/**
 * Every command that the worker, its scripts and BullMQ run on keys, with arguments after the key. The key holds a string, so that commands
 * for other types fail without an effect.
 */
const ON_A_KEY = {
  GET: [],
  SET: ['1', 'PX', '10000'],
  MGET: [],
  INCR: [],
  EXISTS: [],
  TYPE: [],
  TTL: [],
  PTTL: [],
  EXPIRE: ['10'],
  PEXPIRE: ['10000'],
  PEXPIREAT: ['33000000000000'],
  PERSIST: [],
  HGET: ['f'],
  HMGET: ['f'],
  HGETALL: [],
  HKEYS: [],
  HVALS: [],
  HLEN: [],
  HEXISTS: ['f'],
  HSCAN: ['0'],
  HSET: ['f', '1'],
  HMSET: ['f', '1'],
  HSETNX: ['f', '1'],
  HDEL: ['f'],
  HINCRBY: ['f', '1'],
  LLEN: [],
  LRANGE: ['0', '0'],
  LINDEX: ['0'],
  LPOS: ['1'],
  LPUSH: ['1'],
  RPUSH: ['1'],
  LPOP: [],
  RPOP: [],
  RPOPLPUSH: ['{key}'],
  LREM: ['0', '1'],
  LSET: ['0', '1'],
  LTRIM: ['0', '0'],
  SADD: ['1'],
  SREM: ['1'],
  SCARD: [],
  SMEMBERS: [],
  SMISMEMBER: ['1'],
  SISMEMBER: ['1'],
  SSCAN: ['0'],
  ZADD: ['1', '1'],
  ZREM: ['1'],
  ZCARD: [],
  ZCOUNT: ['0', '1'],
  ZSCORE: ['1'],
  ZSCAN: ['0'],
  ZRANGE: ['0', '0'],
  ZREVRANGE: ['0', '0'],
  ZRANGEBYSCORE: ['0', '1'],
  ZREVRANGEBYSCORE: ['1', '0'],
  ZRANGEBYLEX: ['-', '+'],
  ZPOPMIN: [],
  ZREMRANGEBYSCORE: ['0', '1'],
  ZREMRANGEBYRANK: ['0', '0'],
  BZPOPMIN: ['0.01'],
  XADD: ['*', 'f', '1'],
  XLEN: [],
  XRANGE: ['-', '+'],
  XREVRANGE: ['+', '-'],
  XTRIM: ['MAXLEN', '0'],
  XDEL: ['0-1'],
  // Last, because they rename or remove the key.
  RENAME: ['{key}'],
  UNLINK: [],
  DEL: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Commands that take no key in this place. */
const WITHOUT_A_KEY = {
  PING: [],
  INFO: ['server'],
  TIME: [],
  SCAN: ['0', 'COUNT', '1'],
  MULTI: undefined,
  EXEC: undefined,
  EVAL: undefined,
  EVALSHA: undefined,
} as const;

/** The names of all of them, in capitals. */
export const NEEDED_COMMANDS: readonly string[] = [...Object.keys(ON_A_KEY), ...Object.keys(WITHOUT_A_KEY)];

export interface RedisRights {
  readonly missing: readonly string[];
  /** Redis' first refusal. */
  readonly answer: string | undefined;
}

/** Runs each command once on this key, which ends as it began: absent. Rejects with `RetryableError` when Redis does not answer. */
export async function missingRights(redis: RedisClient, key: string): Promise<RedisRights> {
  const missing: string[] = [];
  let answer: string | undefined;
  const ask = async (names: readonly string[], call: () => Promise<unknown>): Promise<void> => {
    const refusal = await replyWithin(
      call().then(
        () => undefined,
        (error: unknown) => {
          const refused = redisRefusalOf(error);
          if (refused === undefined) throw error;
          return refused;
        },
      ),
    );
    if (refusal?.isForbidden !== true) return;
    missing.push(...names);
    answer ??= refusal.answer;
  };
  await ask(['EVAL'], () => redis.eval('return 1', 1, key));
  await ask(['EVALSHA'], () => redis.evalsha('0'.repeat(40), 1, key));
  await ask(['MULTI', 'EXEC'], () => inTransaction(redis, key));
  for (const [name, args] of Object.entries(WITHOUT_A_KEY))
    if (args !== undefined) await ask([name], () => redis.call(name, ...args));
  await ask(['SET'], () => redis.call('SET', key, ...ON_A_KEY.SET));
  for (const [name, args] of Object.entries(ON_A_KEY))
    await ask([name], () => redis.call(name, key, ...args.map((arg) => (arg === '{key}' ? key : arg))));
  return { missing: [...new Set(missing)], answer };
}

/** Redis refuses MULTI on its own, and then EXEC because no transaction has begun. */
async function inTransaction(redis: RedisClient, key: string): Promise<unknown> {
  try {
    return await redis.multi().exists(key).exec();
  } catch (error) {
    const [first] = (error as { previousErrors?: readonly Error[] }).previousErrors ?? [];
    throw first ?? error;
  }
}
