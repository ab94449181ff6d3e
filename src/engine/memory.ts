import { randomBytes } from 'node:crypto';
import { CHANGE_FIELD } from './changes.ts';
import type { KeySpace } from './key-space.ts';
import type { LeaseProof } from './leases.ts';
import type { RedisClient } from './redis-client.ts';
import { Batch, RedisStore, replyWithin, Script, TimedStore } from './redis-script.ts';
import { fencedSet } from './work-store.ts';

/** Small facts about this installation that outlive a restart. */
export interface Memory {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  forget(name: string): Promise<void>;
  /** Names that begin with `prefix`, without it. */
  all(prefix: string): Promise<ReadonlyMap<string, string>>;
}

/** Memory for facts that another process may change or forget meanwhile. */
export interface SharedMemory extends Memory {
  /** Writes `next` only if the fact is still `was`, which is empty where there is none. False: it is another one. */
  change(name: string, to: { readonly was: string; readonly next: string }): Promise<boolean>;
}

/** Facts per call; few are asked for at once. */
const READ_AT_ONCE_MAX = 100;

/** Learned names, known tabs, the hash of the mapping, and facts that only the holder of a lease may write. */
export class RedisMemory extends RedisStore implements SharedMemory {
  /** Loops that wake together, and turns that begin together, ask in one command. */
  readonly #reads = new Batch<string, string | null>({
    run: (names) => replyWithin(this.redis.hmget(this.keys.memory, ...names)),
    atOnceMax: READ_AT_ONCE_MAX,
  });

  async get(name: string): Promise<string | undefined> {
    return (await this.#reads.ask(name)) ?? undefined;
  }

  async set(name: string, value: string): Promise<void> {
    await replyWithin(this.redis.hset(this.keys.memory, name, value));
  }

  /** Writes all of them in one step; an empty value forgets. False if the lease no longer holds: nothing was written. */
  async setUnder(lease: LeaseProof, facts: Readonly<Record<string, string>>): Promise<boolean> {
    return fencedSet(this.parts, lease, { key: this.keys.memory, pairs: Object.entries(facts).flat() });
  }

  async change(
    name: string,
    { was, next }: { readonly was: string; readonly next: string },
  ): Promise<boolean> {
    const given = { keys: { hash: this.keys.memory }, args: { field: name, was, next } };
    return (await CHANGE_FIELD.run(this.redis, given)) === 1;
  }

  async forget(name: string): Promise<void> {
    await replyWithin(this.redis.hdel(this.keys.memory, name));
  }

  async all(prefix: string): Promise<ReadonlyMap<string, string>> {
    const fields = await replyWithin(this.redis.hgetall(this.keys.memory));
    const entries = Object.entries(fields).filter(([name]) => name.startsWith(prefix));
    return new Map(entries.map(([name, value]) => [name.slice(prefix.length), value]));
  }
}

const SEED_BYTES = 16;

const SEED = new Script(`
redis.call('HSETNX', KEYS[1], 'seed', ARGV[1])
return redis.call('HGET', KEYS[1], 'seed')
`);

/**
 * A random text that ids and keys are derived from. It is the same for all workers, also on both sides of a split. After a loss of Redis it
 * is another one, and nothing matches what was derived before.
 */
export async function seedOf(redis: RedisClient, keys: KeySpace): Promise<string> {
  return String(await SEED.run(redis, [keys.memory], [randomBytes(SEED_BYTES).toString('base64url')]));
}

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

/** Counts what happened lately, over all processes: one sorted set each, forgotten one window after the last mark. */
export class Tally extends TimedStore {
  /** Notes `mark` under `name` once, however often it is called. Returns how many marks there are of the last `windowMs`. */
  async count(name: string, mark: string, windowMs: number): Promise<number> {
    const marks = await COUNT.run(this.redis, [this.keys.tally(name)], [mark, this.clock.now(), windowMs]);
    return Number(marks);
  }

  /** Notes `mark`, unless `max` others were noted within the window: then false. A known mark is true without a look at the others. */
  async admit(
    name: string,
    mark: string,
    { max, windowMs }: { readonly max: number; readonly windowMs: number },
  ): Promise<boolean> {
    const args = [mark, this.clock.now(), windowMs, max];
    return (await ADMIT.run(this.redis, [this.keys.tally(name)], args)) === 1;
  }

  /** It did not happen after all: takes the mark back. */
  async forget(name: string, mark: string): Promise<void> {
    await replyWithin(this.redis.zrem(this.keys.tally(name), mark));
  }

  async clear(name: string): Promise<void> {
    await replyWithin(this.redis.del(this.keys.tally(name)));
  }
}
