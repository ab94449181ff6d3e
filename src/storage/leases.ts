import { randomUUID } from 'node:crypto';
import type { Leases } from '../ports/leases.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { Script } from './script.ts';

/** A holder that was killed blocks the next one for this long at most. */
const TTL_MS = 6_000;
const RENEWALS_PER_TTL = 3;

const ACQUIRE = new Script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', KEYS[2]) end
return false
`);
const RENEW = new Script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);
const RELEASE = new Script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

/** Leases in Redis with a growing token (fencing): a holder that slept past its lease is refused where its token is checked. */
export class RedisLeases implements Leases {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async hold<T>(
    name: string,
    work: (lease: { token: number; signal: AbortSignal }) => Promise<T>,
    ttlMs = TTL_MS,
  ): Promise<{ result: T } | undefined> {
    const holder = randomUUID();
    const key = this.#keys.lease(name);
    const token = await ACQUIRE.run(this.#redis, [key, this.#keys.leaseToken(name)], [holder, ttlMs]);
    if (token === null) return undefined;
    const lost = new AbortController();
    const tenure = { key, holder, ttlMs, untilMs: performance.now() + ttlMs };
    const renewal = setInterval(() => void this.#renew(tenure, lost), ttlMs / RENEWALS_PER_TTL);
    try {
      return { result: await work({ token: Number(token), signal: lost.signal }) };
    } finally {
      clearInterval(renewal);
      // A lease that cannot be given back runs out by itself.
      await RELEASE.run(this.#redis, [key], [holder]).catch(() => undefined);
    }
  }

  async #renew(tenure: Tenure, lost: AbortController): Promise<void> {
    const { key, holder, ttlMs } = tenure;
    const askedAtMs = performance.now();
    const renewed = await RENEW.run(this.#redis, [key], [holder, ttlMs]).catch(() => 'no-answer');
    if (renewed !== 0 && renewed !== 'no-answer') tenure.untilMs = askedAtMs + ttlMs;
    // Cut off from Redis, a holder is never told that its time is up: its own clock has to say so.
    if (renewed === 0 || performance.now() >= tenure.untilMs) lost.abort(new Error('the lease was lost'));
  }
}

interface Tenure {
  readonly key: string;
  readonly holder: string;
  readonly ttlMs: number;
  /** On the clock of this process. */
  untilMs: number;
}
