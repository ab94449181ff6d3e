import { DeferredError } from '../../engine/domain/errors.ts';
import type { QuotaLedger, QuotaState } from '../../engine/ports/quotas.ts';
import {
  type Admission,
  type Budget,
  type BudgetRank,
  type QuotaPause,
  type QuotaRefusal,
  quotaOf,
  readQuotaName,
  type Spending,
} from '../../engine/ports/quotas.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin } from '../../engine/store/script.ts';
import { ANSWER, LOOK, REFUSE, SPEND } from './rate-scripts.ts';

/** Share of the limit that a rank leaves to higher ranks. */
const RESERVED_SHARE: Readonly<Record<BudgetRank, number>> = { live: 0, 'catch-up': 0.1, list: 0.25 };
/** How long a budget is shown after its last use. */
const SHOWN_MS = 3_600_000;
/** How often a process notes that it uses a budget. */
const NOTED_EVERY_MS = 60_000;
/** How long a caller waits at most before it checks whether a stop is over. The check costs Google nothing. */
const WAIT_MS_MAX = 5 * 60_000;
/** Random share added to a wait, and its limit, so that callers come back apart from each other. */
const SPREAD_SHARE = 0.1;
const SPREAD_MS_MAX = 5_000;
/** For a budget without a setting. */
const UNLIMITED = 1_000_000;

interface Limit {
  readonly prefix: string;
  readonly perMinute: number;
}

/**
 * Admits calls at a rate that all processes share and that Google's answers adjust. Each call is one step in Redis, on the clock of Redis.
 * The longest prefix of a name that has a setting gives its ceiling. Without one, only refusals stop the name's calls.
 */
export class RedisBudget implements Budget, QuotaLedger {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  readonly #storeClock: Clock | undefined;
  readonly #limits: readonly Limit[];
  /** On the monotonic clock of this process. */
  readonly #notedAtMs = new Map<string, number>();

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    /** Prefix of the budget's name to requests per minute. */
    perMinute: Readonly<Record<string, number>>;
    /** Replaces the clock of Redis. */
    storeClock?: Clock;
  }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
    this.#storeClock = parts.storeClock;
    this.#limits = Object.entries(parts.perMinute)
      .sort(([a], [b]) => b.length - a.length)
      .map(([prefix, perMinute]) => ({ prefix, perMinute }));
  }

  async spend(name: string, { rank = 'live', target }: Spending = {}): Promise<Admission> {
    const asked = SPEND.run(this.#redis, {
      keys: this.#ratesOf({ budget: name, target }),
      args: { ...this.#rateArgs(name), kept: RESERVED_SHARE[rank], rank, chance: Math.random() },
    });
    const [answer] = await Promise.all([asked, this.#note(name)]);
    const [isAdmitted, first, second, why] = answer as [number, number, number, string];
    if (isAdmitted === 1) return { budget: name, target, turn: first, atMs: second };
    const quota = second === 2 && target !== undefined ? quotaOf(name, target) : name;
    throw why === 'paused' ? paused(quota, first) : spent(quota, first);
  }

  async refused(admission: Admission, refusal: QuotaRefusal): Promise<QuotaPause> {
    const { budget, target, turn, atMs: at } = admission;
    const { reason, mayMeanTarget, stop } = refusal;
    const answer = await REFUSE.run(this.#redis, {
      keys: this.#ratesOf(admission),
      args: {
        ...{ ...this.#rateArgs(budget), turn, at, reason, may_mean_target: mayMeanTarget ? 1 : 0 },
        ...{ first: stop?.firstMs ?? 0, times: stop?.times ?? 1, longest: stop?.longestMs ?? 0 },
        at_once: stop?.atOnce ? 1 : 0,
      },
    });
    const [which, waitMs] = answer as [number, number];
    const quota = which === 2 && target !== undefined ? quotaOf(budget, target) : budget;
    if (quota !== budget) await this.#note(quota);
    return { quota, waitMs: waitMs === 0 ? 0 : spread(waitMs) };
  }

  async answered(admission: Admission): Promise<void> {
    const { budget, turn, atMs: at } = admission;
    const args = { ...this.#rateArgs(budget), turn, at };
    await ANSWER.run(this.#redis, { keys: this.#ratesOf(admission), args });
  }

  async waits(key: string, names: readonly string[], untilMs: number): Promise<void> {
    for (const name of new Set(names)) {
      const waiting = this.#keys.quotaWaits(name);
      const command = this.#redis
        .multi()
        .zremrangebyscore(waiting, '-inf', this.#clock.now())
        .zadd(waiting, untilMs, key)
        .pexpire(waiting, SHOWN_MS)
        .zadd(this.#keys.quotas, this.#clock.now(), name);
      await replyWithin(command.exec());
    }
  }

  async read(): Promise<readonly QuotaState[]> {
    const sinceMs = this.#clock.now() - SHOWN_MS;
    const recent = await replyWithin(this.#redis.zrangebyscore(this.#keys.quotas, sinceMs, '+inf'));
    const states = await Promise.all(recent.sort().map((name) => this.#state(name)));
    return states.filter((state) => state !== undefined);
  }

  async #state(name: string): Promise<QuotaState | undefined> {
    const { budget, target } = readQuotaName(name);
    const limit = this.#limitOf(budget);
    if (limit === undefined) return undefined;
    const [seen, waiting] = await Promise.all([
      // LOOK writes nothing: Redis may be full, and status is needed most then.
      LOOK.run(this.#redis, { keys: { quota: this.#keys.rate(name) }, args: this.#rateArgs(budget) }),
      replyWithin(this.#redis.zcount(this.#keys.quotaWaits(name), this.#clock.now(), '+inf')),
    ]);
    const [used, admitted, stoppedMs, reason, isLimited] = seen as [number, number, number, string, number];
    // A target matters only while it is limited.
    if (target !== undefined && isLimited === 0 && waiting === 0) return undefined;
    return {
      name: budget,
      target,
      spent: used,
      admitted,
      limit: limit.perMinute,
      pausedUntilMs: stoppedMs === 0 ? undefined : this.#clock.now() + stoppedMs,
      reason: reason === '' ? undefined : reason,
      waiting,
    };
  }

  /** Both keys share one slot (`KeySpace`). They are equal without a target. */
  #ratesOf({ budget, target }: Pick<Admission, 'budget' | 'target'>): { budget: string; target: string } {
    const quota = target === undefined ? budget : quotaOf(budget, target);
    return { budget: this.#keys.rate(budget), target: this.#keys.rate(quota) };
  }

  #rateArgs(budget: string): { now: number | ''; told: number } {
    return { now: this.#storeClock?.now() ?? '', told: this.#limitOf(budget)?.perMinute ?? UNLIMITED };
  }

  async #note(name: string): Promise<void> {
    const notedAtMs = this.#notedAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - notedAtMs < NOTED_EVERY_MS) return;
    this.#notedAtMs.set(name, performance.now());
    await replyWithin(this.#redis.zadd(this.#keys.quotas, this.#clock.now(), name));
  }

  #limitOf(name: string): Limit | undefined {
    return this.#limits.find(({ prefix }) => name.startsWith(prefix));
  }
}

function spread(waitMs: number): number {
  const ms = Math.min(waitMs, WAIT_MS_MAX);
  return Math.ceil(ms + Math.random() * Math.min(ms * SPREAD_SHARE, SPREAD_MS_MAX));
}

function spent(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'the budget of one calendar';
  return new DeferredError('quota-spent', `${what} is spent for now`, {
    target: target ?? budget,
    quota,
    // SPEND has already given each caller its own moment.
    retryAfterMs: waitMs,
  });
}

function paused(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'one calendar';
  return new DeferredError('quota-paused', `Google has refused more requests of ${what} for now`, {
    target: target ?? budget,
    quota,
    retryAfterMs: spread(waitMs),
  });
}
