import { randomUUID } from 'node:crypto';
import type { HoldOptions, Lease, Leases } from '../../ports/leases.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { RUN } from '../redis/redis-run.ts';
import type { KeySpace } from './key-space.ts';
import { tokenOf } from './processes.ts';
import { Script } from './script.ts';

/** A holder that was killed blocks the next one for this long at most. */
const TTL_MS = 6_000;
const RENEWALS_PER_TTL = 3;
/** For the list of what a process holds: long after the last of its leases has run out. */
const HELD_TTL_S = 86_400;

/**
 * For scripts: whether a turn still stands. A wiped Redis knows no holder; a restarted one may have forgotten what this holder did just
 * before. Neither may accept writes that depend on it.
 */
export const HOLDS = `${RUN}
local function holds(lease, proof)
  local holder = redis.call('GET', lease)
  return holder and run() .. ' ' .. holder == proof
end
`;

const ACQUIRE = new Script(`${RUN}
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
redis.call('SADD', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return run() .. ' ' .. ARGV[1]
`);
const RENEW = new Script(`${HOLDS}
if not holds(KEYS[1], ARGV[1]) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);
const RELEASE = new Script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.call('SREM', KEYS[2], ARGV[2])
end
`);

/** Leases in Redis: a key with the name of its holder. One that slept past its lease is refused by the step that asks for its proof. */
export class RedisLeases implements Leases {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #processId: string;

  /** `processId`: whose leases they are; see RedisProcesses. */
  constructor(parts: { redis: RedisClient; keys: KeySpace; processId?: string }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#processId = parts.processId ?? randomUUID();
  }

  async hold<T>(
    name: string,
    work: (lease: Lease) => Promise<T>,
    { ttlMs = TTL_MS, until }: HoldOptions = {},
  ): Promise<{ result: T } | undefined> {
    const holder = tokenOf(this.#processId, randomUUID());
    const key = this.#keys.lease(name);
    const held = this.#keys.leasesOf(this.#processId);
    const askedAtMs = performance.now();
    const acquired = await ACQUIRE.run(this.#redis, [key, held], [holder, ttlMs, name, HELD_TTL_S]);
    if (acquired === null) return undefined;
    const proof = String(acquired);
    const tenure = new Tenure(askedAtMs + ttlMs);
    // Not AbortSignal.any: at a signal that lives as long as the process it would leave something behind at every turn.
    const stop = () => tenure.stop(until?.reason);
    until?.addEventListener('abort', stop);
    if (until?.aborted) stop();
    const renewal = setInterval(
      () => void this.#renew({ key, proof, ttlMs }, tenure),
      ttlMs / RENEWALS_PER_TTL,
    );
    try {
      return { result: await work({ name, proof, signal: tenure.over }) };
    } finally {
      until?.removeEventListener('abort', stop);
      clearInterval(renewal);
      tenure.end();
      // A lease that cannot be given back runs out by itself.
      await RELEASE.run(this.#redis, [key, held], [holder, name]).catch(() => undefined);
    }
  }

  async #renew(
    { key, proof, ttlMs }: { readonly key: string; readonly proof: string; readonly ttlMs: number },
    tenure: Tenure,
  ): Promise<void> {
    const askedAtMs = performance.now();
    const renewed = await RENEW.run(this.#redis, [key], [proof, ttlMs]).catch(() => 'no-answer');
    if (renewed === 0) tenure.lose();
    else if (renewed !== 'no-answer') tenure.prolong(askedAtMs + ttlMs);
  }
}

/**
 * How long a turn stands, on the clock of this process: cut off from Redis, a holder is never told that its time is up. Counted from when it
 * was asked for, because from then on Redis may count.
 */
class Tenure {
  readonly #over = new AbortController();
  #untilMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(untilMs: number) {
    this.#untilMs = untilMs;
    this.#wait();
  }

  /** Aborts when the turn is over, or is to be, before its work is. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** It stands until the work has ended. */
  stop(reason: unknown): void {
    this.#over.abort(reason);
  }

  prolong(untilMs: number): void {
    // Answers may overtake each other, and the last may come when the work is done.
    if (this.#timer === undefined || untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.#wait();
  }

  lose(): void {
    this.end();
    this.#over.abort(new Error('the lease was lost'));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.lose(), this.#untilMs - performance.now());
  }
}
