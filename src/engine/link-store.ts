import { FORGOTTEN } from './erasure.ts';
import { fenced } from './errors.ts';
import { isEventIdOf } from './ids.ts';
import type { KeySpace } from './key-space.ts';
import { type CalendarLink, linksText, linkText, type MirrorLinks } from './link.ts';
import { formatKey } from './object.ts';
import type { RedisClient } from './redis-client.ts';
import { NamedScript, RUN, Script } from './redis-script.ts';
import type { Clock } from './runtime.ts';
import type { Claim } from './work.ts';
import { linkField, MARK_DIRTY, sightingField, sightingText } from './work-store.ts';

/**
 * Both scripts also keep the index of each calendar's events. Only Redis knows which calendars the old links named, so the script builds
 * the index keys from their common prefix. All keys share one slot.
 */
const WRITE = new Script(`${RUN}
local object, key, field, links, index = KEYS[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local state = redis.call('HMGET', object, 'f', field)
if run() .. ' ' .. (state[1] or '') ~= ARGV[1] then return 0 end
local known = state[2]
local former = known and cjson.decode(known).calendars or {}
local calendars = {}
if links == '' then
  redis.call('HDEL', object, field)
else
  redis.call('HSET', object, field, links)
  if not known then redis.call('PERSIST', object) end
  calendars = cjson.decode(links).calendars or {}
end
local held, was_held = {}, {}
for _, link in ipairs(former) do was_held[link.calendarId .. ' ' .. link.eventId] = true end
for _, link in ipairs(calendars) do
  local place = link.calendarId .. ' ' .. link.eventId
  held[place] = true
  if not was_held[place] then redis.call('HSET', index .. link.calendarId, link.eventId, key) end
end
local gone = {}
for _, link in ipairs(former) do
  if not held[link.calendarId .. ' ' .. link.eventId] then table.insert(gone, link) end
end
if #gone == 0 then return 1 end
-- Another mirror of the same object may hold the event still.
local fields = redis.call('HGETALL', object)
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 2) == 'l:' then
    for _, link in ipairs(cjson.decode(fields[i + 1]).calendars or {}) do
      held[link.calendarId .. ' ' .. link.eventId] = true
    end
  end
end
for _, link in ipairs(gone) do
  local is_ours = redis.call('HGET', index .. link.calendarId, link.eventId) == key
  if is_ours and not held[link.calendarId .. ' ' .. link.eventId] then
    redis.call('HDEL', index .. link.calendarId, link.eventId)
  end
end
return 1
`);

/**
 * An event that is linked in another calendar may have been dragged from there. If this script linked it here as well, the event would pass
 * for the worker's own, and its absence there for a deletion. So the script stores a sighting instead, and the event's handler finds out. A
 * `leaving` link does not count, because the absence of its event proves nothing. An event with a derived id beside another event of the
 * appointment is sighted, too: it was dragged into or out of a team's calendar.
 */
const ADOPT = new NamedScript(
  {
    keys: ['object', 'dirty', 'since', 'forgotten', 'memory'],
    args: ['key', 'field', 'link_text', 'now', 'index', 'sighting', 'sighted', 'is_derived'],
  },
  `${MARK_DIRTY}${FORGOTTEN}
if forgotten_at(forgotten, memory, key) then return 0 end
local link = cjson.decode(link_text)
local fields = redis.call('HGETALL', object)
local links, is_elsewhere, is_beside = {}, false, false
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 2) == 'l:' then
    local held = cjson.decode(fields[i + 1])
    if fields[i] == field then links = held end
    for _, each in ipairs(held.calendars or {}) do
      if string.lower(each.calendarId) == string.lower(link.calendarId) then
        if fields[i] == field then
          if each.eventId == link.eventId then redis.call('HSET', index .. link.calendarId, link.eventId, key) end
          if each.eventId == link.eventId or is_derived == '0' then return 0 end
          is_beside = true
        end
      elseif each.eventId == link.eventId and not link.leaving then
        is_elsewhere = true
      end
    end
  end
end
if is_elsewhere or is_beside then
  redis.call('HSET', object, sighting, sighted)
else
  links.calendars = links.calendars or {}
  table.insert(links.calendars, link)
  redis.call('HSET', object, field, cjson.encode(links))
  redis.call('HSET', index .. link.calendarId, link.eventId, key)
end
mark_dirty(object, dirty, since, key, now)
-- A handler at work has read the object without this, and would overwrite it: it is fenced off.
redis.call('HINCRBY', object, 'f', 1)
return is_beside and 0 or 1
`,
);

/**
 * Which events and rows mirror which object.
 *
 * Links in Redis, as fields of their object, so that a claim includes them.
 */
export class LinkStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** Replaces what one mirror holds of one object; an empty `MirrorLinks` removes it. Rejects with `RetryableError` `fenced`. */
  async write(claim: Claim, mirror: string, links: MirrorLinks): Promise<void> {
    const { rung: _, ...known } = links;
    const isEmpty = Object.values(known).every(
      (each) => each === undefined || (Array.isArray(each) && each.length === 0),
    );
    const key = formatKey(claim.key);
    const text = isEmpty ? '' : linksText(links);
    const written = await WRITE.run(
      this.#redis,
      [this.#keys.object(key)],
      [claim.fence, key, linkField(mirror), text, this.#keys.eventsOf],
    );
    if (written !== 1) throw fenced();
  }

  /**
   * Takes up an event found in its calendar after a loss of Redis. False if the mirror already has a link into that calendar. The object
   * becomes dirty, so that the event is compared with the truth. `key` is `formatKey` of the object. An event that is linked in another
   * calendar is sighted instead, unless that link is `leaving`. So is an event with a derived id beside another event.
   */
  async adopt(key: string, mirror: string, link: CalendarLink): Promise<boolean> {
    const { calendarId, eventId, event } = link;
    const sighting = { calendarId, eventId, etag: event.etag, seenAtMs: this.#clock.now() };
    const { dirty, dirtySince: since, eventsOf: index, forgotten, memory } = this.#keys;
    const adopted = await ADOPT.run(this.#redis, {
      keys: { object: this.#keys.object(key), dirty, since, forgotten, memory },
      args: {
        ...{
          key,
          field: linkField(mirror),
          link_text: linkText(link),
          now: sighting.seenAtMs,
          index,
        },
        ...{ sighting: sightingField(sighting), sighted: sightingText(sighting) },
        is_derived: isEventIdOf(eventId, key.slice(key.indexOf('/') + 1)) ? 1 : 0,
      },
    });
    return adopted === 1;
  }
}

/** The links of one appointment while a handler works on it. Each change is stored immediately, under the fence of the claim. */
export class HeldLinks {
  readonly #store: LinkStore;
  readonly #claim: Claim;
  readonly #mirror: string;
  #calendars: readonly CalendarLink[];

  constructor(store: LinkStore, claim: Claim, mirror: string) {
    this.#store = store;
    this.#claim = claim;
    this.#mirror = mirror;
    this.#calendars = claim.links[mirror]?.calendars ?? [];
  }

  get calendars(): readonly CalendarLink[] {
    return this.#calendars;
  }

  /** Rejects with `RetryableError` `fenced` when another handler has taken the object over. */
  assertHeld(): Promise<void> {
    return this.#store.write(this.#claim, this.#mirror, { calendars: this.#calendars });
  }

  /** `instead`: the link that this one replaces, perhaps with another event id. */
  put(link: CalendarLink, instead = link): Promise<void> {
    const others = this.#calendars.filter((each) => !isSameEvent(each, link) && !isSameEvent(each, instead));
    this.#calendars = [...others, link];
    return this.assertHeld();
  }

  drop(link: CalendarLink): Promise<void> {
    this.#calendars = this.#calendars.filter((each) => !isSameEvent(each, link));
    return this.assertHeld();
  }
}

export function isSameEvent(
  a: Pick<CalendarLink, 'calendarId' | 'eventId'>,
  b: Pick<CalendarLink, 'calendarId' | 'eventId'>,
): boolean {
  return a.calendarId === b.calendarId && a.eventId === b.eventId;
}
