import type { DeadLetters } from './dead-letters.ts';
import { FORGOTTEN } from './erasure.ts';
import type { KeySpace, Spelling } from './key-space.ts';
import { type EntityKey, type EntityKind, formatKey, parseKey, readSnapshot } from './object.ts';
import type { RedisClient } from './redis-client.ts';
import { RedisStore, replyWithin, Script, TimedStore } from './redis-script.ts';
import { scanObjects } from './rewrite.ts';
import type { Claim, DeadLetter, LetterCause } from './work.ts';
import { toClaim } from './work-store.ts';

/** What is pending, dead or quarantined, and the state of single objects. Read-only. */
export class Ledger extends RedisStore {
  readonly #spelling: Spelling;
  readonly #letters: Pick<DeadLetters, 'causes' | 'newest'>;

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    spelling: Spelling;
    letters: Pick<DeadLetters, 'causes' | 'newest'>;
  }) {
    super(parts);
    this.#letters = parts.letters;
    this.#spelling = parts.spelling;
  }

  /** A delivery that is not taken in yet counts as its object. */
  async pending(): Promise<{ objects: number; oldestSinceMs: number | undefined; dueSinceMs?: number }> {
    const { deliveries, dirty, dirtySince } = this.keys;
    // The deliveries first: one that is taken in between the two answers counts in both, not in neither.
    const [kept, [oldestKept], objects, [, since], [, due]] = await Promise.all([
      replyWithin(this.redis.xlen(deliveries)),
      replyWithin(this.redis.xrange(deliveries, '-', '+', 'COUNT', 1)),
      replyWithin(this.redis.zcard(dirty)),
      replyWithin(this.redis.zrange(dirtySince, '0', '0', 'WITHSCORES')),
      replyWithin(this.redis.zrange(dirty, '0', '0', 'WITHSCORES')),
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

  /** Newest first, at most `limit`; `codes` counts all of them by the code of their first reason. */
  async deadLetters(
    limit: number,
  ): Promise<{ count: number; letters: readonly DeadLetter[]; codes: Readonly<Record<string, number>> }> {
    const causes = await this.#letters.causes();
    const letters = causes.length === 0 ? [] : await this.#letters.newest({ causes }, limit);
    const count = causes.reduce((sum, cause) => sum + cause.count, 0);
    return { count, letters: letters.map(({ name: _, ...letter }) => letter), codes: countCodes(causes) };
  }

  async quarantined(): Promise<number> {
    return replyWithin(this.redis.llen(this.keys.quarantine));
  }

  /** As a handler would see it, without taking its fence; undefined if nothing is known of it. */
  async peek(key: EntityKey): Promise<Claim | undefined> {
    const fields = await replyWithin(this.redis.hgetall(this.keys.object(formatKey(key))));
    return Object.keys(fields).length === 0 ? undefined : toClaim(key, fields, this.#spelling);
  }

  /** Objects that are behind since before this moment, oldest first, at most `limit`. Epoch milliseconds. */
  async pendingBefore(beforeMs: number, limit: number): Promise<readonly Claim[]> {
    const { dirtySince } = this.keys;
    const names = await replyWithin(
      this.redis.zrangebyscore(dirtySince, '-inf', `(${beforeMs}`, 'LIMIT', 0, limit),
    );
    const claims = await Promise.all(
      names.flatMap((name) => {
        const key = parseKey(name);
        return key === undefined ? [] : [this.peek(key)];
      }),
    );
    return claims.flatMap((claim) => claim ?? []);
  }

  /** When its next attempt is due; undefined if the object is not dirty. Epoch milliseconds. */
  async dueAt(key: EntityKey): Promise<number | undefined> {
    const score = await replyWithin(this.redis.zscore(this.keys.dirty, formatKey(key)));
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

/** All objects with stored state, in batches; one may appear twice. There is no index, so memory stays flat however many there are. */
export class KnownObjects extends RedisStore {
  readonly #spelling: Spelling;

  constructor(parts: { redis: RedisClient; keys: KeySpace; spelling: Spelling }) {
    super(parts);
    this.#spelling = parts.spelling;
  }

  async count(kind: EntityKind): Promise<number> {
    let count = 0;
    await this.#scan(kind, async (names) => {
      count += names.length;
    });
    return count;
  }

  /** Objects as a handler would see them, without taking their fences. */
  async each(kind: EntityKind, tell: (objects: readonly Claim[]) => Promise<void>): Promise<void> {
    await this.#scan(kind, async (names) => {
      const found = await Promise.all(names.map((name) => this.#claim(name)));
      await tell(found.filter((claim) => claim !== undefined));
    });
  }

  /**
   * Calls `tell` with the objects that a full list walk did not return, except deleted ones and those made since it began. Returns how many
   * are known and how many were missed.
   */
  async missed(
    kind: EntityKind,
    walk: { readonly id: string; readonly startedAtMs: number },
    tell: (ids: readonly string[]) => Promise<void>,
  ): Promise<{ readonly known: number; readonly missed: number }> {
    let [known, missed] = [0, 0];
    await this.#scan(kind, async (names) => {
      const marks = await Promise.all(
        names.map((name) => replyWithin(this.redis.hmget(this.keys.object(name), 'w', 't'))),
      );
      const alive = names.filter((_, at) => Number(marks[at]?.[1] ?? 0) === 0);
      const unshown = names.filter((name, at) => alive.includes(name) && marks[at]?.[0] !== walk.id);
      const late = await Promise.all(unshown.map((name) => this.#isMadeSince(name, walk.startedAtMs)));
      const gone = unshown.filter((_, at) => late[at] === false);
      known += alive.length;
      missed += gone.length;
      await tell(gone.map((name) => name.slice(kind.length + 1)));
    });
    return { known, missed };
  }

  async #scan(kind: EntityKind, tell: (names: readonly string[]) => Promise<void>): Promise<void> {
    await scanObjects(this.parts, `${kind}/`, async (names) => {
      if (names.length > 0) await tell(names);
    });
  }

  async #claim(name: string): Promise<Claim | undefined> {
    const key = parseKey(name);
    const fields = await replyWithin(this.redis.hgetall(this.keys.object(name)));
    return key === undefined || Object.keys(fields).length === 0
      ? undefined
      : toClaim(key, fields, this.#spelling);
  }

  /** A walk does not show objects that were made during it (platform API, Common rules of list operations). */
  async #isMadeSince(name: string, startedAtMs: number): Promise<boolean> {
    const text = await replyWithin(this.redis.hget(this.keys.object(name), 's'));
    const key = parseKey(name);
    if (key === undefined || text === null) return false;
    const madeAtMs = Date.parse(String(readSnapshot(key, text, undefined)['created_at']));
    return madeAtMs >= startedAtMs;
  }
}

/** How long an appointment stays listed for its contact: longer than it still has turns. */
const KEPT_S = 400 * 24 * 3600;

/** Keeps a customer of many years as small as one of a single year. It skips erased appointments, which the platform still lists. */
const NOTE = new Script(`${FORGOTTEN}
if forgotten_at(KEYS[2], KEYS[3], 'appointment/' .. ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', tonumber(ARGV[2]) - ${KEPT_S} * 1000)
redis.call('EXPIRE', KEYS[1], ${KEPT_S})
return 1
`);

/** An appointment that came back meanwhile may have been noted again, so the script itself asks whether it is known. */
const FORGET = new Script(`
local customer = KEYS[1]
for nth, id in ipairs(ARGV) do
  if redis.call('HEXISTS', KEYS[nth + 1], 'd') == 0 then redis.call('ZREM', customer, id) end
end
return 1
`);

/** The ids of a contact's appointments that a filter has judged by it, by when: they get another turn when the contact changes. */
export class CustomerAppointments extends TimedStore {
  async note(contactId: string, appointmentId: string): Promise<void> {
    const { forgotten, memory } = this.keys;
    const keys = [this.keys.customer(contactId), forgotten, memory];
    await NOTE.run(this.redis, keys, [appointmentId, this.clock.now()]);
  }

  async of(contactId: string): Promise<readonly string[]> {
    return replyWithin(this.redis.zrange(this.keys.customer(contactId), '0', '-1'));
  }

  /** Forgets those of them that are not known here now. */
  async forgetUnknown(contactId: string, appointmentIds: readonly string[]): Promise<void> {
    if (appointmentIds.length === 0) return;
    const objects = appointmentIds.map((id) => this.keys.object(formatKey({ kind: 'appointment', id })));
    await FORGET.run(this.redis, [this.keys.customer(contactId), ...objects], appointmentIds);
  }
}
