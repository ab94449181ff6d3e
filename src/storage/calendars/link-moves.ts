import { type EntityKind, parseKey } from '../../domain/entity.ts';
import { RetryableError } from '../../domain/errors.ts';
import type { ObjectLinks } from '../../domain/link.ts';
import type { LinkMoves } from '../../ports/calendars.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { scanObjects } from '../rows/rewrite.ts';
import { LINK_FIELD } from '../work/work-store.ts';
import { linksText, parseLinks } from './link-text.ts';

/** Attempts to move the links of one object. Links change between read and write only while handlers of an older mapping are at work. */
const TRIES_MAX = 5;

/**
 * Replaces all fields of one object in one step, so that no crash leaves an event linked twice or nowhere. ARGV: field, old text, new text.
 */
const REARRANGE = new Script(`
local object = KEYS[1]
-- It has expired since. A write would create it again, and nothing would remove it.
if redis.call('EXISTS', object) == 0 then return 0 end
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', object, ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 3 do
  if ARGV[i + 2] == '' then redis.call('HDEL', object, ARGV[i]) else redis.call('HSET', object, ARGV[i], ARGV[i + 2]) end
end
-- A handler at work has read the links as they were, and would write them back.
redis.call('HINCRBY', object, 'f', 1)
return 1
`);

export class RedisLinkMoves implements LinkMoves {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async rearrange(
    decide: (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined,
  ): Promise<number> {
    let changed = 0;
    await scanObjects({ redis: this.#redis, keys: this.#keys }, '', async (names) => {
      const done = await Promise.all(names.map((name) => this.#rearrange(name, decide)));
      changed += done.filter((each) => each).length;
    });
    return changed;
  }

  async forgetRows(place: {
    readonly mirror: string;
    readonly spreadsheetId: string;
    readonly tab: string;
  }): Promise<void> {
    await replyWithin(this.#redis.del(this.#keys.rows(place)));
  }

  async #rearrange(
    name: string,
    decide: (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined,
  ): Promise<boolean> {
    const key = parseKey(name);
    if (key === undefined) return false;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const fields = await replyWithin(this.#redis.hgetall(this.#keys.object(name)));
      if (Object.keys(fields).length === 0) return false;
      const known = Object.entries(fields).filter(([field]) => field.startsWith(LINK_FIELD));
      const links = Object.fromEntries(
        known.map(([field, text]) => [field.slice(LINK_FIELD.length), parseLinks(text)]),
      );
      const wanted = decide(key.kind, links);
      if (wanted === undefined) return false;
      const changes = Object.entries(wanted)
        .filter(([mirror, each]) => each !== links[mirror])
        .flatMap(([mirror, each]) => {
          const field = LINK_FIELD + mirror;
          return [field, fields[field] ?? '', Object.keys(each).length === 0 ? '' : linksText(each)];
        });
      if (changes.length === 0) return false;
      if ((await REARRANGE.run(this.#redis, [this.#keys.object(name)], changes)) === 1) return true;
    }
    throw new RetryableError(
      'links-contended',
      'the links of an object change faster than they can be moved',
    );
  }
}
