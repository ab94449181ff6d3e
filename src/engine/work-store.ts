import { fenced } from './errors.ts';
import { HISTORY_ENTRIES_MAX, type HistoryEntry, historyTtlS, NOTE_ENTRY, noted } from './history.ts';
import type { Keep } from './keep.ts';
import type { KeySpace, Spelling } from './key-space.ts';
import { HOLDS, type LeaseProof } from './leases.ts';
import { LETTERS } from './letter-index.ts';
import { type MirrorLinks, type ObjectLinks, PUT_LINKS, parseLinks } from './link.ts';
import { contentHash, type EntityKey, formatKey, instantKey, readSnapshot, snapshotText } from './object.ts';
import type { Sighting } from './outside-booking.ts';
import { tokenOf } from './processes.ts';
import type { RedisClient } from './redis-client.ts';
import { NamedScript, RUN, replyWithin, Script, scanned, TimedStore } from './redis-script.ts';
import type { RowEdit, RowNote } from './row-edit.ts';
import type { Clock } from './runtime.ts';
import type { Claim, DeadLetter, Fetched, Waits } from './work.ts';

// How long Redis keeps an object: while it has a turn to come, waits somewhere, or has something in a mirror. An object that nothing holds
// expires after five weeks. These are fragments for scripts.

/**
 * How long Redis keeps an object that nothing holds: as long as the ids of its events. Late events from the feed or the journal then still
 * meet the known order.
 */
export const UNHELD_TTL_S = 35 * 24 * 3600;

/** For scripts: marks the object dirty. Returns its new revision. */
export const MARK_DIRTY = `
local function mark_dirty(object, dirty, since, key, now)
  -- First of all writes: a full Redis refuses it. After one that needs no memory it would let the whole script pass.
  local desired = redis.call('HINCRBY', object, 'd', 1)
  redis.call('PERSIST', object)
  redis.call('ZADD', dirty, now, key)
  redis.call('ZADD', since, 'NX', now, key)
  return desired
end
`;

/**
 * For scripts: the field that says that a row of the object waits in an outbox, or was refused. It belongs to the mirror of `link_field`.
 */
export const AWAITED = `
local function awaited_field(link_field) return 'o:' .. string.sub(link_field, 3) end
`;

/**
 * For scripts: starts the expiry of an object that nothing holds. Once it has expired, its missing links mean the same as after a loss of
 * Redis: the worker reads a tab before it writes. A row that the worker removed holds nothing; one that people deleted does.
 */
export const LET_GO = `
local function holds_something(text)
  for part, link in pairs(cjson.decode(text)) do
    if part == 'sheet' then
      if link.hash ~= 'cleared' or link.bound ~= nil or link.former ~= nil then return true end
    elseif part ~= 'rung' and part ~= 'told' and part ~= 'split' then
      -- A kind of link that only its target knows holds its object, too.
      if type(link) ~= 'table' or next(link) ~= nil then return true end
    end
  end
  return false
end
local function is_held(fields)
  for i = 1, #fields, 2 do
    local beginning = string.sub(fields[i], 1, 2)
    if beginning == 'o:' or beginning == 'g:' or beginning == 'r:' then return true end
    if beginning == 'l:' and holds_something(fields[i + 1]) then return true end
  end
  return false
end
local function let_go(object, key, dirty, later, dead)
  if redis.call('ZSCORE', dirty, key) or redis.call('ZSCORE', later, key) then return end
  if redis.call('HEXISTS', dead, key) == 1 then return end
  if not is_held(redis.call('HGETALL', object)) then redis.call('EXPIRE', object, ${UNHELD_TTL_S}) end
end
`;

/**
 * For scripts: the fence under which an object may be written now. A restarted Redis may have lost what the handler wrote since its claim,
 * such as a waiting row. Writes that depend on it must not be made either.
 */
export const FENCE = `${RUN}
local function fence_of(object) return run() .. ' ' .. (redis.call('HGET', object, 'f') or '') end
`;

/** Fact of the installation: the hash of the mapping that the processes work by; see MappingMark. */
export const MAPPING_HASH = 'mapping-hash';

/**
 * No fence is given twice, not even after a wipe, when a plain counter would restart. The `marks` name the caller's mapping. A turn that has
 * something to do also takes the lock of its object, unless `process` is empty. Turns of one process exclude each other there; its own lock
 * is one that a turn left behind. With `due`, an object whose turn is not due by then has none.
 */
const CLAIM = new Script(`${RUN}
local object, lock, memory, dirty = unpack(KEYS)
local process, ms, key, due, marks = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), { unpack(ARGV, 5) }
if due and tonumber(redis.call('ZSCORE', dirty, key) or 'inf') > due then return false end
if #marks > 0 then
  local known, is_known = redis.call('HGET', memory, '${MAPPING_HASH}'), false
  for _, mark in ipairs(marks) do is_known = is_known or mark == known end
  if not is_known then return 'outdated' end
end
local fields = redis.call('HGETALL', object)
if #fields == 0 then return false end
local state = {}
for i = 1, #fields, 2 do state[fields[i]] = fields[i + 1] end
local function number(field) return tonumber(state[field] or '0') end
local time = redis.call('TIME')
local next = string.format('%d', math.max(number('f') + 1, time[1] * 1000 + math.floor(time[2] / 1000)))
if process ~= '' and (number('d') ~= number('y') or number('v') > 0) then
  local token = process .. next
  if not redis.call('SET', lock, token, 'NX', 'PX', ms) then
    local holder = redis.call('GET', lock)
    if holder and string.sub(holder, 1, #process) ~= process then return 'busy' end
    redis.call('SET', lock, token, 'PX', ms)
  end
end
redis.call('HSET', object, 'f', next)
table.insert(fields, 'fence')
table.insert(fields, run() .. ' ' .. next)
return fields
`);

const NEWEST = new Script(`${FENCE}
local fields = redis.call('HGETALL', KEYS[1])
if #fields == 0 then return false end
table.insert(fields, 'fence')
table.insert(fields, fence_of(KEYS[1]))
return fields
`);

const RELEASE_LOCK = new Script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

/** Returns the places of those among the locks that the process held. */
const FREE_LOCKS = new Script(`
local freed = {}
for nth, lock in ipairs(KEYS) do
  local holder = redis.call('GET', lock)
  if holder and string.sub(holder, 1, #ARGV[1]) == ARGV[1] then
    redis.call('DEL', lock)
    freed[#freed + 1] = nth
  end
end
return freed
`);

const RENEW_LOCKS = new Script(`
for i, lock in ipairs(KEYS) do
  if redis.call('GET', lock) == ARGV[i + 1] then redis.call('PEXPIRE', lock, ARGV[1]) end
end
`);

/** Another process has a turn of the object: what is to be done will be found dirty after it. */
export class ObjectBusy extends Error {}

/** Pause before a worker with an older mapping offers a key again, for another worker to take. */
export const OUTDATED_PAUSE_MS = 3_000;

/** The processes work by another mapping: the turn is theirs. */
export class MappingOutdated extends Error {}

/**
 * How long the lock of a turn lasts without renewal. It outlasts every time-out of a remote call, and blocks no key for long after a kill.
 */
const LOCK_MS = 15_000;
export const LOCK_RENEWED_EVERY_MS = 5_000;
/** Locks per call when those of a dead process are looked for. */
const LOCKS_AT_ONCE = 500;

/** Nothing is to be done in a turn of this object. */
export function isSettled(claim: Claim): boolean {
  return claim.desiredRev === claim.syncedRev && !claim.verify;
}

/**
 * A GET is the truth at its moment. It loses only to a newer `updated_at`, and to doubts that arose after the claim. If a person or a list
 * asked for it, it loses to nothing seen before: the platform's own time may have gone back.
 */
const REFRESH = new Script(`${FENCE}
local object = KEYS[1]
local fence, claimed, found = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local snapshot, updated, hash = ARGV[4], ARGV[5], ARGV[6]
if fence_of(object) ~= fence then return false end
local state = redis.call('HMGET', object, 'u', 't', 'v', 'a', 'd')
local known_updated, tombstone, doubt = state[1] or '', tonumber(state[2] or '0'), tonumber(state[3] or '0')
local asked, desired = tonumber(state[4] or '0'), tonumber(state[5] or '0')
local is_older = updated ~= '' and known_updated ~= '' and updated < known_updated
local is_asked = asked > 0 and asked <= claimed
-- What was seen since the claim may be newer than this answer: it is asked for again.
if found == '1' and is_older and is_asked and desired > claimed then return redis.call('HGETALL', object) end
if is_asked then redis.call('HDEL', object, 'a') end
if found == '1' then
  if not is_older or is_asked then redis.call('HSET', object, 's', snapshot, 'u', updated, 'h', hash) end
  if tombstone > 0 and tombstone <= claimed then redis.call('HSET', object, 't', 0) end
elseif tombstone == 0 then
  redis.call('HSET', object, 't', claimed)
end
if doubt <= claimed then redis.call('HSET', object, 'v', 0) end
return redis.call('HGETALL', object)
`);

/** Replaces what an older claim has set: only the holder of the fence may say when the next turn is. */
const SET_LATER = `
local function set_later(later, key, at)
  if at == '' then redis.call('ZREM', later, key) else redis.call('ZADD', later, at, key) end
end
`;

/**
 * The whole end of a turn in one step, with its last link, the lock and the line of the history. The items are the sightings that the claim
 * carried.
 */
const SETTLE = new NamedScript(
  {
    keys: ['object', 'dirty', 'since', 'dead', 'later', 'lock', 'history', 'changes'],
    args: [
      ...(['key', 'fence', 'claimed', 'now', 'next_turn', 'locked'] as const),
      ...(['entry', 'told', 'entries_max', 'history_ttl'] as const),
      ...(['link_field', 'links', 'index'] as const),
    ],
    items: { keys: [], args: ['sighting', 'seen'] },
  },
  (item) => `${RUN}${SET_LATER}${LET_GO}${LETTERS}${NOTE_ENTRY}${PUT_LINKS}
local fields = redis.call('HGETALL', object)
local state = {}
for i = 1, #fields, 2 do state[fields[i]] = fields[i + 1] end
if run() .. ' ' .. (state.f or '') ~= fence then return 'fenced' end
redis.call('HSET', object, 'y', claimed)
local events = 0
if link_field ~= '' then
  events = put_links(object, key, link_field, state[link_field], links, index)
  state[link_field] = links ~= '' and links or nil
end
local ended = {}
local function drop(field)
  if state[field] then ended[#ended + 1] = field end
  state[field] = nil
end
drop('q')
-- Only the very sightings that the claim carried: a newer one of the same event has not been looked at.
for nth = 1, items do
${item}
  if state[sighting] == seen then drop(sighting) end
end
set_later(later, key, next_turn)
drop_letter(dead, key)
if locked == '1' then redis.call('DEL', lock) end
local is_settled, is_seen = state.d == claimed, state.e ~= nil
if is_settled then
  drop('e')
  drop('k')
end
if #ended > 0 then redis.call('HDEL', object, unpack(ended)) end
if entry ~= '' then note_entry(history, changes, key, entry, told, entries_max, history_ttl, is_seen) end
if not is_settled then
  redis.call('HSET', object, 'e', now)
  redis.call('ZADD', dirty, now, key)
  redis.call('ZADD', since, now, key)
  return 'dirty'
end
redis.call('ZREM', dirty, key)
redis.call('ZREM', since, key)
-- An event holds the object.
if next_turn ~= '' or events > 0 then return 'settled' end
local left = {}
for field, value in pairs(state) do
  left[#left + 1] = field
  left[#left + 1] = value
end
if not is_held(left) then redis.call('EXPIRE', object, ${UNHELD_TTL_S}) end
return 'settled'
`,
);

/** A newer revision is due immediately, whatever waits; the time of its turn then stays as it is. */
const POSTPONE = new Script(`${FENCE}
local object, dirty, lock = unpack(KEYS)
local key, fence, claimed, waits, untl, locked = unpack(ARGV)
if fence_of(object) ~= fence then return 'fenced' end
redis.call('HSET', object, 'q', waits)
if locked == '1' then redis.call('DEL', lock) end
if redis.call('HGET', object, 'd') ~= claimed then return 'dirty' end
-- One that was settled meanwhile must not become dirty again.
redis.call('ZADD', dirty, 'XX', untl, key)
return 'postponed'
`);

/** Keeps the sightings: a retry of the letter must look at people's changes as well. */
const DEAD_LETTER = new Script(`${FENCE}${SET_LATER}${LETTERS}
local object, dirty, since, dead, later, lock = unpack(KEYS)
local key, fence, claimed, letter, next_turn, locked = unpack(ARGV)
if fence_of(object) ~= fence then return 'fenced' end
set_later(later, key, next_turn)
-- Whoever retries the letter begins with the first attempt.
redis.call('HDEL', object, 'q')
put_letter(dead, key, letter)
if locked == '1' then redis.call('DEL', lock) end
if redis.call('HGET', object, 'd') == claimed then
  redis.call('ZREM', dirty, key)
  redis.call('ZREM', since, key)
  return 'buried'
end
return 'dirty'
`);

/** The truth about pending work: object state, dirty set, dead letters. Every commit is made under the fence of the claim. */
export class WorkStore extends TimedStore {
  readonly #spelling: Spelling;
  readonly #historyTtlS: number;
  readonly #process: string;
  /** Tokens of the locks that turns of this process hold, by `formatKey`. */
  readonly #locks = new Map<string, string>();

  /** `processId`: the process that locks the objects of its turns; see RedisProcesses. Absent: its claims take no lock and ignore them. */
  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    spelling: Spelling;
    keep: Keep;
    processId?: string;
  }) {
    super(parts);
    this.#spelling = parts.spelling;
    this.#historyTtlS = historyTtlS(parts.keep);
    this.#process = parts.processId === undefined ? '' : tokenOf(parts.processId, '');
  }

  /**
   * Takes the next fence. Undefined if nothing is known of the object. Rejects with `ObjectBusy` while another process has a turn of it, and
   * with `MappingOutdated` if the mark of the mapping is none of `marks`. Without marks, any will do. `ifDue`: undefined, and nothing is
   * written, unless the sweep would find the object now.
   */
  async claim(
    key: EntityKey,
    marks: readonly string[] = [],
    { ifDue = false } = {},
  ): Promise<Claim | undefined> {
    const name = formatKey(key);
    const answer = await CLAIM.run(
      this.redis,
      [this.keys.object(name), this.#lock(name), this.keys.memory, this.keys.dirty],
      [this.#process, LOCK_MS, name, ifDue ? this.clock.now() : '', ...marks],
    );
    if (answer === null) return undefined;
    if (answer === 'busy') throw new ObjectBusy();
    if (answer === 'outdated') throw new MappingOutdated();
    const claim = toClaim(key, toRecord(answer), this.#spelling);
    if (this.#process !== '' && !isSettled(claim)) this.#locks.set(name, this.#tokenOf(claim));
    return claim;
  }

  /** The object with the fence of its newest claim, whoever made it. Undefined if nothing is known of it. Claims nothing. */
  async newest(key: EntityKey): Promise<Claim | undefined> {
    const fields = await NEWEST.run(this.redis, [this.keys.object(formatKey(key))], []);
    return fields === null ? undefined : toClaim(key, toRecord(fields), this.#spelling);
  }

  /** Ends the lock of a turn that committed nothing. After a loss of Redis, a later turn of the same object may be at work here. */
  async release(claim: Claim): Promise<void> {
    const key = formatKey(claim.key);
    const token = this.#tokenOf(claim);
    if (this.#locks.get(key) !== token) return;
    this.#locks.delete(key);
    await RELEASE_LOCK.run(this.redis, [this.#lock(key)], [token]);
  }

  #tokenOf({ fence }: Claim): string {
    return `${this.#process}${fence.split(' ')[1]}`;
  }

  /** The locks of turns that are still at work go on. */
  async renewLocks(): Promise<void> {
    if (this.#locks.size === 0) return;
    const keys = [...this.#locks.keys()].map((key) => this.#lock(key));
    await RENEW_LOCKS.run(this.redis, keys, [LOCK_MS, ...this.#locks.values()]);
  }

  /** Ends the turns of a dead process. Returns their keys (`formatKey`). What has a turn is dirty. */
  async freeLocks(processId: string): Promise<readonly string[]> {
    const freed: string[] = [];
    const { dirty } = this.keys;
    for await (const found of scanned((at) => this.redis.zscan(dirty, at, 'COUNT', LOCKS_AT_ONCE))) {
      const keys = found.filter((_, at) => at % 2 === 0);
      const locks = keys.map((key) => this.#lock(key));
      const places = (await FREE_LOCKS.run(this.redis, locks, [tokenOf(processId, '')])) as readonly number[];
      freed.push(...places.flatMap((nth) => keys[nth - 1] ?? []));
    }
    return freed;
  }

  /** Those of these objects of which a process has a turn. */
  async atWork(keys: readonly string[]): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const held = await replyWithin(this.redis.mget(keys.map((key) => this.#lock(key))));
    return keys.filter((_, at) => held[at] !== null);
  }

  /**
   * Records the result of a GET, unless something newer arrived meanwhile, and returns the claim as it is then. Rejects with `RetryableError`
   * `fenced`.
   */
  async refresh(claim: Claim, fetched: Fetched): Promise<Claim> {
    const snapshot = fetched.found;
    const fields = await REFRESH.run(
      this.redis,
      [this.keys.object(formatKey(claim.key))],
      [
        claim.fence,
        claim.desiredRev,
        snapshot === undefined ? '0' : '1',
        snapshot === undefined ? '' : snapshotText(claim.key, snapshot, claim.projectId),
        instantKey(snapshot?.['updated_at']),
        snapshot === undefined ? '' : contentHash(snapshot),
      ],
    );
    if (fields === null) throw fenced();
    // The revision and the sightings stay the claimed ones: what arrived meanwhile has its own turn.
    const { fence, desiredRev, sightings, rowEdits = [] } = claim;
    return {
      ...toClaim(claim.key, toRecord(fields), this.#spelling),
      fence,
      desiredRev,
      sightings,
      rowEdits,
    };
  }

  /**
   * The mirrors are at the claim's revision. `dirty` if a newer one already waits, `fenced` if another handler took over. `nextTurnAtMs`:
   * when the object gets a turn automatically; it replaces the earlier moment, and undefined removes it. `entry` joins its history, and the
   * turn's last write is made, unless fenced.
   */
  async settle(
    claim: Claim,
    nextTurnAtMs?: number,
    entry?: HistoryEntry,
  ): Promise<'settled' | 'dirty' | 'fenced'> {
    const key = formatKey(claim.key);
    const { text, told } = entry === undefined ? { text: '', told: '' } : noted(entry);
    const { dirty, dirtySince: since, dead, later, changes, eventsOf: index } = this.keys;
    const last = claim.last?.write;
    const outcome = await SETTLE.run(
      this.redis,
      {
        keys: {
          ...{ object: this.keys.object(key), dirty, since, dead, later, lock: this.#lock(key) },
          ...{ history: this.keys.history(key), changes },
        },
        args: {
          ...{ key, fence: claim.fence, claimed: claim.desiredRev, now: this.clock.now() },
          ...{ next_turn: nextTurnAtMs ?? '', locked: this.#locked(key) },
          ...{ entry: text, told, entries_max: HISTORY_ENTRIES_MAX, history_ttl: this.#historyTtlS },
          ...{ link_field: last?.field ?? '', links: last?.text ?? '', index },
        },
      },
      claim.sightings.map((sighting) => ({
        keys: {},
        args: { sighting: sightingField(sighting), seen: sightingText(sighting) },
      })),
    );
    if (outcome === 'fenced') await last?.onFenced();
    return this.#committed(key, outcome as 'settled' | 'dirty' | 'fenced');
  }

  /**
   * Some places are behind: still dirty, with a turn at `untilMs`. `dirty` if a newer revision already waits, which keeps its own time;
   * `fenced` if another handler took over.
   */
  async postpone(
    claim: Claim,
    { waits, untilMs }: { readonly waits: Waits; readonly untilMs: number },
  ): Promise<'postponed' | 'dirty' | 'fenced'> {
    const key = formatKey(claim.key);
    const outcome = await POSTPONE.run(
      this.redis,
      [this.keys.object(key), this.keys.dirty, this.#lock(key)],
      [key, claim.fence, claim.desiredRev, JSON.stringify(waits), untilMs, this.#locked(key)],
    );
    return this.#committed(key, outcome as 'postponed' | 'dirty' | 'fenced');
  }

  /**
   * Stores the dead letter. `dirty` if a newer revision waits, which keeps its turn; `fenced`, with nothing stored, if another handler took
   * over. `nextTurnAtMs` as in `settle`.
   */
  async deadLetter(
    claim: Claim,
    letter: DeadLetter,
    nextTurnAtMs?: number,
  ): Promise<'buried' | 'dirty' | 'fenced'> {
    const key = formatKey(claim.key);
    const outcome = await DEAD_LETTER.run(this.redis, this.#workKeys(key), [
      key,
      claim.fence,
      claim.desiredRev,
      JSON.stringify(letter),
      nextTurnAtMs ?? '',
      this.#locked(key),
    ]);
    return this.#committed(key, outcome as 'buried' | 'dirty' | 'fenced');
  }

  /** Dirty keys (`formatKey`) whose next attempt is due, oldest first. */
  async due(nowMs: number, limit: number): Promise<readonly string[]> {
    return replyWithin(this.redis.zrangebyscore(this.keys.dirty, '-inf', nowMs, 'LIMIT', 0, limit));
  }

  /** Dirty keys whose next attempt is after `nowMs`, but not after `untilMs`; earliest first. */
  async upcoming(
    { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
    limit: number,
  ): Promise<readonly { readonly key: string; readonly atMs: number }[]> {
    const found = await replyWithin(
      this.redis.zrangebyscore(this.keys.dirty, `(${nowMs}`, untilMs, 'WITHSCORES', 'LIMIT', 0, limit),
    );
    const turns: { key: string; atMs: number }[] = [];
    for (let at = 0; at + 1 < found.length; at += 2)
      turns.push({ key: found[at] ?? '', atMs: Number(found[at + 1]) });
    return turns;
  }

  #workKeys(key: string): string[] {
    return [
      this.keys.object(key),
      this.keys.dirty,
      this.keys.dirtySince,
      this.keys.dead,
      this.keys.later,
      this.#lock(key),
    ];
  }

  #lock(key: string): string {
    return this.keys.lease(`${key}:lock`);
  }

  /** `1` if this turn has a lock to end. */
  #locked(key: string): string {
    return this.#locks.has(key) ? '1' : '';
  }

  #committed<Outcome extends string>(key: string, outcome: Outcome): Outcome {
    if (outcome !== 'fenced') this.#locks.delete(key);
    return outcome;
  }
}

export const LINK_FIELD = 'l:';
const SIGHTING_FIELD = 'g:';
const ROW_EDIT_FIELD = 'r:';
const ROW_NOTE_FIELD = 'n:';

/** The object field that holds one mirror's links. */
export function linkField(mirror: string): string {
  return `${LINK_FIELD}${mirror}`;
}

/** The object field that holds what one calendar showed of one event. Neither id contains a space. */
export function sightingField({ calendarId, eventId, storedCalendarId = calendarId }: Sighting): string {
  return `${SIGHTING_FIELD}${storedCalendarId} ${eventId}`;
}

/** Always the same text for the same sighting: `SETTLE` compares it as text after a handler has dealt with it. */
export function sightingText({ eventId, etag, seenAtMs, ...sighting }: Sighting): string {
  const { storedCalendarId: calendarId = sighting.calendarId } = sighting;
  return JSON.stringify({ calendarId, eventId, etag, seenAtMs });
}

/** The object field that holds what people wrote into one cell of one mirror's row. No mirror name contains a space. */
export function rowEditField({ mirror, header }: Pick<RowEdit, 'mirror' | 'header'>): string {
  return `${ROW_EDIT_FIELD}${mirror} ${header}`;
}

/** Always the same text for the same change: the row-edit store compares it as text after a handler has answered it. */
export function rowEditText(edit: RowEdit): string {
  const { mirror, header, text, startsAt, as, base, sinceMs, seenAtMs, doubt, isNumber, forgottenMs } = edit;
  const times = { sinceMs, seenAtMs };
  return JSON.stringify({ mirror, header, text, startsAt, as, base, ...times, doubt, isNumber, forgottenMs });
}

/** The object field that holds what became of people's changes to its row in one mirror. */
export function rowNoteField(mirror: string): string {
  return `${ROW_NOTE_FIELD}${mirror}`;
}

/** Builds a claim from the fields of an object's hash. */
/** `spelling` is applied to the calendars of links and sightings. */
export function toClaim(key: EntityKey, fields: Readonly<Record<string, string>>, spelling: Spelling): Claim {
  const links: Record<string, MirrorLinks> = {};
  const sightings: Sighting[] = [];
  const rowEdits: RowEdit[] = [];
  const rowNotes: Record<string, RowNote> = {};
  for (const field of Object.keys(fields)) {
    // Most fields have a name of one character.
    if (field[1] !== ':') continue;
    const value = fields[field] ?? '';
    if (field.startsWith(SIGHTING_FIELD))
      sightings.push(spelledSighting(JSON.parse(value) as Sighting, spelling));
    if (field.startsWith(ROW_EDIT_FIELD)) rowEdits.push(JSON.parse(value) as RowEdit);
    if (field.startsWith(ROW_NOTE_FIELD))
      rowNotes[field.slice(ROW_NOTE_FIELD.length)] = JSON.parse(value) as RowNote;
    if (field.startsWith(LINK_FIELD))
      links[field.slice(LINK_FIELD.length)] = spelledLinks(parseLinks(value), spelling);
  }
  return {
    key,
    fence: fields['fence'] ?? '',
    desiredRev: Number(fields['d'] ?? 0),
    syncedRev: Number(fields['y'] ?? 0),
    snapshot: fields['s'] === undefined ? undefined : readSnapshot(key, fields['s'], fields['p']),
    deleted: Number(fields['t'] ?? 0) > 0,
    verify: Number(fields['v'] ?? 0) > 0,
    projectId: fields['p'],
    ...(fields['c'] === undefined ? {} : { contactId: fields['c'] }),
    links: links as ObjectLinks,
    pendingSinceMs: fields['e'] === undefined ? undefined : Number(fields['e']),
    ...(fields['k'] !== undefined && fields['k'] === fields['d'] && { isUnchanged: true }),
    sightings,
    ...(rowEdits.length === 0 ? {} : { rowEdits }),
    ...(Object.keys(rowNotes).length === 0 ? {} : { rowNotes }),
    waits: fields['q'] === undefined ? {} : (JSON.parse(fields['q']) as Waits),
  };
}

function spelledSighting(sighting: Sighting, spelling: Spelling): Sighting {
  const calendarId = spelling(sighting.calendarId);
  if (calendarId === sighting.calendarId) return sighting;
  return { ...sighting, calendarId, storedCalendarId: sighting.calendarId };
}

/** If two links name the same event in two spellings, the later one stays. */
function spelledLinks(links: MirrorLinks, spelling: Spelling): MirrorLinks {
  if (links.calendars === undefined) return links;
  const spelled = links.calendars.map((link) => ({ ...link, calendarId: spelling(link.calendarId) }));
  const unique = new Map(spelled.map((link) => [`${link.calendarId} ${link.eventId}`, link]));
  return { ...links, calendars: [...unique.values()] };
}

function toRecord(fields: unknown): Record<string, string> {
  const record: Record<string, string> = {};
  const flat = fields as readonly string[];
  for (let at = 0; at + 1 < flat.length; at += 2) record[String(flat[at])] = String(flat[at + 1]);
  return record;
}

const FENCED_SET = new Script(`${HOLDS}
if not holds(KEYS[2], ARGV[1]) then return 0 end
local set = {}
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i])
  else
    table.insert(set, ARGV[i])
    table.insert(set, ARGV[i + 1])
  end
end
if #set > 0 then redis.call('HSET', KEYS[1], unpack(set)) end
return 1
`);

/**
 * Sets fields of a hash if the caller still holds the lease; returns false otherwise. `pairs`: fields and values; an empty value deletes
 * the field.
 */
export async function fencedSet(
  { redis, keys }: { readonly redis: RedisClient; readonly keys: KeySpace },
  lease: LeaseProof,
  { key, pairs }: { readonly key: string; readonly pairs: readonly string[] },
): Promise<boolean> {
  return (await FENCED_SET.run(redis, [key, keys.lease(lease.name)], [lease.proof, ...pairs])) === 1;
}
