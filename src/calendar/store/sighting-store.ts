import type { SeenEntry } from '../../engine/domain/history.ts';
import type { Keep } from '../../engine/domain/keep.ts';
import { type EntityKey, formatKey } from '../../engine/domain/object.ts';
import type { Sighting } from '../../engine/domain/outside-booking.ts';
import type { SightingStore, SightOutcome } from '../../engine/ports/calendars.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import { HISTORY_ENTRIES_MAX, historyTtlS, NOTE_ENTRY } from '../../engine/store/history.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { MARK_DIRTY } from '../../engine/store/object-life.ts';
import { NamedScript, replyWithin } from '../../engine/store/script.ts';
import { sightingField, sightingText } from '../../engine/store/work-store.ts';

/** A hint to Redis, which may return more events per step. */
const EVENTS_PER_SCAN = 500;

/**
 * One step, so that no crash leaves a sighting that no handler looks at. A sighting with the link's etag is an echo of the worker's own
 * write. So is one with the link's content: a change of another event of its series gave it a new etag. An empty etag (a tombstone with only
 * an id) proves nothing and is no echo.
 */
const SIGHT = new NamedScript(
  {
    keys: ['object', 'dirty', 'since', 'history', 'changes', 'index'],
    args: [
      ...(['key', 'calendar', 'event', 'etag', 'is_alive', 'content', 'field', 'text'] as const),
      ...(['now', 'entry', 'entries_max', 'history_ttl'] as const),
    ],
  },
  `${MARK_DIRTY}${NOTE_ENTRY}
local fields = redis.call('HGETALL', object)
if #fields == 0 then return 'unknown' end
local is_linked, desired, synced, stored = false, '0', '0', false
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'd' then desired = value end
  if name == 'y' then synced = value end
  if name == field then stored = cjson.decode(value) end
  if string.sub(name, 1, 2) == 'l:' then
    for _, link in ipairs(cjson.decode(value).calendars or {}) do
      if link.calendarId == calendar and link.eventId == event then
        is_linked = true
        if etag ~= '' and link.etag == etag then return 'echo' end
        if content ~= '' and link.content == content and not link.editSeenAtMs then return 'echo' end
      end
    end
  end
end
if is_linked then redis.call('HSET', index, event, key) elseif is_alive ~= '1' then return 'ignored' end
-- A page that is read again, or a listing that shows what the last one showed: nobody has looked at it yet.
if stored and stored.etag == etag and desired ~= synced and redis.call('ZSCORE', dirty, key) then return 'noticed' end

redis.call('HSET', object, field, text)
redis.call('HSETNX', object, 'y', 0)
if desired == synced then redis.call('HSET', object, 'e', now) end
mark_dirty(object, dirty, since, key, now)
note_entry(history, changes, key, entry, entry, entries_max, history_ttl)
return 'noticed'
`,
);

/** Sightings in Redis, as fields of their object, and the index of each calendar's linked events. */
export class RedisSightingStore implements SightingStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  readonly #historyTtlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; keep: Keep }) {
    this.#redis = parts.redis;
    this.#historyTtlS = historyTtlS(parts.keep);
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async sight(
    key: EntityKey,
    sighting: Sighting,
    seen: { readonly isAlive: boolean; readonly content?: string | undefined },
  ): Promise<SightOutcome> {
    const { calendarId, eventId, etag } = sighting;
    const name = formatKey(key);
    const outcome = await SIGHT.run(this.#redis, {
      keys: {
        object: this.#keys.object(name),
        dirty: this.#keys.dirty,
        since: this.#keys.dirtySince,
        history: this.#keys.history(name),
        changes: this.#keys.changes,
        index: this.#keys.eventsOf + calendarId,
      },
      args: {
        ...{ key: name, calendar: calendarId, event: eventId, etag, is_alive: seen.isAlive ? '1' : '0' },
        ...{
          content: seen.content ?? '',
          field: sightingField(sighting),
          text: sightingText(sighting),
          now: this.#clock.now(),
        },
        entry: JSON.stringify(historyEntry(sighting)),
        ...{ entries_max: HISTORY_ENTRIES_MAX, history_ttl: this.#historyTtlS },
      },
    });
    return outcome as SightOutcome;
  }

  async linked(calendarId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (eventIds.length === 0) return new Map();
    const keys = await replyWithin(this.#redis.hmget(this.#keys.eventsOf + calendarId, ...eventIds));
    const linked = new Map<string, string>();
    for (const [at, eventId] of eventIds.entries()) {
      const key = keys[at];
      if (key !== null && key !== undefined) linked.set(eventId, key);
    }
    return linked;
  }

  async *allLinked(calendarId: string): AsyncGenerator<ReadonlyMap<string, string>> {
    let cursor = '0';
    do {
      const [next, flat] = await replyWithin(
        this.#redis.hscan(this.#keys.eventsOf + calendarId, cursor, 'COUNT', EVENTS_PER_SCAN),
      );
      const some = new Map<string, string>();
      for (let at = 0; at + 1 < flat.length; at += 2) some.set(String(flat[at]), String(flat[at + 1]));
      if (some.size > 0) yield some;
      cursor = next;
    } while (cursor !== '0');
  }
}

function historyEntry({ eventId, seenAtMs }: Sighting): SeenEntry {
  return {
    what: 'seen',
    atMs: seenAtMs,
    via: 'calendar',
    eventId,
    occurredAtMs: seenAtMs,
    outcome: 'noticed',
  };
}
