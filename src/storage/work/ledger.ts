import { type EntityKey, formatKey, parseKey } from '../../domain/entity.ts';
import type { Claim, DeadLetter } from '../../domain/work.ts';
import type { Ledger, ObjectView, PendingObjects } from '../../ports/work.ts';
import type { Spelling } from '../calendars/spelling.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { toClaim } from './work-store.ts';

/** Reads the work state in Redis; changes nothing. */
export class RedisLedger implements Ledger, ObjectView, PendingObjects {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #spelling: Spelling;

  constructor(parts: { redis: RedisClient; keys: KeySpace; spelling: Spelling }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#spelling = parts.spelling;
  }

  /** A delivery that is not taken in yet counts as its object. */
  async pending(): Promise<{ objects: number; oldestSinceMs: number | undefined }> {
    const { deliveries, dirty, dirtySince } = this.#keys;
    // The deliveries first: one that is taken in between the two answers counts in both, not in neither.
    const [kept, [oldestKept], objects, [, since]] = await Promise.all([
      replyWithin(this.#redis.xlen(deliveries)),
      replyWithin(this.#redis.xrange(deliveries, '-', '+', 'COUNT', 1)),
      replyWithin(this.#redis.zcard(dirty)),
      replyWithin(this.#redis.zrange(dirtySince, '0', '0', 'WITHSCORES')),
    ]);
    // The id of an entry begins with its time of arrival.
    const moments = [oldestKept?.[0].split('-')[0], since].flatMap((ms) =>
      ms === undefined ? [] : [Number(ms)],
    );
    return {
      objects: kept + objects,
      oldestSinceMs: moments.length === 0 ? undefined : Math.min(...moments),
    };
  }

  async deadLetters(
    limit: number,
  ): Promise<{ count: number; letters: readonly DeadLetter[]; codes: Readonly<Record<string, number>> }> {
    const texts = await replyWithin(this.#redis.hvals(this.#keys.dead));
    const letters = texts.map((text) => JSON.parse(text) as DeadLetter).sort((a, b) => b.atMs - a.atMs);
    return { count: letters.length, letters: letters.slice(0, limit), codes: countCodes(letters) };
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

function countCodes(letters: readonly DeadLetter[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reasons } of letters) {
    const code = reasons[0]?.code ?? 'unknown';
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}
