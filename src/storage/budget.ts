import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DeferredError } from '../domain/errors.ts';
import type { Budget } from '../ports/budget.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered } from './script.ts';

const WINDOW_S = 60;

/** Budgets per minute in Redis, one per name. A name's limit is that of the longest prefix of it that was given. */
export class RedisBudget implements Budget {
  readonly #limiters: readonly { readonly prefix: string; readonly limiter: RateLimiterRedis }[];

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    /** Prefix of the budget's name to requests per minute. */
    perMinute: Readonly<Record<string, number>>;
  }) {
    this.#limiters = Object.entries(parts.perMinute)
      .sort(([a], [b]) => b.length - a.length)
      .map(([prefix, points]) => ({
        prefix,
        limiter: new RateLimiterRedis({
          storeClient: parts.redis,
          keyPrefix: parts.keys.budgets,
          points,
          duration: WINDOW_S,
        }),
      }));
  }

  async spend(name: string, cost = 1): Promise<void> {
    const limiter = this.#limiters.find((each) => name.startsWith(each.prefix))?.limiter;
    if (limiter === undefined) return;
    const refused = await answered(
      limiter.consume(name, cost).then(
        () => undefined,
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return reason;
          throw reason;
        },
      ),
    );
    if (refused === undefined) return;
    throw new DeferredError('quota-spent', `the budget ${name} is spent for this minute`, {
      target: name,
      // A little randomness, so that those who wait do not all come back in the same millisecond.
      retryAfterMs: refused.msBeforeNext + Math.floor(Math.random() * 250),
    });
  }
}
