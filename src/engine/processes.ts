import { randomUUID } from 'node:crypto';
import { isProvedDead, ownIdentity, type ProcessIdentity } from './folder-lock.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { replyWithin, Script, TimedStore } from './redis-script.ts';
import type { DatedOutcome } from './reload.ts';
import type { Clock } from './runtime.ts';

/** A worker process that has reported itself. */
export interface WorkerSeen {
  readonly pid: number;
  readonly version: string | undefined;
  /** Its last report, epoch milliseconds. */
  readonly atMs: number;
  /** The process that answers this request. */
  readonly isThis: boolean;
}

/** How long an entry stays without a refresh; by then its machine or container is gone. */
const FORGOTTEN_AFTER_MS = 86_400_000;

const FREE_LEASES = new Script(`
local freed = 0
for _, lease in ipairs(KEYS) do
  local holder = redis.call('GET', lease)
  if holder and string.sub(holder, 1, #ARGV[1]) == ARGV[1] then freed = freed + redis.call('DEL', lease) end
end
return freed
`);
/**
 * BullMQ returns a stalled job without a lock to the waiting ones at its next check. Deleting the check's key makes that check due
 * immediately.
 */
const FREE_JOBS = new Script(`
local freed = 0
for _, job in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local lock = ARGV[2] .. job .. ':lock'
  local holder = redis.call('GET', lock)
  if holder and string.sub(holder, 1, #ARGV[1]) == ARGV[1] then
    redis.call('DEL', lock)
    redis.call('SADD', KEYS[2], job)
    freed = freed + 1
  end
end
if freed > 0 then redis.call('DEL', KEYS[3]) end
return freed
`);

/** Where a queue keeps its active jobs: keys, and the prefix of their locks. */
export interface JobKeys {
  readonly active: string;
  readonly stalled: string;
  readonly stalledCheck: string;
  readonly locks: string;
}

interface Registered extends ProcessIdentity {
  readonly id: string;
  /** The version of slotbridge; versions before 0.3 did not store it. */
  readonly version?: string;
  /** The worker has ended, its process perhaps not: a reload starts another worker in it. What it still holds is freed like any other's. */
  readonly hasEnded?: true;
  /** The process reads its YAML again at a signal; versions before 0.3 do not say so. */
  readonly takesReload?: true;
  readonly reload?: DatedOutcome;
}

export interface ProcessSeen extends Registered {
  /** Its last report, epoch milliseconds by its own clock. */
  readonly atMs: number;
}

/**
 * The processes that work with this Redis. It frees what a dead process held once the death is proved; otherwise that expires
 * automatically.
 */
export class RedisProcesses extends TimedStore {
  /** The prefix of every token under which this process holds something. No other process has it. */
  readonly id: string;
  readonly #own: ProcessIdentity | undefined;
  readonly #about: Pick<Registered, 'version' | 'takesReload'>;
  #news: Pick<Registered, 'hasEnded' | 'reload'> = {};

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    id?: string;
    own?: ProcessIdentity | undefined;
    version?: string | undefined;
    takesReload?: boolean | undefined;
  }) {
    super(parts);
    this.id = parts.id ?? randomUUID();
    this.#own = 'own' in parts ? parts.own : ownIdentity();
    const { version, takesReload } = parts;
    this.#about = { ...(version !== undefined && { version }), ...(takesReload === true && { takesReload }) };
  }

  /** Registers this process. Callers repeat it, because Redis may have been wiped. */
  async register(): Promise<void> {
    if (this.#own === undefined || this.#news.hasEnded) return;
    const nowMs = this.clock.now();
    const { processes } = this.keys;
    const forgottenMs = String(nowMs - FORGOTTEN_AFTER_MS);
    await Promise.all([
      replyWithin(this.redis.zadd(processes, nowMs, this.#entry())),
      replyWithin(this.redis.zremrangebyscore(processes, '-inf', forgottenMs)),
    ]);
  }

  /** The worker has ended: people no longer see it. */
  end(): Promise<void> {
    return this.#add({ hasEnded: true });
  }

  /** What became of the newest YAML. */
  tellReload(reload: DatedOutcome): Promise<void> {
    return this.#add({ reload });
  }

  async #add(news: Pick<Registered, 'hasEnded' | 'reload'>): Promise<void> {
    const entry = this.#entry();
    this.#news = { ...this.#news, ...news };
    const { processes } = this.keys;
    const atMs = await replyWithin(this.redis.zscore(processes, entry));
    if (atMs === null) return;
    await replyWithin(this.redis.multi().zadd(processes, atMs, this.#entry()).zrem(processes, entry).exec());
  }

  #entry(): string {
    return JSON.stringify({ id: this.id, ...this.#about, ...this.#own, ...this.#news });
  }

  /** Workers that registered since then and have not ended, newest first. Empty where the system says too little about processes. */
  async seenSince(sinceMs: number): Promise<readonly WorkerSeen[]> {
    return (await this.all(sinceMs))
      .filter(({ hasEnded }) => hasEnded !== true)
      .map(({ id, pid, version, atMs }) => ({ pid, version, atMs, isThis: id === this.id }))
      .sort((a, b) => b.atMs - a.atMs);
  }

  /** Every worker that registered since then, also those that have ended. */
  async all(sinceMs: number): Promise<readonly ProcessSeen[]> {
    const flat = await replyWithin(
      this.redis.zrange(this.keys.processes, String(sinceMs), '+inf', 'BYSCORE', 'WITHSCORES'),
    );
    const seen: ProcessSeen[] = [];
    for (let at = 0; at + 1 < flat.length; at += 2)
      seen.push({ ...(JSON.parse(String(flat[at])) as Registered), atMs: Number(flat[at + 1]) });
    return seen;
  }

  /**
   * Frees what processes held that are proved dead, then forgets them. If this process dies in between, the next one repeats it.
   * `freeLocks` ends the turns of a process and returns how many; they count as leases.
   */
  async takeOver(
    queues: readonly JobKeys[],
    freeLocks: (processId: string) => Promise<number> = async () => 0,
  ): Promise<{ leases: number; jobs: number }> {
    const freed = { leases: 0, jobs: 0 };
    if (this.#own === undefined) return freed;
    for (const member of await replyWithin(this.redis.zrange(this.keys.processes, '0', '-1'))) {
      const process = JSON.parse(member) as Registered;
      if (process.id === this.id || !isProvedDead(process, this.#own)) continue;
      freed.leases += (await this.#freeLeases(process.id)) + (await freeLocks(process.id));
      for (const queue of queues) freed.jobs += await this.#freeJobs(process.id, queue);
      await replyWithin(this.redis.zrem(this.keys.processes, member));
    }
    return freed;
  }

  async #freeLeases(id: string): Promise<number> {
    const held = this.keys.leasesOf(id);
    const names = await replyWithin(this.redis.smembers(held));
    if (names.length === 0) return 0;
    const freed = await FREE_LEASES.run(
      this.redis,
      names.map((name) => this.keys.lease(name)),
      [tokenOf(id, '')],
    );
    await replyWithin(this.redis.del(held));
    return Number(freed);
  }

  async #freeJobs(id: string, { active, stalled, stalledCheck, locks }: JobKeys): Promise<number> {
    const freed = await FREE_JOBS.run(this.redis, [active, stalled, stalledCheck], [tokenOf(id, ''), locks]);
    return Number(freed);
  }
}

/** A token that names its process. */
export function tokenOf(processId: string, own: string): string {
  return `${processId}/${own}`;
}
