import type { Snapshot } from '../domain/object.ts';
import { type EntityKind, parseKey } from '../domain/object.ts';
import type { Claim } from '../domain/work.ts';
import type { KnownObjects } from '../ports/work.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { scanObjects } from './rewrite.ts';
import { replyWithin } from './script.ts';
import type { Spelling } from './spelling.ts';
import { toClaim } from './work-store.ts';

/** The objects in Redis, found by SCAN. There is no index, so memory stays flat however many there are. */
export class RedisKnownObjects implements KnownObjects {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #spelling: Spelling;

  constructor(parts: { redis: RedisClient; keys: KeySpace; spelling: Spelling }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#spelling = parts.spelling;
  }

  async count(kind: EntityKind): Promise<number> {
    let count = 0;
    await this.#scan(kind, async (names) => {
      count += names.length;
    });
    return count;
  }

  async each(kind: EntityKind, tell: (objects: readonly Claim[]) => Promise<void>): Promise<void> {
    await this.#scan(kind, async (names) => {
      const found = await Promise.all(names.map((name) => this.#claim(name)));
      await tell(found.filter((claim) => claim !== undefined));
    });
  }

  async missed(
    kind: EntityKind,
    walk: { readonly id: string; readonly startedAtMs: number },
    tell: (ids: readonly string[]) => Promise<void>,
  ): Promise<{ readonly known: number; readonly missed: number }> {
    let [known, missed] = [0, 0];
    await this.#scan(kind, async (names) => {
      const marks = await Promise.all(
        names.map((name) => replyWithin(this.#redis.hmget(this.#keys.object(name), 'w', 't'))),
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
    await scanObjects({ redis: this.#redis, keys: this.#keys }, `${kind}/`, async (names) => {
      if (names.length > 0) await tell(names);
    });
  }

  async #claim(name: string): Promise<Claim | undefined> {
    const key = parseKey(name);
    const fields = await replyWithin(this.#redis.hgetall(this.#keys.object(name)));
    return key === undefined || Object.keys(fields).length === 0
      ? undefined
      : toClaim(key, fields, this.#spelling);
  }

  /** A walk does not show objects that were made during it (platform API, Common rules of list operations). */
  async #isMadeSince(name: string, startedAtMs: number): Promise<boolean> {
    const text = await replyWithin(this.#redis.hget(this.#keys.object(name), 's'));
    const madeAtMs =
      text === null ? Number.NaN : Date.parse(String((JSON.parse(text) as Snapshot)['created_at']));
    return madeAtMs >= startedAtMs;
  }
}
