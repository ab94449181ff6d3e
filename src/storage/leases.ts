import { randomUUID } from 'node:crypto';
import type { Lease, Leases } from '../ports/leases.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { RUN } from './redis-run.ts';
import { Script } from './script.ts';

/** A holder that was killed blocks the next one for this long at most. */
const TTL_MS = 6_000;
const RENEWALS_PER_TTL = 3;

/**
 * For scripts: whether a turn still stands. A wiped Redis knows no holder, and one that was started again may have forgotten what this
 * holder did just before: neither may take what rests on it.
 */
export const HOLDS = `${RUN}
local function holds(lease, proof)
  local holder = redis.call('GET', lease)
  return holder and run() .. ' ' .. holder == proof
end
`;

const ACQUIRE = new Script(`${RUN}
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return run() .. ' ' .. ARGV[1] end
return false
`);
const RENEW = new Script(`${HOLDS}
if not holds(KEYS[1], ARGV[1]) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);
const RELEASE = new Script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

/** Leases in Redis: a key with the name of its holder. One that slept past its lease is refused by the step that asks for its proof. */
export class RedisLeases implements Leases {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async hold<T>(
    name: string,
    work: (lease: Lease) => Promise<T>,
    ttlMs = TTL_MS,
  ): Promise<{ result: T } | undefined> {
    const holder = randomUUID();
    const key = this.#keys.lease(name);
    const acquired = await ACQUIRE.run(this.#redis, [key], [holder, ttlMs]);
    if (acquired === null) return undefined;
    const proof = String(acquired);
    const lost = new AbortController();
    const tenure = { key, proof, ttlMs, untilMs: performance.now() + ttlMs };
    const renewal = setInterval(() => void this.#renew(tenure, lost), ttlMs / RENEWALS_PER_TTL);
    try {
      return { result: await work({ name, proof, signal: lost.signal }) };
    } finally {
      clearInterval(renewal);
      // A lease that cannot be given back runs out by itself.
      await RELEASE.run(this.#redis, [key], [holder]).catch(() => undefined);
    }
  }

  async #renew(tenure: Tenure, lost: AbortController): Promise<void> {
    const { key, proof, ttlMs } = tenure;
    const askedAtMs = performance.now();
    const renewed = await RENEW.run(this.#redis, [key], [proof, ttlMs]).catch(() => 'no-answer');
    if (renewed !== 0 && renewed !== 'no-answer') tenure.untilMs = askedAtMs + ttlMs;
    // Cut off from Redis, a holder is never told that its time is up: its own clock has to say so.
    if (renewed === 0 || performance.now() >= tenure.untilMs) lost.abort(new Error('the lease was lost'));
  }
}

interface Tenure {
  readonly key: string;
  readonly proof: string;
  readonly ttlMs: number;
  /** On the clock of this process. */
  untilMs: number;
}
