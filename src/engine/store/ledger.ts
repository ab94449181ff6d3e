import { type EntityKey, formatKey, parseKey } from '../domain/object.ts';
import type { Claim, DeadLetter } from '../domain/work.ts';
import type { DeadLetters, Ledger, LetterCause, ObjectView, PendingObjects } from '../ports/work.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin } from './script.ts';
import type { Spelling } from './spelling.ts';
import { toClaim } from './work-store.ts';

/** Reads the work state in Redis; changes nothing. */
export class RedisLedger implements Ledger, ObjectView, PendingObjects {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #spelling: Spelling;
  readonly #letters: Pick<DeadLetters, 'causes' | 'newest'>;

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    spelling: Spelling;
    letters: Pick<DeadLetters, 'causes' | 'newest'>;
  }) {
    this.#letters = parts.letters;
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#spelling = parts.spelling;
  }

  /** A delivery that is not taken in yet counts as its object. */
  async pending(): Promise<{ objects: number; oldestSinceMs: number | undefined; dueSinceMs?: number }> {
    const { deliveries, dirty, dirtySince } = this.#keys;
    // The deliveries first: one that is taken in between the two answers counts in both, not in neither.
    const [kept, [oldestKept], objects, [, since], [, due]] = await Promise.all([
      replyWithin(this.#redis.xlen(deliveries)),
      replyWithin(this.#redis.xrange(deliveries, '-', '+', 'COUNT', 1)),
      replyWithin(this.#redis.zcard(dirty)),
      replyWithin(this.#redis.zrange(dirtySince, '0', '0', 'WITHSCORES')),
      replyWithin(this.#redis.zrange(dirty, '0', '0', 'WITHSCORES')),
    ]);
    // The id of an entry begins with its time of arrival.
    const moments = [oldestKept?.[0].split('-')[0], since].flatMap((ms) =>
      ms === undefined ? [] : [Number(ms)],
    );
    return {
      objects: kept + objects,
      oldestSinceMs: moments.length === 0 ? undefined : Math.min(...moments),
      ...(due !== undefined && { dueSinceMs: Number(due) }),
    };
  }

  async deadLetters(
    limit: number,
  ): Promise<{ count: number; letters: readonly DeadLetter[]; codes: Readonly<Record<string, number>> }> {
    const causes = await this.#letters.causes();
    const letters = causes.length === 0 ? [] : await this.#letters.newest({ causes }, limit);
    const count = causes.reduce((sum, cause) => sum + cause.count, 0);
    return { count, letters: letters.map(({ name: _, ...letter }) => letter), codes: countCodes(causes) };
  }

  async quarantined(): Promise<number> {
    return replyWithin(this.#redis.llen(this.#keys.quarantine));
  }

  async peek(key: EntityKey): Promise<Claim | undefined> {
    const fields = await replyWithin(this.#redis.hgetall(this.#keys.object(formatKey(key))));
    return Object.keys(fields).length === 0 ? undefined : toClaim(key, fields, this.#spelling);
  }

  async pendingBefore(beforeMs: number, limit: number): Promise<readonly Claim[]> {
    const { dirtySince } = this.#keys;
    const names = await replyWithin(
      this.#redis.zrangebyscore(dirtySince, '-inf', `(${beforeMs}`, 'LIMIT', 0, limit),
    );
    const claims = await Promise.all(
      names.flatMap((name) => {
        const key = parseKey(name);
        return key === undefined ? [] : [this.peek(key)];
      }),
    );
    return claims.flatMap((claim) => claim ?? []);
  }

  async dueAt(key: EntityKey): Promise<number | undefined> {
    const score = await replyWithin(this.#redis.zscore(this.#keys.dirty, formatKey(key)));
    return score === null ? undefined : Number(score);
  }
}

function countCodes(causes: readonly LetterCause[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reasons, count } of causes) {
    const code = reasons[0]?.code ?? 'unknown';
    counts[code] = (counts[code] ?? 0) + count;
  }
  return counts;
}
