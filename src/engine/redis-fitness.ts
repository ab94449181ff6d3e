import { RetryableError, TerminalError } from './errors.ts';
import { mastersOf, type RedisClient, type RedisRefusal, redisRefusalOf } from './redis-client.ts';
import { replyWithin, Script, TimedStore } from './redis-script.ts';
import { rewriteFile } from './rewrite.ts';
import type { Problem } from './work.ts';

const VERSION_MIN = [6, 2] as const;

/**
 * Refuses a Redis that may silently drop keys (`redis-evicts`) or is too old (`redis-too-old`), and a cluster without a master
 * (`redis-no-master`). Returns warnings about what is only risky. It relies on INFO, because a managed Redis may not allow CONFIG.
 */
export async function assertRedisIsFit(redis: RedisClient): Promise<readonly string[]> {
  const [node] = mastersOf(redis);
  if (node === undefined)
    throw new TerminalError(
      'redis-no-master',
      'the Redis cluster shows no master: it does not answer, or refuses the login',
      { target: 'redis' },
    );
  const info = await replyWithin(node.info());
  const version = field(info, 'redis_version');
  if (isOlder(version)) {
    throw new TerminalError('redis-too-old', `Redis ${version} is older than ${VERSION_MIN.join('.')}`, {
      target: 'redis',
      advice: `Use Redis ${VERSION_MIN.join('.')} or newer, or Valkey.`,
    });
  }
  const policy = field(info, 'maxmemory_policy');
  if (policy !== '' && policy !== 'noeviction') {
    throw new TerminalError(
      'redis-evicts',
      `Redis has the eviction policy ${policy}: it may drop work that is not done yet`,
      {
        target: 'redis',
        advice:
          'Set maxmemory-policy to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf).',
      },
    );
  }
  return [
    ...(field(info, 'aof_enabled') === '0' ? [NO_FILE] : []),
    ...(mayBeSplit(info) ? [MAY_BE_SPLIT] : []),
  ];
}

const NO_FILE =
  'Redis does not write an append-only file: a crash of Redis forgets what came since its last snapshot, and a resync has to find it. Set appendonly yes.';
const MAY_BE_SPLIT =
  'Redis has replicas but no min-replicas-to-write: a primary that is cut off from them goes on writing, and a failover forgets all of that. With three Redis, set min-replicas-to-write 1 and min-replicas-max-lag 10.';

/** Redis tells the number of good replicas only if writes depend on it. A cluster stops a cut-off primary itself. */
function mayBeSplit(info: string): boolean {
  if (field(info, 'cluster_enabled') === '1' || field(info, 'role') !== 'master') return false;
  return Number(field(info, 'connected_slaves')) > 0 && field(info, 'min_slaves_good_slaves') === '';
}

function field(info: string, name: string): string {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]);
}

const PROBE_TTL_MS = 10_000;

/**
 * Checks whether Redis accepts writes. A Redis that is full, cannot save to its disk, has become a replica, or forbids scripts answers every
 * read and keeps nothing. Only a write shows that. Rejects with `RetryableError` `store-unavailable` when there is no answer at all.
 */
export class WriteProbe extends TimedStore {
  #refusedSinceMs: number | undefined;
  /** Redis 7.0 leaves a hole in its file where the disk was full, and never starts from that file again. So it has to write a new one. */
  #hadNoDisk = false;

  /** In the form of the problem board, which cannot be written then; undefined while Redis accepts writes. */
  async problem(): Promise<Problem | undefined> {
    const refusal = await this.#refusal();
    if (refusal === undefined) {
      this.#refusedSinceMs = undefined;
      if (this.#hadNoDisk) void rewriteFile(this.redis);
      this.#hadNoDisk = false;
      return undefined;
    }
    this.#hadNoDisk ||= refusal.answer.startsWith('MISCONF');
    const lastAtMs = this.clock.now();
    this.#refusedSinceMs ??= lastAtMs;
    const { answer, advice, isForbidden } = refusal;
    return {
      target: 'redis',
      code: isForbidden ? 'redis-rights-missing' : 'redis-takes-no-writes',
      message: `Redis refuses to write (${answer}): nothing is taken in, webhooks are answered 503, and the platform sends them again`,
      advice,
      sinceMs: this.#refusedSinceMs,
      lastAtMs,
    };
  }

  async #refusal(): Promise<RedisRefusal | undefined> {
    try {
      await PROBE.run(this.redis, [this.keys.writable], [PROBE_TTL_MS]);
      return undefined;
    } catch (error) {
      const refusal = error instanceof RetryableError ? redisRefusalOf(error.cause) : undefined;
      if (refusal === undefined) throw error;
      return refusal;
    }
  }
}

/** A script, because everything durable is written by one. */
const PROBE = new Script(`return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])`);

// Asks Redis whether its user may run every command that the worker and its queue need. A user without one of them works until the moment
// that needs it.

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

interface RedisRights {
  readonly missing: readonly string[];
  /** Redis' first refusal. */
  readonly answer: string | undefined;
  /** A replica or a full Redis allows every command, and writes nothing. */
  readonly unwritten: RedisRefusal | undefined;
}

/** Runs each command once on this key, which ends as it began: absent. Rejects with `RetryableError` when Redis does not answer. */
export async function missingRights(redis: RedisClient, key: string): Promise<RedisRights> {
  const missing: string[] = [];
  let answer: string | undefined;
  let unwritten: RedisRefusal | undefined;
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
    if (names.includes('SET') && refusal?.isForbidden === false) unwritten ??= refusal;
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
  return { missing: [...new Set(missing)], answer, unwritten };
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
