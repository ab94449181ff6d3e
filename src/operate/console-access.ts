import { randomUUID } from 'node:crypto';
import { hashOfSecret, newSecret } from '../engine/ids.ts';
import type { KeySpace } from '../engine/key-space.ts';
import { canHaveBeen } from '../engine/moments.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { NamedScript, replyWithin } from '../engine/redis-script.ts';
import type { Act, ActLog, Visitor } from '../engine/role.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { ACT_OBJECTS_MAX } from './acts.ts';
import { digest } from './personal-data.ts';

export interface ConsoleSession extends Visitor {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface Entered {
  readonly token: string;
  readonly session: ConsoleSession;
}

/** Most unused links, and most sessions, at one time. A new one replaces the one that ends first. */
const LINKS_MAX = 100;
const SESSIONS_MAX = 500;
/** Most of them of one person, so that nobody's sign-ins end the sessions of others. */
const OF_PERSON_MAX = 20;

/** Removes ended entries, and the one that ends first when there are too many of one person, or of all. */
const KEEP = `
local function keep(hash, field, text, now, most, most_own)
  local entries = redis.call('HGETALL', hash)
  local who = cjson.decode(text).who
  local count, first, first_until = 0, nil, nil
  local own, own_first, own_until = 0, nil, nil
  for at = 1, #entries, 2 do
    local entry = cjson.decode(entries[at + 1])
    local ends = entry.untilMs
    if ends <= now then
      redis.call('HDEL', hash, entries[at])
    else
      count = count + 1
      if not first_until or ends < first_until then first, first_until = entries[at], ends end
      if entry.who == who then
        own = own + 1
        if not own_until or ends < own_until then own_first, own_until = entries[at], ends end
      end
    end
  end
  if own >= most_own then redis.call('HDEL', hash, own_first)
  elseif count >= most then redis.call('HDEL', hash, first) end
  redis.call('HSET', hash, field, text)
end
`;

const OFFER_LINK = new NamedScript(
  { keys: ['links'], args: ['code', 'text', 'now', 'most', 'most_own'] },
  `${KEEP}
keep(links, code, text, tonumber(now), tonumber(most), tonumber(most_own))
return 1
`,
);

/** One step, so that a code that is used twice at the same moment makes one session. */
const ENTER_CONSOLE = new NamedScript(
  { keys: ['links', 'sessions'], args: ['code', 'token', 'now', 'until_ms', 'most', 'most_own'] },
  `${KEEP}
local text = redis.call('HGET', links, code)
if not text then return false end
redis.call('HDEL', links, code)
local link = cjson.decode(text)
if link.untilMs <= tonumber(now) then return false end
local session = cjson.encode({ role = link.role, who = link.who, sinceMs = tonumber(now), untilMs = tonumber(until_ms) })
keep(sessions, token, session, tonumber(now), tonumber(most), tonumber(most_own))
return session
`,
);

/** One step, so that no link becomes a session in between. */
const REVOKE = new NamedScript(
  { keys: ['links', 'sessions'], args: ['all', 'who'] },
  `
local ended = 0
for _, hash in ipairs({ links, sessions }) do
  local entries = redis.call('HGETALL', hash)
  for at = 1, #entries, 2 do
    if all == '1' or cjson.decode(entries[at + 1]).who == who then ended = ended + redis.call('HDEL', hash, entries[at]) end
  end
end
return ended
`,
);

/** Most addresses that are remembered because somebody signed in from them, the last ones, and for how long. */
const KNOWN_MAX = 1_000;
const KNOWN_FOR_MS = 90 * 86_400_000;

/** Most searches of one person within a minute: more than anybody types. */
const SEARCHES_PER_MINUTE_MAX = 20;
/** Most objects that searches show to one person within an hour. A reception looks up a tenth. */
const OBJECTS_PER_HOUR_MAX = 500;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** One person's searches within the hour that began at `atMs`. */
export interface SearchedHour {
  /** Id of its act. */
  readonly id: string;
  readonly atMs: number;
  readonly searches: number;
  readonly objects: number;
}

/** An hour or a minute begins anew also when the clock was set back. */
const HOUR_OF_SEARCHES = `
local function is_over(field, lasts)
  local since = tonumber(redis.call('HGET', hour, field) or '')
  return not since or tonumber(now) < since or tonumber(now) - since >= lasts
end
if is_over('since', ${HOUR_MS}) then
  redis.call('DEL', hour)
  redis.call('HSET', hour, 'since', now, 'id', id)
  redis.call('PEXPIRE', hour, ${HOUR_MS})
end
`;

const ADMIT_SEARCH = new NamedScript(
  { keys: ['hour'], args: ['now', 'id', 'is_new'] },
  `${HOUR_OF_SEARCHES}
if tonumber(redis.call('HGET', hour, 'objects') or '0') >= ${OBJECTS_PER_HOUR_MAX} then return 0 end
if is_new == '0' then return 1 end
if is_over('minute', ${MINUTE_MS}) then redis.call('HSET', hour, 'minute', now, 'in_minute', 0) end
if tonumber(redis.call('HGET', hour, 'in_minute')) >= ${SEARCHES_PER_MINUTE_MAX} then return 0 end
redis.call('HINCRBY', hour, 'in_minute', 1)
return 1
`,
);

const COUNT_FOUND = new NamedScript(
  { keys: ['hour'], args: ['now', 'id', 'searches', 'objects'] },
  `${HOUR_OF_SEARCHES}
local all = redis.call('HINCRBY', hour, 'searches', searches)
local shown = redis.call('HINCRBY', hour, 'objects', objects)
return { redis.call('HGET', hour, 'id'), redis.call('HGET', hour, 'since'), all, shown }
`,
);

/**
 * Links and sessions: one hash each, by the hash of the secret. Codes and tokens are secrets: only their hashes are stored. Beside them, what
 * limits need over all workers and restarts: who has signed in before, and how much each person has searched. Addresses and names are hashed
 * too.
 */
export class ConsoleAccess {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** A code that signs in once, within `forMs`. */
  async offer({ role, who }: Visitor, forMs: number): Promise<string> {
    const code = newSecret();
    const now = this.#clock.now();
    const text = JSON.stringify({ role, who, sinceMs: now, untilMs: now + forMs } satisfies ConsoleSession);
    await OFFER_LINK.run(this.#redis, {
      keys: { links: this.#keys.consoleLinks },
      args: { code: hashOfSecret(code), text, now, most: LINKS_MAX, most_own: LINKS_MAX },
    });
    return code;
  }

  /** Uses up the code and begins a session, in one step. Undefined if the code is unknown, used or too old. */
  async enter(code: string, forMs: number): Promise<Entered | undefined> {
    const token = newSecret();
    const now = this.#clock.now();
    const text = await ENTER_CONSOLE.run(this.#redis, {
      keys: { links: this.#keys.consoleLinks, sessions: this.#keys.consoleSessions },
      args: {
        ...{ code: hashOfSecret(code), token: hashOfSecret(token), now, until_ms: now + forMs },
        ...{ most: SESSIONS_MAX, most_own: OF_PERSON_MAX },
      },
    });
    return typeof text === 'string' ? { token, session: JSON.parse(text) as ConsoleSession } : undefined;
  }

  /** Undefined if it has ended. */
  async session(token: string): Promise<ConsoleSession | undefined> {
    const text = await replyWithin(this.#redis.hget(this.#keys.consoleSessions, hashOfSecret(token)));
    const session = text === null ? undefined : (JSON.parse(text) as ConsoleSession);
    const now = this.#clock.now();
    // Begun by a clock that was ahead, it would last as much longer.
    const isOpen = session !== undefined && session.untilMs > now && canHaveBeen(session.sinceMs, now);
    return isOpen ? session : undefined;
  }

  async leave(token: string): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.consoleSessions, hashOfSecret(token)));
  }

  /** Somebody has signed in from this address. */
  async know(address: string): Promise<void> {
    const { consoleKnown } = this.#keys;
    const now = this.#clock.now();
    await replyWithin(
      this.#redis
        .multi()
        .zadd(consoleKnown, now, hashOfSecret(address))
        .zremrangebyscore(consoleKnown, '-inf', now - KNOWN_FOR_MS)
        .zremrangebyrank(consoleKnown, 0, -KNOWN_MAX - 1)
        .pexpire(consoleKnown, KNOWN_FOR_MS)
        .exec(),
    );
  }

  /** The hashes of these addresses, as `hashOfSecret`. */
  async known(): Promise<ReadonlySet<string>> {
    return new Set(await replyWithin(this.#redis.zrange(this.#keys.consoleKnown, '0', '-1')));
  }

  /** False when this person has searched or seen too much. `isNew`: no continued text, so it counts. */
  async admitSearch(who: string, { isNew }: { readonly isNew: boolean }): Promise<boolean> {
    return (await ADMIT_SEARCH.run(this.#redis, this.#hourOf(who, { is_new: isNew ? 1 : 0 }))) === 1;
  }

  /** Adds what a search shows. Returns the whole hour. */
  async countFound(
    who: string,
    more: { readonly searches: number; readonly objects: number },
  ): Promise<SearchedHour> {
    const told = (await COUNT_FOUND.run(this.#redis, this.#hourOf(who, more))) as (string | number)[];
    const [id, atMs, searches, objects] = told;
    return { id: String(id), atMs: Number(atMs), searches: Number(searches), objects: Number(objects) };
  }

  #hourOf<Args extends Record<string, number>>(who: string, args: Args) {
    const keys = { hour: this.#keys.consoleSearches(hashOfSecret(who)) };
    return { keys, args: { ...args, now: this.#clock.now(), id: randomUUID() } };
  }

  /** Ends all sessions and links, or those of one person. Returns how many. */
  async revoke(who?: string): Promise<number> {
    const { consoleLinks: links, consoleSessions: sessions } = this.#keys;
    const args = { all: who === undefined ? 1 : 0, who: who ?? '' };
    return Number(await REVOKE.run(this.#redis, { keys: { links, sessions }, args }));
  }
}

/** Entries of the audit log; a finished act has two. */
const ACT_ENTRIES_MAX = 4_000;
/** How many entries a full log drops at once, so that a flood seldom costs a reading of the whole log. */
const DROPPED_AT_ONCE = 200;
/** How long entries of the audit log are kept. */
const ACTS_KEPT_MS = 400 * 86_400_000;

/**
 * A full log drops the oldest entries of the person and the kind with the most, so that a flood removes only itself. A marker in their place
 * counts them. Many people with few entries each lose the oldest of all, and one marker counts those. Markers are a kind of their own; the
 * count of a dropped one goes on in that marker.
 */
const NOTE_ACT = new NamedScript(
  { keys: ['acts'], args: ['entry', 'ended', 'most', 'at_once', 'since', 'ttl'] },
  `
-- An erasure may have taken a person out of the first entry of the act: the second one does not bring them back.
for _, text in ipairs(ended == '' and {} or redis.call('LRANGE', acts, 0, -1)) do
  if string.find(text, '"id":"' .. ended .. '"', 1, true) then
    local was, act = cjson.decode(text), cjson.decode(entry)
    for name, words in pairs(was.about) do act.about[name] = words end
    act.why = was.why
    entry = cjson.encode(act)
    break
  end
end
local function drop()
  local texts = redis.call('LRANGE', acts, 0, -1)
  local decoded, groups, counts, largest = {}, {}, {}, nil
  for at, text in ipairs(texts) do
    local act = cjson.decode(text)
    local group = act.what == 'entries-dropped' and act.what or act.who .. '\\n' .. act.what
    decoded[at], groups[at] = act, group
    counts[group] = (counts[group] or 0) + 1
    if not largest or counts[group] > counts[largest] then largest = group end
  end
  local few = counts[largest] < tonumber(at_once) / 2
  local mixed = few or largest == 'entries-dropped'
  local left, dropped, last = tonumber(at_once), 0, nil
  local kept, marker_at = {}, 1
  local id = 'dropped ' .. (mixed and '*' or largest)
  for at, text in ipairs(texts) do
    local act = decoded[at]
    local entries = act.what == 'entries-dropped' and tonumber(act.about.entries) or 1
    if act.id == id then
      dropped = dropped + entries
    elseif left > 0 and (few or groups[at] == largest) then
      left, dropped, last, marker_at = left - 1, dropped + entries, act, #kept + 1
    else
      kept[#kept + 1] = text
    end
  end
  local about = { act = not mixed and last.what or nil, entries = tostring(dropped) }
  local who = mixed and '*' or last.who
  local marker = { id = id, atMs = last.atMs, role = last.role, who = who, what = 'entries-dropped', why = '', about = about }
  table.insert(kept, marker_at, cjson.encode(marker))
  redis.call('DEL', acts)
  for _, text in ipairs(kept) do redis.call('RPUSH', acts, text) end
end
redis.call('RPUSH', acts, entry)
if redis.call('LLEN', acts) > tonumber(most) then drop() end
local oldest = redis.call('LINDEX', acts, 0)
while oldest and cjson.decode(oldest).atMs < tonumber(since) do
  redis.call('LPOP', acts)
  oldest = redis.call('LINDEX', acts, 0)
end
redis.call('PEXPIRE', acts, ttl)
return 1
`,
);

/** Most acts of commands that wait for a worker to log them, and for how long. */
const UNLOGGED_MAX = 1_000;
const UNLOGGED_KEPT_MS = 86_400_000;
/** Acts of commands that a worker logs at once. */
const LOGGED_AT_ONCE = 100;

/**
 * The audit log as a bounded list in Redis. A worker also logs each act, which nobody can empty from the console. A command has no log: it
 * leaves its acts to the next worker that looks.
 */
export class RedisActLog implements ActLog {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  readonly #log: Log | undefined;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; log?: Log | undefined }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  async note(act: Act): Promise<void> {
    if (this.#log === undefined) await this.#leaveToWorker(act);
    else this.#log.info(lineOf(act), 'act in the console');
    await NOTE_ACT.run(this.#redis, {
      keys: { acts: this.#keys.consoleActs },
      args: {
        entry: JSON.stringify(act),
        ended: act.done === undefined ? '' : act.id,
        ...{
          most: ACT_ENTRIES_MAX,
          at_once: DROPPED_AT_ONCE,
          since: this.#clock.now() - ACTS_KEPT_MS,
          ttl: ACTS_KEPT_MS,
        },
      },
    });
  }

  /** Logs what commands did since the last call, by any worker. An act leaves once it is logged: after a death it is logged twice. */
  async logCommands(): Promise<void> {
    const { unloggedActs } = this.#keys;
    for (const text of await replyWithin(this.#redis.lrange(unloggedActs, 0, LOGGED_AT_ONCE - 1))) {
      try {
        this.#log?.info(lineOf(JSON.parse(text) as Act), 'act by a command');
      } finally {
        await replyWithin(this.#redis.lrem(unloggedActs, 1, text));
      }
    }
  }

  async #leaveToWorker(act: Act): Promise<void> {
    const { unloggedActs } = this.#keys;
    const entry = JSON.stringify({ ...act, why: '' } satisfies Act);
    await replyWithin(
      this.#redis
        .multi()
        .rpush(unloggedActs, entry)
        .ltrim(unloggedActs, -UNLOGGED_MAX, -1)
        .pexpire(unloggedActs, UNLOGGED_KEPT_MS)
        .exec(),
    );
  }

  async newest(limit: number): Promise<readonly Act[]> {
    const texts = await replyWithin(this.#redis.lrange(this.#keys.consoleActs, -2 * limit, -1));
    const acts = new Map<string, Act>();
    for (const text of texts) {
      const act = JSON.parse(text) as Act;
      acts.set(act.id, act);
    }
    const since = this.#clock.now() - ACTS_KEPT_MS;
    return [...acts.values()]
      .filter(({ atMs }) => atMs >= since)
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, limit);
  }
}

/** What the log may tell of an act: ids and counts. Who it was is a digest. */
function lineOf({ id, what, role, who, about, chosen, done }: Act): object {
  const { objects, found } = about;
  const named = objects?.split(', ').slice(0, ACT_OBJECTS_MAX);
  return { act: id, what, role, who: digest(who), objects: named, found, chosen, done };
}
