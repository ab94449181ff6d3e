import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { KeySpace } from './key-space.ts';
import { tokenOf } from './processes.ts';
import type { RedisClient } from './redis-client.ts';
import { RedisStore, RUN, Script } from './redis-script.ts';

/** An exclusive turn that is held. Pass it to every write that only the holder may make: the writing step checks whether it still holds. */
export interface Lease extends LeaseProof {
  /**
   * Aborts when the lease is lost, or when the work must stop. Read it from the lease right before a write: a frozen process learns of the
   * loss only then.
   */
  readonly signal: AbortSignal;
}

export interface LeaseProof {
  readonly name: string;
  /** Who holds it, and on which Redis. It is worthless once someone else holds it, or that Redis was wiped or restarted. */
  readonly proof: string;
}

interface HoldOptions {
  /** How long a holder that was killed blocks the next one; longer if a holder that was only frozen would do harm. Default 6 s. */
  readonly ttlMs?: number;
  /** Aborts when the work must stop. The lease is held until the work has ended. */
  readonly until?: AbortSignal;
}

/** How long a killed holder blocks the next one at most. */
const TTL_MS = 6_000;
const RENEWALS_PER_TTL = 3;
/** How long Redis keeps the list of a process's leases: long after the last of them has expired. */
const HELD_TTL_S = 86_400;

/**
 * For scripts: whether the caller still holds its lease. A wiped Redis knows no holder; a restarted one may have lost the holder's latest
 * writes. Neither may accept writes that depend on them.
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

/**
 * Exclusive turns across processes: one key per lease, with the name of its holder. A holder that slept past its lease is refused by the
 * script that checks its proof.
 */
export class Leases extends RedisStore {
  readonly #processId: string;

  /** `processId`: the process that owns the leases; see RedisProcesses. */
  constructor(parts: { redis: RedisClient; keys: KeySpace; processId?: string }) {
    super(parts);
    this.#processId = parts.processId ?? randomUUID();
  }

  /**
   * Runs `work` while holding the lease `name`; undefined if someone else holds it. Renews the lease while `work` runs. Its signal aborts
   * when the lease is lost, or earlier if the work must stop.
   */
  async hold<T>(
    name: string,
    work: (lease: Lease) => Promise<T>,
    { ttlMs = TTL_MS, until }: HoldOptions = {},
  ): Promise<{ result: T } | undefined> {
    const holder = tokenOf(this.#processId, randomUUID());
    const key = this.keys.lease(name);
    const held = this.keys.leasesOf(this.#processId);
    const askedAtMs = performance.now();
    const acquired = await ACQUIRE.run(this.redis, [key, held], [holder, ttlMs, name, HELD_TTL_S]);
    if (acquired === null) return undefined;
    const proof = String(acquired);
    const tenure = new Tenure(askedAtMs + ttlMs);
    // On a signal that lives as long as the process, AbortSignal.any would leave something behind at every turn.
    const stop = () => tenure.stop(until?.reason);
    until?.addEventListener('abort', stop);
    if (until?.aborted) stop();
    const renewal = setInterval(
      () => void this.#renew({ key, proof, ttlMs }, tenure),
      ttlMs / RENEWALS_PER_TTL,
    );
    try {
      const lease: Lease = {
        name,
        proof,
        get signal() {
          return tenure.over;
        },
      };
      return { result: await inTurn(lease, () => work(lease)) };
    } finally {
      until?.removeEventListener('abort', stop);
      clearInterval(renewal);
      tenure.end();
      // A lease that cannot be released expires automatically.
      await RELEASE.run(this.redis, [key, held], [holder, name]).catch(() => undefined);
    }
  }

  async #renew(
    { key, proof, ttlMs }: { readonly key: string; readonly proof: string; readonly ttlMs: number },
    tenure: Tenure,
  ): Promise<void> {
    const askedAtMs = performance.now();
    const renewed = await RENEW.run(this.redis, [key], [proof, ttlMs]).catch(() => 'no-answer');
    if (renewed === 0) tenure.lose();
    else if (renewed !== 'no-answer') tenure.prolong(askedAtMs + ttlMs);
  }
}

/**
 * How long a turn lasts, on the clock of this process. A holder that is cut off from Redis cannot learn from it that its time is up. The
 * time counts from the request, because Redis may count from then on.
 */
class Tenure {
  readonly #over = new AbortController();
  #untilMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(untilMs: number) {
    this.#untilMs = untilMs;
    this.#wait();
  }

  /** Aborts when the turn is over, or must end before its work is done. After a freeze, no timer has fired yet: the clock decides. */
  get over(): AbortSignal {
    if (performance.now() >= this.#untilMs) this.lose();
    return this.#over.signal;
  }

  /** The lease itself stays until the work has ended. */
  stop(reason: unknown): void {
    this.#over.abort(reason);
  }

  prolong(untilMs: number): void {
    // Renewals may overtake each other, and the last answer may arrive after the work is done.
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

// Which exclusive turns (leases) the running work belongs to. Known without passing them along, so that no write can forget to ask.

interface HeldTurn {
  /** Read it at the last moment: reading notices that the turn's time is up, even right after a freeze. */
  readonly signal: AbortSignal;
}

const turns = new AsyncLocalStorage<readonly HeldTurn[]>();
let running = 0;

/**
 * Runs the work as part of this turn, besides those that the caller belongs to. The storage is off while no turn runs: before Node 24 it
 * makes every await of the process dearer.
 */
async function inTurn<T>(turn: HeldTurn, work: () => Promise<T>): Promise<T> {
  running += 1;
  try {
    return await turns.run([...(turns.getStore() ?? []), turn], work);
  } finally {
    running -= 1;
    if (running === 0) turns.disable();
  }
}

/** False once a turn of the running work was lost, or has to end. */
export function areTurnsHeld(): boolean {
  return (turns.getStore() ?? []).every(({ signal }) => !signal.aborted);
}
