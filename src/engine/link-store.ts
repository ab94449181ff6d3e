import { FORGOTTEN } from './erasure.ts';
import { fenced, isFenced } from './errors.ts';
import { isEventIdOf } from './ids.ts';
import { type CalendarLink, linksText, linkText, type MirrorLinks, PUT_LINKS } from './link.ts';
import { formatKey } from './object.ts';
import { NamedScript, RUN, TimedStore } from './redis-script.ts';
import type { Claim } from './work.ts';
import { linkField, MARK_DIRTY, sightingField, sightingText } from './work-store.ts';

/** ADOPT also keeps the index of each calendar's events, as `PUT_LINKS` does. */
const WRITE = new NamedScript(
  { keys: ['object'], args: ['fence', 'key', 'field', 'links', 'index', 'former'] },
  `${RUN}${PUT_LINKS}
local state = redis.call('HMGET', object, 'f', field)
if run() .. ' ' .. (state[1] or '') ~= fence then return 0 end
put_links(object, key, field, state[2], links, index)
for each in string.gmatch(former, '%S+') do redis.call('HDEL', object, each) end
return 1
`,
);

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

/** Which events and rows mirror which object: fields of the object, so that a claim includes them. */
export class LinkStore extends TimedStore {
  /**
   * Replaces what one mirror holds of one object; an empty `MirrorLinks` removes it. A booking has one record: one under another name of
   * its entry would count again once the entry gets that name back. Rejects with `RetryableError` `fenced`.
   */
  async write(claim: Claim, mirror: string, links: MirrorLinks): Promise<void> {
    const key = formatKey(claim.key);
    const isFormer = (name: string) => name !== mirror && claim.links[name]?.booking !== undefined;
    const former = links.booking === undefined ? [] : Object.keys(claim.links).filter(isFormer);
    const written = await WRITE.run(this.redis, {
      keys: { object: this.keys.object(key) },
      args: {
        ...{ fence: claim.fence, key, field: linkField(mirror) },
        ...{ links: storedText(links), index: this.keys.eventsOf, former: former.map(linkField).join(' ') },
      },
    });
    if (written !== 1) throw fenced();
  }

  /**
   * Takes up an event found in its calendar after a loss of Redis. False if the mirror already has a link into that calendar. The object
   * becomes dirty, so that the event is compared with the truth. `key` is `formatKey` of the object. An event that is linked in another
   * calendar is sighted instead, unless that link is `leaving`. So is an event with a derived id beside another event.
   */
  async adopt(key: string, mirror: string, link: CalendarLink): Promise<boolean> {
    const { calendarId, eventId, event } = link;
    const sighting = { calendarId, eventId, etag: event.etag, seenAtMs: this.clock.now() };
    const { dirty, dirtySince: since, eventsOf: index, forgotten, memory } = this.keys;
    const adopted = await ADOPT.run(this.redis, {
      keys: { object: this.keys.object(key), dirty, since, forgotten, memory },
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

/** Empty if the mirror holds nothing of the object. */
function storedText(links: MirrorLinks): string {
  const { rung: _, ...known } = links;
  const isEmpty = Object.values(known).every(
    (each) => each === undefined || (Array.isArray(each) && each.length === 0),
  );
  return isEmpty ? '' : linksText(links);
}

/** The links of one appointment while a handler works on it. Each change is stored under the fence of the claim: all but the last at once. */
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

  put(...links: readonly CalendarLink[]): Promise<void> {
    for (const link of links) this.#set(link);
    return this.assertHeld();
  }

  /**
   * As `put`, with the step that ends the turn if nothing follows before (`storeLast`). `instead`: the link that this one replaces, perhaps
   * with another event id. `onFenced`: called when another handler has taken the object over.
   */
  async putLast(
    link: CalendarLink,
    { instead, onFenced }: { instead: CalendarLink | undefined; onFenced: () => Promise<void> },
  ): Promise<void> {
    this.#set(link, instead);
    const store = () =>
      this.assertHeld().catch(async (error: unknown) => {
        if (isFenced(error)) await onFenced();
        throw error;
      });
    const { last } = this.#claim;
    if (last === undefined) return store();
    const text = storedText({ calendars: this.#calendars });
    last.write = { field: linkField(this.#mirror), text, store, onFenced };
  }

  #set(link: CalendarLink, instead = link): void {
    const others = this.#calendars.filter((each) => !isSameEvent(each, link) && !isSameEvent(each, instead));
    this.#calendars = [...others, link];
  }

  /** `others`: put in the same step. */
  drop(link: CalendarLink, ...others: readonly CalendarLink[]): Promise<void> {
    this.#calendars = this.#calendars.filter((each) => !isSameEvent(each, link));
    return this.put(...others);
  }
}

export function isSameEvent(
  a: Pick<CalendarLink, 'calendarId' | 'eventId'>,
  b: Pick<CalendarLink, 'calendarId' | 'eventId'>,
): boolean {
  return a.calendarId === b.calendarId && a.eventId === b.eventId;
}

/** The answer of a script that writes under a fence. */
export function held<Answer>(answer: unknown): Answer {
  if (answer === 'fenced') throw fenced();
  return answer as Answer;
}
