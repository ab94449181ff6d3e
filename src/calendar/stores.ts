import { timingSafeEqual } from 'node:crypto';
import type { FeedEvent, KeptFeedEvent } from '../engine/feed.ts';
import { HISTORY_ENTRIES_MAX, historyTtlS, NOTE_ENTRY, noted, type SeenEntry } from '../engine/history.ts';
import { hashOfSecret } from '../engine/ids.ts';
import type { Keep } from '../engine/keep.ts';
import type { KeySpace } from '../engine/key-space.ts';
import type { LeaseProof } from '../engine/leases.ts';
import { held } from '../engine/link-store.ts';
import { type EntityKey, formatKey } from '../engine/object.ts';
import type { Sighting } from '../engine/outside-booking.ts';
import type { CalendarCursor, OpenSync } from '../engine/poll-pace.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import {
  NamedScript,
  RedisStore,
  replyWithin,
  Script,
  scanned,
  TimedStore,
  toNumber,
} from '../engine/redis-script.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import {
  FENCE,
  fencedSet,
  MARK_DIRTY,
  sightingField,
  sightingText,
  UNHELD_TTL_S,
} from '../engine/work-store.ts';

/** A subscription to pings about one calendar. Its row is stored before the request leaves. */
export interface Channel {
  readonly id: string;
  /** Google returns it with every ping. */
  readonly token: string;
  readonly calendarId: string;
  readonly address: string;
  readonly requestedAtMs: number;
  /** The latest end known: first as requested, then as Google said. */
  readonly expiresAtMs: number;
  /** Google's id; undefined until an answer or a ping of the channel has arrived. */
  readonly resourceId: string | undefined;
}

/** Does not restore a row that was removed meanwhile. */
const CONFIRM_CHANNEL = new Script(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`);

/** Channels: one hash, channel id to row. A new channel never takes the row of an old one that still pings. */
export class ChannelStore extends RedisStore {
  async add(channel: Channel): Promise<void> {
    await replyWithin(this.redis.hset(this.keys.channels, channel.id, JSON.stringify(channel)));
  }

  async get(id: string): Promise<Channel | undefined> {
    const row = await replyWithin(this.redis.hget(this.keys.channels, id));
    return row === null ? undefined : toChannel(row);
  }

  async all(): Promise<readonly Channel[]> {
    return (await replyWithin(this.redis.hvals(this.keys.channels))).map(toChannel);
  }

  /** Google has the channel. Stores nothing if the row was removed meanwhile. */
  async confirm(id: string, opened: { resourceId: string; expiresAtMs: number }): Promise<void> {
    const channel = await this.get(id);
    if (channel === undefined) return;
    const row = JSON.stringify({ ...channel, ...opened });
    await CONFIRM_CHANNEL.run(this.redis, [this.keys.channels], [id, row]);
  }

  async remove(id: string): Promise<void> {
    await replyWithin(this.redis.hdel(this.keys.channels, id));
  }
}

/** JSON omits absent fields; the type requires them as undefined. */
function toChannel(row: string): Channel {
  const { resourceId, ...rest } = JSON.parse(row) as Channel;
  return { ...rest, resourceId };
}

/** The sequence only rises. It is never lower than the seconds since 2020, so that it keeps rising after a loss of Redis. */
const PUT = new Script(`${FENCE}
local object, feed = KEYS[1], KEYS[2]
local fence, id, hash, event, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if fence_of(object) ~= fence then return 'fenced' end
local known = redis.call('HGET', feed, id)
local sequence = math.max(0, math.floor(now / 1000) - 1577836800)
if known then
  local decoded = cjson.decode(known)
  if decoded.hash == hash then return 'same' end
  sequence = math.max(sequence, decoded.sequence + 1)
elseif ARGV[6] == '1' then
  return 'same'
end
local about = string.format('{"hash":"%s","sequence":%d,"stampMs":%d,', hash, sequence, now)
redis.call('HSET', feed, id, about .. string.sub(event, 2))
if redis.call('TTL', feed) < 0 then redis.call('EXPIRE', feed, ${UNHELD_TTL_S}) end
return 'written'
`);

const REMOVE = new Script(`${FENCE}
if fence_of(KEYS[1]) ~= ARGV[1] then return 'fenced' end
if redis.call('HDEL', KEYS[2], ARGV[2]) == 1 then return 'written' end
return 'same'
`);

type Written = 'written' | 'same';

/** One hash per feed: appointment id to its event. */
export class FeedStore extends RedisStore {
  /**
   * `same`: it is already stored like this, or it is absent and `onlyIfHeld` adds none. Rejects with `RetryableError` `fenced`.
   */
  async put(
    claim: Claim,
    feed: string,
    {
      event,
      hash,
      nowMs,
      onlyIfHeld = false,
    }: {
      readonly event: FeedEvent;
      readonly hash: string;
      readonly nowMs: number;
      readonly onlyIfHeld?: boolean;
    },
  ): Promise<Written> {
    const args = [claim.fence, claim.key.id, hash, JSON.stringify(event), nowMs, onlyIfHeld ? '1' : ''];
    return held<Written>(await PUT.run(this.redis, this.#of(claim, feed), args));
  }

  async remove(claim: Claim, feed: string): Promise<Written> {
    const args = [claim.fence, claim.key.id];
    return held<Written>(await REMOVE.run(this.redis, this.#of(claim, feed), args));
  }

  async events(feed: string): Promise<readonly KeptFeedEvent[]> {
    const kept = await replyWithin(this.redis.hgetall(this.keys.feedEvents(feed)));
    return Object.entries(kept).map(([id, text]) => ({ ...(JSON.parse(text) as KeptFeedEvent), id }));
  }

  /** Forgets the events of feeds that the YAML no longer names, five weeks later. */
  async keep(feeds: readonly string[]): Promise<void> {
    for (const feed of feeds) {
      await replyWithin(this.redis.expire(this.keys.feedEvents(feed), UNHELD_TTL_S));
    }
  }

  #of({ key }: Claim, feed: string): [string, string] {
    return [this.keys.object(formatKey(key)), this.keys.feedEvents(feed)];
  }
}

/** The secret addresses of feeds: one hash, feed to the hash of its secret. No secret itself is stored. */
export class FeedLinks extends RedisStore {
  /** False if the feed already has an address: nothing was changed. */
  async add(feed: string, secretHash: string): Promise<boolean> {
    return (await replyWithin(this.redis.hsetnx(this.keys.feedLinks, feed, secretHash))) === 1;
  }

  /** False if it had none. */
  async revoke(feed: string): Promise<boolean> {
    return (await replyWithin(this.redis.hdel(this.keys.feedLinks, feed))) === 1;
  }

  /** One hash for each feed that has an address. */
  async hashes(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(await replyWithin(this.redis.hgetall(this.keys.feedLinks))));
  }
}

/** Length of a secret: 32 bytes in base64url. */
const SECRET_CHARS = 43;

export const FEED_PATH = '/feeds';

export function isFeedSecret(text: string): boolean {
  return text.length === SECRET_CHARS && /^[\w-]+$/.test(text);
}

/** As long as a hash, and no secret has it. */
const NO_HASH = '-'.repeat(64);

/**
 * Takes the same time wherever the two differ, and even without a stored hash. The secret has 256 random bits, so one round of SHA-256 hides
 * it from anyone who reads Redis.
 */
export function isSameSecret(secret: string, hash: string | undefined): boolean {
  const kept = hash?.length === NO_HASH.length ? hash : NO_HASH;
  return timingSafeEqual(Buffer.from(hashOfSecret(secret)), Buffer.from(kept));
}

export interface ListOf {
  readonly calendarId: string;
  readonly startedAtMs: number;
}

interface SyncProof {
  readonly syncToken: string;
  readonly coveredUntilMs: number;
  /** Absent if Google's answers have no time. */
  readonly shownUntilMs?: number;
  /** Number of pings when the sync began; absent if an older version began it. */
  readonly coveredPings?: number;
  readonly provedAtMs: number;
  /** Present after a full list. */
  readonly listedAtMs?: number;
  /** Present if something had changed. */
  readonly changedAtMs?: number;
  /** Present if no ping had announced the change. */
  readonly missedAtMs?: number;
}

/** What tells how far a calendar is read, and how often it must be. */
export type CalendarState = Omit<CalendarCursor, 'syncToken' | 'shownUntilMs' | 'pings' | 'coveredPings'>;

/** One line for each key: its moments in the order of the fields, then the open sync. A missing moment is an empty word. */
const STATES = new Script(`
local lines = {}
for at, key in ipairs(KEYS) do
  local words = redis.call('HMGET', key, 'covered', 'proved', 'listed', 'changed', 'pinged', 'missed', 'open')
  for each = 1, #words do words[each] = words[each] or '' end
  lines[at] = table.concat(words, ' ')
end
return table.concat(lines, '\\n')
`);
/** Words of such a line before the open sync. */
const MOMENTS = 6;

/** How long Redis remembers an abandoned full list; afterwards the worker looks at its events again. */
const SHOWN_TTL_S = 24 * 3_600;

/**
 * How far each calendar has been read: one hash per calendar, and one set of what a running full list has shown. Writes carry the lease they
 * are made under; a stale holder's write is refused (false).
 */
export class CalendarCursors extends RedisStore {
  async read(calendarId: string): Promise<CalendarCursor> {
    const fields = await replyWithin(this.redis.hgetall(this.keys.calendar(calendarId)));
    return {
      syncToken: fields['sync'],
      open: fields['open'] === undefined ? undefined : toOpenSync(fields['open']),
      coveredUntilMs: toNumber(fields['covered']),
      shownUntilMs: toNumber(fields['shown']),
      provedAtMs: toNumber(fields['proved']),
      listedAtMs: toNumber(fields['listed']),
      changedAtMs: toNumber(fields['changed']),
      pingedAtMs: toNumber(fields['pinged']),
      pings: toNumber(fields['pings']) ?? 0,
      coveredPings: toNumber(fields['heard']),
      missedAtMs: toNumber(fields['missed']),
    };
  }

  /** The state of each calendar, in one step. */
  async states(
    calendarIds: readonly string[],
  ): Promise<readonly (readonly [calendarId: string, state: CalendarState])[]> {
    if (calendarIds.length === 0) return [];
    const keys = calendarIds.map((id) => this.keys.calendar(id));
    const lines = String(await STATES.run(this.redis, keys, [])).split('\n');
    return calendarIds.map((id, at) => [id, toState(lines[at] ?? '')]);
  }

  async saveSync(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean> {
    return this.#set(calendarId, lease, ['open', JSON.stringify(open)]);
  }

  /** Forgets the sync token, which is no longer valid, and begins to list everything. */
  async startOver(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean> {
    return this.#set(calendarId, lease, ['sync', '', 'open', JSON.stringify(open)]);
  }

  /** The effects of all pages are durable: stores the new sync token and forgets the open sync. */
  async close(calendarId: string, proof: SyncProof, lease: LeaseProof): Promise<boolean> {
    const { syncToken, coveredUntilMs, shownUntilMs, coveredPings, provedAtMs } = proof;
    const { listedAtMs, changedAtMs, missedAtMs } = proof;
    return this.#set(calendarId, lease, [
      ...['sync', syncToken, 'open', ''],
      ...['covered', String(coveredUntilMs), 'proved', String(provedAtMs)],
      ...(shownUntilMs === undefined ? [] : ['shown', String(shownUntilMs)]),
      ...(coveredPings === undefined ? [] : ['heard', String(coveredPings)]),
      ...(listedAtMs === undefined ? [] : ['listed', String(listedAtMs)]),
      ...(changedAtMs === undefined ? [] : ['changed', String(changedAtMs)]),
      ...(missedAtMs === undefined ? [] : ['missed', String(missedAtMs)]),
    ]);
  }

  /** Counts a ping from Google and returns its number. Needs no lease, because it does not claim that anything was read. */
  async pinged(calendarId: string, atMs: number): Promise<number> {
    const key = this.keys.calendar(calendarId);
    const [, number] = await Promise.all([
      replyWithin(this.redis.hset(key, 'pinged', String(atMs))),
      replyWithin(this.redis.hincrby(key, 'pings', 1)),
    ]);
    return number;
  }

  /** Remembers which linked events a full list has shown. The start of that list identifies it. */
  async markShown(list: ListOf, eventIds: readonly string[]): Promise<void> {
    if (eventIds.length === 0) return;
    const key = this.keys.calendarShown(list);
    await replyWithin(this.redis.sadd(key, ...eventIds));
    await replyWithin(this.redis.expire(key, SHOWN_TTL_S));
  }

  /** Those of the given events that the full list has shown. */
  async shown(list: ListOf, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (eventIds.length === 0) return new Set();
    const flags = await replyWithin(this.redis.smismember(this.keys.calendarShown(list), ...eventIds));
    return new Set(eventIds.filter((_, at) => flags[at] === 1));
  }

  async #set(calendarId: string, lease: LeaseProof, pairs: readonly string[]): Promise<boolean> {
    return fencedSet(this.parts, lease, { key: this.keys.calendar(calendarId), pairs });
  }
}

function toState(line: string): CalendarState {
  const words = line.split(' ');
  const moment = (at: number) => (words[at] ? Number(words[at]) : undefined);
  const open = words.slice(MOMENTS).join(' ');
  return {
    open: open === '' ? undefined : toOpenSync(open),
    coveredUntilMs: moment(0),
    provedAtMs: moment(1),
    listedAtMs: moment(2),
    changedAtMs: moment(3),
    pingedAtMs: moment(4),
    missedAtMs: moment(5),
  };
}

/** JSON omits absent fields; the type requires them as undefined. */
function toOpenSync(text: string): OpenSync {
  const { pageToken, ...rest } = JSON.parse(text) as OpenSync;
  return { ...rest, pageToken };
}

/**
 * - `noticed`: stored; the object is dirty now (or was for this very sighting).
 * - `echo`: the link holds this very etag or content, so the worker sees what it knows. Nothing was stored.
 * - `ignored`: a deleted event without a link. Nothing was stored.
 * - `unknown`: nothing is known of the object. Nothing was stored.
 */
export type SightOutcome = 'noticed' | 'echo' | 'ignored' | 'unknown';

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

/** What calendars showed of the worker's events, as fields of their object, and the index of each calendar's linked events. */
export class SightingStore extends TimedStore {
  readonly #historyTtlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; keep: Keep }) {
    super(parts);
    this.#historyTtlS = historyTtlS(parts.keep);
  }

  /** Stores the sighting at its object and marks the object dirty, in one step. */
  async sight(
    key: EntityKey,
    sighting: Sighting,
    seen: { readonly isAlive: boolean; readonly content?: string | undefined },
  ): Promise<SightOutcome> {
    const { calendarId, eventId, etag } = sighting;
    const name = formatKey(key);
    const outcome = await SIGHT.run(this.redis, {
      keys: {
        object: this.keys.object(name),
        dirty: this.keys.dirty,
        since: this.keys.dirtySince,
        history: this.keys.history(name),
        changes: this.keys.changes,
        index: this.keys.eventsOf + calendarId,
      },
      args: {
        ...{ key: name, calendar: calendarId, event: eventId, etag, is_alive: seen.isAlive ? '1' : '0' },
        ...{
          content: seen.content ?? '',
          field: sightingField(sighting),
          text: sightingText(sighting),
          now: this.clock.now(),
        },
        entry: noted(historyEntry(sighting)).text,
        ...{ entries_max: HISTORY_ENTRIES_MAX, history_ttl: this.#historyTtlS },
      },
    });
    return outcome as SightOutcome;
  }

  /** Returns which of these events are linked: event id to `formatKey` of the object. */
  async linked(calendarId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (eventIds.length === 0) return new Map();
    const keys = await replyWithin(this.redis.hmget(this.keys.eventsOf + calendarId, ...eventIds));
    const linked = new Map<string, string>();
    for (const [at, eventId] of eventIds.entries()) {
      const key = keys[at];
      if (key !== null && key !== undefined) linked.set(eventId, key);
    }
    return linked;
  }

  /** All linked events of a calendar, in batches; one may appear twice. */
  async *allLinked(calendarId: string): AsyncGenerator<ReadonlyMap<string, string>> {
    const index = this.keys.eventsOf + calendarId;
    for await (const flat of scanned((at) => this.redis.hscan(index, at, 'COUNT', EVENTS_PER_SCAN))) {
      const some = new Map<string, string>();
      for (let at = 0; at + 1 < flat.length; at += 2) some.set(String(flat[at]), String(flat[at + 1]));
      if (some.size > 0) yield some;
    }
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
