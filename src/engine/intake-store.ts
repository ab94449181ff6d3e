import { FORGOTTEN } from './erasure.ts';
import { RetryableError } from './errors.ts';
import { HISTORY_ENTRIES_MAX, historyTtlS, NOTE_ENTRY, openSeenEntry } from './history.ts';
import type { Keep } from './keep.ts';
import type { KeySpace } from './key-space.ts';
import { HOLDS } from './leases.ts';
import {
  asKept,
  contentHash,
  contentOf,
  type EntityKey,
  formatKey,
  freshness,
  instantKey,
  isMerged,
  isReadable,
  type MergedKind,
  madeFor,
  merge,
  type Observation,
  type ObservationOutcome,
  parseKey,
  type Snapshot,
  snapshotText,
} from './object.ts';
import type { RedisClient } from './redis-client.ts';
import { Batch, NamedScript, RedisStore, replyWithin, Script, TimedStore } from './redis-script.ts';
import type { Clock } from './runtime.ts';
import { UNHELD_TTL_S } from './work-store.ts';

export interface QuarantineEntry {
  readonly atMs: number;
  /** `not-json`, `no-object`, `unknown-type`, … */
  readonly reason: string;
  readonly eventId?: string;
  readonly eventType?: string;
  /** The raw text, cut at 8 KiB. Stored, never logged. */
  readonly body: string;
}

/** How long an event counts as taken in. The feed can show it again for 30 days; a few more days allow for clocks and late walks. */
const INBOX_TTL_S = 35 * 24 * 3600;
/**
 * Default length of the journal. It exceeds the feed's 30 days by five, so that events that the feed no longer shows can still be replayed.
 */
export const JOURNAL_MS = 35 * 24 * 3_600_000;
/** Entries of the quarantine; the oldest go first. */
const QUARANTINE_ENTRIES_MAX = 1_000;
/** Tries of a merge. Each further try means that the object changed between two round trips. */
const MERGE_TRIES_MAX = 10;
/** Observations per call, which blocks Redis for about four milliseconds. */
const OBSERVED_AT_ONCE_MAX = 50;

/**
 * One step, so that no crash leaves an inbox row without its dirty mark. `KeySpace.object` lists the object's fields.
 *
 * Sightings of a booking are ordered by the time of their reading. Within one millisecond the later arrival wins, because the
 * lease of a place ensures one reader at a time.
 *
 * Kinds that cannot be read alone are merged if nothing orders two snapshots. The script then writes nothing and returns the known
 * snapshot. The caller runs it again with the merged snapshot and the hash of the known one (compare and set).
 *
 * It takes several observations, one after another, each as if it were alone: deliveries that arrive together share a round trip.
 */
const OBSERVE = new NamedScript(
  {
    keys: ['dirty', 'since', 'journal', 'forgotten', 'memory', 'all_changes'],
    args: ['now', 'this_moment', 'ttl', 'history_ttl', 'unheld_ttl', 'entries_max', 'journal_ms'],
    items: {
      keys: ['inbox', 'object', 'history', 'lease'],
      args: [
        ...(['key', 'as', 'snapshot', 'updated', 'hash', 'occurred', 'project', 'event'] as const),
        ...(['event_type', 'via', 'flags', 'merged_with', 'entry'] as const),
        ...(['walk', 'proof', 'contact', 'made'] as const),
      ],
    },
  },
  (item) => `${HOLDS}${FORGOTTEN}${NOTE_ENTRY}
journal_ms = tonumber(journal_ms)

local function observe(nth)
${item}
local has_event, force = event ~= '', string.find(flags, 'f') ~= nil
local merges, readable = string.find(flags, 'm') ~= nil, string.find(flags, 'r') ~= nil

if proof ~= '' and not holds(lease, proof) then return 'overtaken' end

if has_event and redis.call('EXISTS', inbox) == 1 then return 'duplicate' end

if is_forgotten(forgotten, memory, key, contact, made) then return 'forgotten' end

local state = redis.call('HMGET', object, 's', 'u', 'h', 'd', 'y', 't', 'k')
local known, known_updated, known_hash = state[1], state[2] or '', state[3]
local desired, synced, tombstone = tonumber(state[4] or '0'), tonumber(state[5] or '0'), tonumber(state[6] or '0')

local outcome
if as == 'deleted' then
  outcome = tombstone > 0 and 'unchanged' or 'deleted'
elseif merges and tombstone > 0 then
  outcome = 'stale'
elseif as == 'reduced' or tombstone > 0 then
  outcome = 'verify'
elseif not known_hash then
  outcome = 'fresh'
elseif merged_with ~= '' and merged_with ~= known_hash then
  return {known, known_hash}
elseif hash == known_hash then
  outcome = 'unchanged'
elseif merged_with ~= '' then
  outcome = 'fresh'
elseif merges and updated == known_updated then
  return {known, known_hash}
elseif merges then
  outcome = updated > known_updated and 'fresh' or 'stale'
elseif not readable and updated == known_updated then
  outcome = 'fresh'
elseif updated == '' or known_updated == '' or updated == known_updated then
  outcome = 'verify'
elseif updated > known_updated then
  outcome = 'fresh'
-- Seen in the future: by a clock that was set back since, and must not keep everything out for as long as it was ahead.
elseif not readable and known_updated > this_moment then
  outcome = 'fresh'
else
  outcome = 'stale'
end

local changes = outcome == 'fresh' or outcome == 'verify' or outcome == 'deleted'
if changes or force then
  local set = {}
  local function put(field, value)
    set[#set + 1] = field
    set[#set + 1] = value
  end
  if desired == synced then put('e', occurred) end
  -- A class or block is asked for again because something beside it has changed.
  if readable and not changes and (desired == synced or tonumber(state[7] or '0') == desired) then put('k', desired + 1) end
  -- As mark_dirty, with the revision among the other fields.
  desired = desired + 1
  put('d', desired)
  if not state[5] then put('y', 0) end
  if project ~= '' then put('p', project) end
  if outcome == 'deleted' then put('t', desired) end
  if outcome == 'verify' then put('v', desired) end
  -- Nobody can clear the doubt of what cannot be read, except the next whole snapshot.
  if outcome == 'fresh' and merges then put('v', 0) end
  -- The content of an object that nothing happened to for long is not kept: seen again, it is there again.
  local returns = outcome == 'unchanged' and not known and as == 'snapshot'
  if outcome == 'fresh' or returns or (outcome == 'verify' and not known_hash and as == 'snapshot') then
    put('s', snapshot)
    put('u', updated)
    put('h', hash)
  end
  -- First of all writes: a full Redis refuses it.
  redis.call('HSET', object, unpack(set))
  if state[4] then redis.call('PERSIST', object) end
  redis.call('ZADD', dirty, now, key)
  redis.call('ZADD', since, 'NX', now, key)
elseif redis.call('TTL', object) >= 0 then
  -- Nothing holds it, and it was seen again: it outlives the id of this event, too.
  redis.call('EXPIRE', object, unheld_ttl)
end
if walk ~= '' then redis.call('HSET', object, 'w', walk) end
-- The same again, and later: what was seen in between must not pass for newer.
if outcome == 'unchanged' and updated > known_updated then redis.call('HSET', object, 'u', updated) end
if changes or outcome == 'stale' or force then
  local whole = entry .. outcome .. '"]'
  note_entry(history, all_changes, key, whole, whole, entries_max, history_ttl)
end
if has_event then
  redis.call('SET', inbox, key .. '|' .. desired, 'EX', ttl)
  if journal_ms > 0 then
    redis.call('XADD', journal, 'MINID', '~', string.format('%d', tonumber(now) - journal_ms), '*', 'key', key, 'event', event, 'type', event_type, 'via', via)
  end
end
return outcome
end

local outcomes = {}
for nth = 1, items do outcomes[nth] = observe(nth) end
return outcomes
`,
);

/** The feed shows an event again in every walk, so an event that cannot be understood is kept once. */
const QUARANTINE = new Script(`
if ARGV[3] == '1' and not redis.call('SET', KEYS[1], 'quarantined', 'NX', 'EX', ARGV[4]) then return 0 end
redis.call('LPUSH', KEYS[2], ARGV[1])
redis.call('LTRIM', KEYS[2], 0, ARGV[2])
return 1
`);

/** Makes observations durable, in the inbox and the dirty set. An inbox row is done when the object's synced revision has reached the row's. */
export class IntakeStore extends TimedStore {
  readonly #journalMs: number;
  readonly #historyTtlS: number;
  readonly #batch = new Batch<Item, unknown>({
    run: (items) => this.#observeAll(items),
    atOnceMax: OBSERVED_AT_ONCE_MAX,
  });

  /** `journalMs`: how long the journal keeps events; 0 keeps none. */
  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; journalMs?: number; keep: Keep }) {
    super(parts);
    this.#historyTtlS = historyTtlS(parts.keep);
    this.#journalMs = parts.journalMs ?? JOURNAL_MS;
  }

  /**
   * Stores in one step: the inbox row of the event, the fresher snapshot, the next desired revision and the dirty mark. Once it has
   * returned, the observation survives the death of every process. Rejects with `RetryableError` if that is not certain, and with
   * `ContentDefect` if the content cannot be processed.
   */
  async observe(observation: Observation): Promise<ObservationOutcome> {
    const { seen, key } = observation;
    const snapshot =
      seen.as === 'snapshot' ? readingContent(() => asKept(key.kind, seen.snapshot)) : undefined;
    const first = await this.#observe(observation, snapshot, '');
    if (typeof first === 'string') return first;
    if (snapshot === undefined || !isMerged(key.kind)) throw new TypeError('only snapshots are merged');
    return this.#merge({ observation, snapshot, kind: key.kind }, first);
  }

  /** Stores only the event's id, so that the event is taken once. */
  async letGo(eventId: string): Promise<void> {
    await replyWithin(this.redis.set(this.keys.inbox(eventId), 'forgotten', 'EX', INBOX_TTL_S, 'NX'));
  }

  /** Those of these event ids that have an inbox row: taking them again would answer `duplicate` and change nothing. */
  async known(eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (eventIds.length === 0) return new Set();
    const rows = await replyWithin(this.redis.mget(eventIds.map((id) => this.keys.inbox(id))));
    return new Set(eventIds.filter((_, nth) => rows[nth] !== null));
  }

  /** Keeps what cannot be understood, for people. Bounded: the oldest entries go. False if the event is already kept. */
  async quarantine(entry: QuarantineEntry): Promise<boolean> {
    const kept = await QUARANTINE.run(
      this.redis,
      [this.keys.inbox(entry.eventId ?? 'none'), this.keys.quarantine],
      [
        JSON.stringify(entry),
        QUARANTINE_ENTRIES_MAX - 1,
        entry.eventId === undefined ? '0' : '1',
        INBOX_TTL_S,
      ],
    );
    return kept === 1;
  }

  async #merge(
    taken: { readonly observation: Observation; readonly snapshot: Snapshot; readonly kind: MergedKind },
    first: Known,
  ): Promise<ObservationOutcome> {
    let known = first;
    for (let tries = 0; tries < MERGE_TRIES_MAX; tries += 1) {
      const { snapshot } = known;
      const merged = readingContent(() => merge(taken.kind, taken.snapshot, snapshot));
      const outcome = await this.#observe(taken.observation, merged, known.hash);
      if (typeof outcome === 'string') return outcome;
      known = outcome;
    }
    throw new RetryableError('merge-contended', 'the object changes faster than it can be merged', {
      target: 'redis',
    });
  }

  async #observe(
    observation: Observation,
    snapshot: Snapshot | undefined,
    mergedWith: string,
  ): Promise<ObservationOutcome | Known> {
    // Built here, not for the whole batch: an observation that throws must not fail the others.
    const nowMs = this.clock.now();
    const args = readingContent(() => argsOf({ observation, snapshot, mergedWith }, nowMs));
    const { key, eventId, under } = observation;
    const name = formatKey(key);
    // The script does not read keys that an observation has no use for.
    const keys = {
      inbox: this.keys.inbox(eventId ?? 'none'),
      object: this.keys.object(name),
      history: this.keys.history(name),
      lease: this.keys.lease(under?.name ?? 'none'),
    };
    const answer = await this.#batch.ask({ keys, args });
    if (answer === 'overtaken')
      throw new RetryableError('lease-lost', 'what was read was read in a turn that is over');
    if (!Array.isArray(answer)) return answer as ObservationOutcome;
    const [text, hash] = answer as readonly string[];
    return { snapshot: JSON.parse(text ?? '') as Snapshot, hash: hash ?? '' };
  }

  async #observeAll(items: readonly Item[]): Promise<readonly unknown[]> {
    const nowMs = this.clock.now();
    const { dirty, dirtySince: since, journal, forgotten, memory, changes: all_changes } = this.keys;
    // No spread here: it costs microseconds at every delivery.
    const given = {
      keys: { dirty, since, journal, forgotten, memory, all_changes },
      args: {
        now: nowMs,
        this_moment: instantKey(new Date(nowMs).toISOString()),
        ttl: INBOX_TTL_S,
        history_ttl: this.#historyTtlS,
        unheld_ttl: UNHELD_TTL_S,
        entries_max: HISTORY_ENTRIES_MAX,
        journal_ms: this.#journalMs,
      },
    };
    return (await OBSERVE.run(this.redis, given, items)) as readonly unknown[];
  }
}

type Item = NonNullable<Parameters<typeof OBSERVE.run>[2]>[number];

interface Asked {
  readonly observation: Observation;
  readonly snapshot: Snapshot | undefined;
  /** Hash of the known snapshot that this one was merged with; empty for a snapshot as seen. */
  readonly mergedWith: string;
}

function argsOf({ observation, snapshot, mergedWith }: Asked, nowMs: number): Item['args'] {
  const { seen, source: via, eventId, eventType, occurredAtMs, under } = observation;
  const event = { ...(eventId !== undefined && { eventId }), ...(eventType !== undefined && { eventType }) };
  const { kind } = observation.key;
  const force = observation.force === true ? 'f' : '';
  const [contact, made] = madeFor(snapshot);
  return {
    key: formatKey(observation.key),
    as: seen.as,
    snapshot: snapshot === undefined ? '' : snapshotText(observation.key, snapshot, observation.projectId),
    updated: snapshot === undefined ? '' : freshness(kind, snapshot),
    hash: snapshot === undefined ? '' : contentHash(contentOf(kind, snapshot)),
    occurred: occurredAtMs,
    project: observation.projectId ?? '',
    event: eventId ?? '',
    event_type: eventType ?? '',
    via,
    flags: `${force}${isMerged(kind) ? 'm' : ''}${isReadable(kind) ? 'r' : ''}`,
    merged_with: mergedWith,
    entry: openSeenEntry({ what: 'seen', atMs: nowMs, via, ...event, occurredAtMs }),
    walk: observation.walk ?? '',
    proof: under?.proof ?? '',
    contact,
    made,
  };
}

/** What the store holds when nothing orders it against what was seen. */
interface Known {
  readonly snapshot: Snapshot;
  readonly hash: string;
}

export interface JournalEntry {
  readonly atMs: number;
  readonly eventId: string;
  /** As the platform names it: `appointment.created`. Empty if the source did not say. */
  readonly eventType: string;
  readonly key: EntityKey;
  readonly via: string;
}

const PAGE_ENTRIES = 1_000;

/**
 * Which events of the platform were taken in, in order of arrival, for longer than the feed has them. A stream: the intake store appends to
 * it, and trims it by age, in its own step.
 */
export class Journal extends RedisStore {
  /** Oldest first. Bounds are times of arrival, epoch milliseconds, inclusive. */
  async *between(bounds: { readonly fromMs: number; readonly toMs: number }): AsyncIterable<JournalEntry> {
    let from = `${bounds.fromMs}`;
    for (;;) {
      const page = await replyWithin(
        this.redis.xrange(this.keys.journal, from, `${bounds.toMs}`, 'COUNT', PAGE_ENTRIES),
      );
      for (const [id, fields] of page) {
        const entry = toEntry(id, fields);
        if (entry !== undefined) yield entry;
      }
      const last = page.at(-1)?.[0];
      if (page.length < PAGE_ENTRIES || last === undefined) return;
      from = `(${last}`;
    }
  }

  /** The object of an event; undefined if the event was never taken in, or is forgotten. */
  async objectOf(eventId: string): Promise<EntityKey | undefined> {
    const row = await replyWithin(this.redis.get(this.keys.inbox(eventId)));
    return row === null ? undefined : parseKey(row.split('|')[0] ?? '');
  }
}

function toEntry(id: string, flat: readonly string[]): JournalEntry | undefined {
  const fields: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) fields[String(flat[at])] = String(flat[at + 1]);
  const key = parseKey(fields['key'] ?? '');
  if (key === undefined) return undefined;
  return {
    atMs: Number(id.split('-')[0]),
    eventId: fields['event'] ?? '',
    eventType: fields['type'] ?? '',
    key,
    via: fields['via'] ?? '',
  };
}

interface KeptDelivery {
  readonly id: string;
  readonly body: string;
}

/** Deliveries per call, which blocks Redis for about a quarter of a millisecond. */
const KEPT_AT_ONCE_MAX = 50;

/** Returns how many deliveries wait afterwards. */
const KEEP = new Script(`
for nth = 1, #ARGV do redis.call('XADD', KEYS[1], '*', 'body', ARGV[nth]) end
return redis.call('XLEN', KEYS[1])
`);

/**
 * Deliveries under backpressure, kept as received in one stream and taken in a little later. `keep` and `remove` return how many then wait.
 * Removing one twice changes nothing.
 */
export class KeptDeliveries {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #batch = new Batch<string, number>({
    run: async (bodies) => {
      const waiting = Number(await KEEP.run(this.#redis, [this.#key], bodies));
      return bodies.map(() => waiting);
    },
    atOnceMax: KEPT_AT_ONCE_MAX,
  });

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#key = parts.keys.deliveries;
  }

  /** Once it has returned, the delivery survives the death of every process. Rejects with `RetryableError` if that is not certain. */
  keep(body: string): Promise<number> {
    return this.#batch.ask(body);
  }

  /** In order of arrival, starting after this id, or with the oldest. */
  async after(id: string | undefined, limit: number): Promise<readonly KeptDelivery[]> {
    const from = id === undefined ? '-' : `(${id}`;
    const entries = await replyWithin(this.#redis.xrange(this.#key, from, '+', 'COUNT', limit));
    return entries.map(([id, [, body = '']]) => ({ id, body }));
  }

  /** Skips ids that are no longer there. */
  async remove(ids: readonly string[]): Promise<number> {
    if (ids.length > 0) await replyWithin(this.#redis.xdel(this.#key, ...ids));
    return replyWithin(this.#redis.xlen(this.#key));
  }
}

/** A defect that the content of one event or object sets off: the same content would set it off again. */
export class ContentDefect extends Error {
  override readonly name = 'ContentDefect';
}

/** Runs what only reads content. What fails beside it, such as a store or a waker, is no fault of the content. */
export function readingContent<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ContentDefect('the content cannot be processed', { cause: error });
  }
}
