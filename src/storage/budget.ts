import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DeferredError } from '../domain/errors.ts';
import {
  type Budget,
  type BudgetRank,
  type QuotaPause,
  type QuotaRefusal,
  quotaOf,
  readQuotaName,
  type Spending,
} from '../ports/budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { QuotaLedger, QuotaState } from '../ports/quota-ledger.ts';
import type { KeySpace } from './key-space.ts';
import { RedisQuotaPauses } from './quota-pauses.ts';
import type { RedisClient } from './redis-client.ts';
import { answered } from './script.ts';

const WINDOW_S = 60;
/** Share of the limit that a rank leaves to those before it. */
const KEPT_SHARE: Readonly<Record<BudgetRank, number>> = { live: 0, 'catch-up': 0.1, list: 0.25 };
/** A budget that nobody has used for so long is not shown any more. */
const SHOWN_MS = 3_600_000;
/** How often a process notes that it uses a budget. */
const NOTED_EVERY_MS = 60_000;

interface Limit {
  readonly prefix: string;
  readonly points: number;
  readonly limiter: RateLimiterRedis;
}

/**
 * Budgets per minute in Redis, one per name, and Google's own pauses over them. A name's limit is that of the longest prefix of it
 * that was given; a name without one is not counted.
 */
export class RedisBudget implements Budget, QuotaLedger {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  readonly #pauses: RedisQuotaPauses;
  readonly #limits: readonly Limit[];
  readonly #notedAtMs = new Map<string, number>();
  /** When the newest call left that was answered, by budget. Of this process only: to share it would cost a command per call. */
  readonly #answeredAtMs = new Map<string, number>();

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    /** Prefix of the budget's name to requests per minute. */
    perMinute: Readonly<Record<string, number>>;
  }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
    this.#pauses = new RedisQuotaPauses(parts);
    this.#limits = Object.entries(parts.perMinute)
      .sort(([a], [b]) => b.length - a.length)
      .map(([prefix, points]) => ({
        prefix,
        points,
        limiter: new RateLimiterRedis({
          storeClient: parts.redis,
          keyPrefix: parts.keys.budgets,
          points,
          duration: WINDOW_S,
        }),
      }));
  }

  async spend(name: string, { cost = 1, rank = 'live', target }: Spending = {}): Promise<void> {
    const pausable = target === undefined ? [name] : [name, quotaOf(name, target)];
    for (const quota of pausable) {
      const knownMs = this.#pauses.knownForMs(quota);
      if (knownMs > 0) throw paused(quota, knownMs);
    }
    const limit = this.#limitOf(name);
    const [pausedMs, spentMs] = await Promise.all([
      Promise.all(pausable.map((quota) => this.#pauses.forMs(quota))),
      limit === undefined ? 0 : this.#take(limit, name, { cost, rank }),
      this.#note(name),
    ]);
    for (const [at, quota] of pausable.entries()) {
      const waitMs = pausedMs[at] ?? 0;
      if (waitMs > 0) throw paused(quota, waitMs);
    }
    if (spentMs > 0) throw spent(name, spentMs);
  }

  async refused(name: string, refusal: QuotaRefusal): Promise<QuotaPause> {
    const { target, firstMs } = refusal;
    const knownMs = this.#answeredAtMs.get(name) ?? 0;
    // Of a clock that has been put back since: it says nothing of now.
    const answeredAtMs = knownMs > this.#clock.now() ? 0 : knownMs;
    const isAlone =
      target !== undefined && !(await this.#pauses.isCredentials(name, { target, firstMs, answeredAtMs }));
    const quota = isAlone ? quotaOf(name, target) : name;
    const [waitMs] = await Promise.all([this.#pauses.grow(quota, refusal), this.#note(quota)]);
    return { quota, waitMs };
  }

  answered(name: string, leftAtMs: number): void {
    // A clock that was set back must not make old answers newer than what is refused now.
    const knownMs = Math.min(this.#answeredAtMs.get(name) ?? 0, this.#clock.now());
    this.#answeredAtMs.set(name, Math.max(knownMs, leftAtMs));
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
      await answered(command.exec());
    }
  }

  async read(): Promise<readonly QuotaState[]> {
    const sinceMs = this.#clock.now() - SHOWN_MS;
    const recent = await answered(this.#redis.zrangebyscore(this.#keys.quotas, sinceMs, '+inf'));
    const states = await Promise.all(recent.sort().map((name) => this.#state(name)));
    return states.filter((state) => state !== undefined);
  }

  async #state(name: string): Promise<QuotaState | undefined> {
    const { budget, target } = readQuotaName(name);
    const limit = this.#limitOf(budget);
    if (limit === undefined) return undefined;
    const [counted, pause, waiting] = await Promise.all([
      // Not by the limiter, which asks within MULTI: a Redis that is full refuses to queue anything, and status is needed most then.
      answered(this.#redis.get(limit.limiter.getKey(budget))),
      this.#pauses.read(name),
      answered(this.#redis.zcount(this.#keys.quotaWaits(name), this.#clock.now(), '+inf')),
    ]);
    // A target is of interest for as long as it rests.
    if (target !== undefined && pause === undefined && waiting === 0) return undefined;
    return {
      name: budget,
      target,
      // Those who were sent away are counted by the limiter as well.
      spent: Math.min(Number(counted ?? 0), limit.points),
      limit: limit.points,
      pausedUntilMs: pause?.untilMs,
      reason: pause?.reason,
      waiting,
    };
  }

  /** Milliseconds to wait; 0 when it was taken. */
  async #take(
    { limiter, points }: Limit,
    name: string,
    { cost, rank }: { cost: number; rank: BudgetRank },
  ): Promise<number> {
    const kept = Math.floor(points * KEPT_SHARE[rank]);
    if (kept > 0) {
      const counted = await answered(limiter.get(name));
      if (counted !== null && counted.consumedPoints + cost > points - kept) return counted.msBeforeNext;
    }
    const refused = await answered(
      limiter.consume(name, cost).then(
        () => undefined,
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return reason;
          throw reason;
        },
      ),
    );
    // Not 0 for a window that ends this very moment.
    return refused === undefined ? 0 : Math.max(1, refused.msBeforeNext);
  }

  async #note(name: string): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - (this.#notedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < NOTED_EVERY_MS) return;
    this.#notedAtMs.set(name, nowMs);
    await answered(this.#redis.zadd(this.#keys.quotas, nowMs, name));
  }

  #limitOf(name: string): Limit | undefined {
    return this.#limits.find(({ prefix }) => name.startsWith(prefix));
  }
}

function spent(name: string, waitMs: number): DeferredError {
  return new DeferredError('quota-spent', `the budget ${name} is spent for this minute`, {
    target: name,
    quota: name,
    // A little randomness, so that those who wait do not all come back in the same millisecond.
    retryAfterMs: waitMs + Math.floor(Math.random() * 250),
  });
}

function paused(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'one calendar';
  return new DeferredError('quota-paused', `Google has refused more requests of ${what} for now`, {
    target: target ?? budget,
    quota,
    retryAfterMs: waitMs,
  });
}
