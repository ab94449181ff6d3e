import { type EntityKey, formatKey, isReadable } from '../../domain/entity.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { DirtyMarks } from '../../ports/work.ts';
import type { KeySpace } from '../core/key-space.ts';
import { MARK_DIRTY } from '../core/object-life.ts';
import { Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { linkField } from './work-store.ts';

const MARK_KEYS_DIRTY = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now, read = ARGV[1], ARGV[2], ARGV[3]
if redis.call('HEXISTS', object, 'd') == 0 then return 0 end
local desired = mark_dirty(object, dirty, since, key, now)
if read == '1' then redis.call('HSET', object, 'v', desired) end
return 1
`);

const RECONSIDER = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now, field, releases, reads = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5] == '1'
local text = redis.call('HGET', object, field)
if not text then return 0 end
local links = cjson.decode(text)
-- Without its hash an event is read before it is left as it is, and a row is written again.
if links.sheet then links.sheet.hash = '' end
for _, link in ipairs(links.calendars or {}) do link.hash = '' end
if releases then
  if links.sheet then links.sheet.released = true end
  for _, link in ipairs(links.calendars or {}) do link.released = true end
end
redis.call('HSET', object, field, cjson.encode(links))
local desired = mark_dirty(object, dirty, since, key, now)
-- The stored state proves nothing. In this step, because a turn between two steps would decide by it.
if reads then redis.call('HSET', object, 'v', desired) end
-- A handler at work has read the links as they were, and would write them back.
redis.call('HINCRBY', object, 'f', 1)
return 1
`);

/** Marks objects dirty outside of the ordinary flow. */
export class RedisDirtyMarks implements DirtyMarks {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** Leads, messages and bookings cannot be read alone (platform API, Leads). Their handlers look again at what is known. */
  async markDirty(
    keys: readonly EntityKey[],
    { read }: { readonly read: boolean },
  ): Promise<readonly EntityKey[]> {
    const known = await Promise.all(keys.map((key) => this.#markDirty(key, read && isReadable(key.kind))));
    return keys.filter((_, at) => !known[at]);
  }

  async release(keys: readonly EntityKey[], mirror: string): Promise<void> {
    await this.#reconsider(keys, mirror, '1');
  }

  async doubt(keys: readonly EntityKey[], mirror: string): Promise<void> {
    await this.#reconsider(keys, mirror, '0');
  }

  async #reconsider(keys: readonly EntityKey[], mirror: string, releases: '0' | '1'): Promise<void> {
    await Promise.all(
      keys.map((entity) => {
        const key = formatKey(entity);
        return RECONSIDER.run(
          this.#redis,
          [this.#keys.object(key), this.#keys.dirty, this.#keys.dirtySince],
          [key, this.#clock.now(), linkField(mirror), releases, isReadable(entity.kind) ? '1' : '0'],
        );
      }),
    );
  }

  async #markDirty(entity: EntityKey, reads: boolean): Promise<boolean> {
    const key = formatKey(entity);
    const nudged = await MARK_KEYS_DIRTY.run(
      this.#redis,
      [this.#keys.object(key), this.#keys.dirty, this.#keys.dirtySince],
      [key, this.#clock.now(), reads ? '1' : '0'],
    );
    return nudged === 1;
  }
}
