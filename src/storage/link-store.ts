import { formatKey } from '../domain/entity.ts';
import type { CalendarLink, MirrorLinks } from '../domain/link.ts';
import type { Claim } from '../domain/work.ts';
import type { Clock } from '../ports/clock.ts';
import type { LinkStore } from '../ports/link-store.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { Script } from './script.ts';
import { linkField } from './work-store.ts';

const WRITE = new Script(`
if redis.call('HGET', KEYS[1], 'f') ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[2]) else redis.call('HSET', KEYS[1], ARGV[2], ARGV[3]) end
return 1
`);

const ADOPT = new Script(`
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, field, link, now = ARGV[1], ARGV[2], cjson.decode(ARGV[3]), ARGV[4]
local known = redis.call('HGET', object, field)
local links = known and cjson.decode(known) or {}
links.calendars = links.calendars or {}
for _, each in ipairs(links.calendars) do
  if each.calendarId == link.calendarId then return 0 end
end
table.insert(links.calendars, link)
redis.call('HSET', object, field, cjson.encode(links))
redis.call('HINCRBY', object, 'd', 1)
-- A handler at work has read the links without this one, and would overwrite it: it is fenced off.
redis.call('HINCRBY', object, 'f', 1)
redis.call('ZADD', dirty, now, key)
redis.call('ZADD', since, 'NX', now, key)
return 1
`);

/** Links in Redis, as fields of the object they belong to, so that a claim brings them along. */
export class RedisLinkStore implements LinkStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async write(claim: Claim, mirror: string, links: MirrorLinks): Promise<boolean> {
    const isEmpty = (links.calendars ?? []).length === 0 && links.sheet === undefined;
    const written = await WRITE.run(
      this.#redis,
      [this.#keys.object(formatKey(claim.key))],
      [claim.fence, linkField(mirror), isEmpty ? '' : JSON.stringify(links)],
    );
    return written === 1;
  }

  async adopt(key: string, mirror: string, link: CalendarLink): Promise<boolean> {
    const adopted = await ADOPT.run(
      this.#redis,
      [this.#keys.object(key), this.#keys.dirty, this.#keys.dirtySince],
      [key, linkField(mirror), JSON.stringify(link), this.#clock.now()],
    );
    return adopted === 1;
  }
}
