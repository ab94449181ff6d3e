// Removes, several times a day, what `privacy.keep` no longer keeps and Redis does not expire automatically.

import { counted } from './counts.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Keep } from './keep.ts';
import type { KeySpace } from './key-space.ts';
import type { Leases } from './leases.ts';
import { APPOINTMENT_FIELD, isReadable, parseKey } from './object.ts';
import type { ProblemBoard } from './problem-board.ts';
import type { RedisClient } from './redis-client.ts';
import { NamedScript, Script, scanKeys, TimedStore } from './redis-script.ts';
import { rewriteFile, scanObjects } from './rewrite.ts';
import type { Clock, Log } from './runtime.ts';
import { FILLED } from './sheet-rows.ts';

export interface RetentionParts {
  readonly retention: RetentionStore;
  readonly deadLetters: Pick<DeadLetters, 'causes' | 'each' | 'discard'>;
  /** Returns how many consents of people were removed. */
  readonly endConsents?: () => Promise<number>;
  readonly leases: Leases;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly log: Log;
}

export const RETENTION_EVERY_MS = 6 * 3_600_000;
/** Keys in the log line about unreadable state. It bounds the line. */
const KEYS_SHOWN_MAX = 10;
const RETENTION_LEASE = 'retention';
const TARGET = 'retention';

/** One process at a time. Repeating it changes nothing more. */
export async function retain(parts: RetentionParts): Promise<void> {
  await parts.leases.hold(RETENTION_LEASE, async ({ signal }) => {
    // A failed step does not stop the others. The first error is thrown at the end.
    const steps = await inTurn(signal, [
      async () => ({ letters: await discardOld(parts, signal) }),
      async () => ({ quarantined: await parts.retention.trimQuarantine() }),
      () => ageObjects(parts),
      () => parts.retention.boundIntents().then(() => ({})),
      async () => ({ consents: (await parts.endConsents?.()) ?? 0 }),
      // Also removes from the file what Redis expired, and what an interrupted pass removed.
      () => parts.retention.rewriteFile().then(() => ({})),
    ]);
    const removed: Readonly<Record<string, number>> = Object.assign({}, ...steps.done);
    const { damaged: _, ...told } = removed;
    if (Object.values(told).some((count) => count > 0)) parts.log.info(told, 'old state removed');
    // An aborted pass says nothing about the steps that it left out.
    if (!signal.aborted) await report(parts, steps.failed.length, removed['damaged'] ?? 0);
    if (steps.failed.length > 0) throw steps.failed[0];
  });
}

/** What stays longer than the file promises is a matter for a person, and not for the log alone. */
async function report({ problems }: RetentionParts, failed: number, damaged: number): Promise<void> {
  if (failed + damaged === 0) return problems.clear(TARGET);
  const steps = failed === 0 ? '' : counted(failed, 'failed step');
  const objects = damaged === 0 ? '' : counted(damaged, 'unreadable object');
  await problems.raise({
    target: TARGET,
    code: 'retention-failing',
    message: `old state is kept longer than privacy.keep says: ${[steps, objects].filter(Boolean).join(', ')}`,
    advice: 'Search the log for `retention` and `unreadable old state is kept`, and fix what it names.',
  });
}

async function inTurn<T>(
  signal: AbortSignal,
  steps: readonly (() => Promise<T>)[],
): Promise<{ readonly done: readonly T[]; readonly failed: readonly unknown[] }> {
  const done: T[] = [];
  const failed: unknown[] = [];
  for (const step of steps) {
    if (signal.aborted) break;
    try {
      done.push(await step());
    } catch (error) {
      failed.push(error);
    }
  }
  return { done, failed };
}

async function ageObjects({ retention, log }: RetentionParts): Promise<Readonly<Record<string, number>>> {
  const { emptied, forgotten, damaged = [] } = await retention.ageObjects();
  if (damaged.length > 0)
    log.warn(
      { objects: damaged.length, keys: damaged.slice(0, KEYS_SHOWN_MAX) },
      'unreadable old state is kept',
    );
  return { emptied, forgotten, damaged: damaged.length };
}

async function discardOld(
  { retention, deadLetters, log }: RetentionParts,
  signal: AbortSignal,
): Promise<number> {
  const beforeMs = retention.lettersBeforeMs();
  let discarded = 0;
  const causes = await deadLetters.causes(beforeMs - 1);
  for await (const old of deadLetters.each({ causes, untilMs: beforeMs - 1 }))
    for (const letter of old) {
      signal.throwIfAborted();
      if (!(await deadLetters.discard(letter, 'privacy.keep.dead_letters'))) continue;
      discarded += 1;
      const codes = letter.reasons.map(({ code }) => code);
      log.warn({ key: letter.key, codes }, 'dead letter discarded: its retention time is over');
    }
  return discarded;
}

/** Objects whose content was removed, and objects that were forgotten. */
interface Retained {
  readonly emptied: number;
  readonly forgotten: number;
  /** Objects whose stored state cannot be read; they stay unchanged. */
  readonly damaged?: readonly string[];
}

/**
 * When the content of an object goes, its hash, `updated_at`, revisions and links stay. They order later events, and find the object's
 * events and rows. Without its links, an appointment is as after a loss of Redis. Its event is found by the derived id or its marks,
 * its row by its key.
 */
const AGE = new NamedScript(
  {
    keys: ['object', 'dirty', 'dead', 'later'],
    args: [
      ...(['key', 'kind', 'is_readable', 'now', 'moment', 'day_before'] as const),
      ...(['snapshots_ms', 'objects_ms', 'index', 'rows', 'filled'] as const),
    ],
  },
  `${APPOINTMENT_FIELD}
-- What cannot be read is told, and never taken for something else.
local function read(text)
  local is_read, value = pcall(cjson.decode, text)
  return is_read and type(value) == 'table' and value or nil
end
-- Rows that stand are matched with what is known of them. The index of answered rows loses those that have long been deleted.
local function is_unknown_row(seen)
  local text = type(seen.mapping) == 'string' and redis.call('HGET', object, 'l:' .. seen.mapping .. '/answers')
  local links = text and read(text)
  if not (links and links.sheet) then return false end
  local index = rows .. seen.mapping .. '/answers/' .. links.sheet.spreadsheetId .. '/' .. links.sheet.tab
  return redis.call('HEXISTS', index, filled) == 1 and redis.call('HEXISTS', index, key) == 0
end
-- A booking that is over, on its own day, in every time zone. A series has events to come.
local function is_past_booking(seen)
  if seen.recurrence and seen.state ~= 'gone' then return false end
  if seen.place == 'row' and not is_unknown_row(seen) then return false end
  local fallback = (seen.place ~= 'calendar' or seen.state == 'gone') and seen.seen_at
  for _, at in ipairs({ seen.ends_at or false, seen.starts_at or false, seen.date or false, fallback or false }) do
    if type(at) == 'string' and #at >= 10 then return string.sub(at, 1, 10) < day_before end
  end
  return false
end
local is_appointment, is_class = kind == 'appointment', kind == 'class'
local state = redis.call('HMGET', object, 'd', 'y', 'f', 's', 't', 'h')
local desired, fence, snapshot, tombstone = state[1], tonumber(state[3] or ''), state[4], tonumber(state[5] or '0')
if not desired or not fence or not state[6] then return 'kept' end
if redis.call('ZSCORE', dirty, key) or redis.call('HEXISTS', dead, key) == 1 then return 'kept' end
-- Behind, with no turn to come and no letter: a person discarded the letter, and with it what had been seen in events and cells.
local is_given_up = desired ~= state[2]
local fields = redis.call('HGETALL', object)
local seen = {}
for i = 1, #fields, 2 do
  local beginning = string.sub(fields[i], 1, 2)
  if beginning == 'g:' or beginning == 'r:' then table.insert(seen, fields[i]) end
  if beginning == 'o:' or (#seen > 0 and not is_given_up) then return 'kept' end
end
local quiet = tonumber(now) - fence
if is_class then
  -- Nothing but the slot is kept of it.
  local class = snapshot and read(snapshot)
  if snapshot and not class then return 'damaged' end
  local starts = class and class.starts_at
  if type(starts) ~= 'string' or #starts < 19 or string.sub(starts, 1, 19) >= moment then return 'kept' end
elseif snapshot then
  if quiet <= tonumber(snapshots_ms) then return 'kept' end
  if kind == 'booking' then
    local seen = read(snapshot)
    if not seen then return 'damaged' end
    if redis.call('ZSCORE', later, key) or not is_past_booking(seen) then return 'kept' end
    redis.call('HDEL', object, 's')
    -- The decision stays as long as the event may be seen again: it would be booked or answered anew.
    if seen.state == 'gone' then redis.call('PEXPIRE', object, objects_ms) end
    return 'emptied'
  end
  if not (is_readable == '1' or tombstone > 0) then return 'kept' end
  if is_appointment then
    local appointment = appointment_reader(snapshot, read)
    if not appointment then return 'damaged' end
    local ends, contact = appointment('ends_at'), appointment('contact_id')
    local is_over = type(ends) == 'string' and #ends >= 19 and string.sub(ends, 1, 19) < moment
    if not is_over and not (type(ends) == 'number' and ends < tonumber(now)) then return 'kept' end
    -- Whose it is: an erasure finds it when the platform does not tell any more.
    if type(contact) == 'string' then redis.call('HSET', object, 'c', contact) else redis.call('HDEL', object, 'c') end
  end
  redis.call('HDEL', object, 's', unpack(seen))
  -- What people wrote into a cell is quoted there.
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'n:' then redis.call('HDEL', object, fields[i]) end
  end
  return 'emptied'
end
if not (is_appointment or is_class) or quiet <= tonumber(objects_ms) or redis.call('ZSCORE', later, key) then return 'kept' end
local places = {}
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 2) == 'l:' then
    local links = read(fields[i + 1])
    if not links then return 'damaged' end
    -- What people took away would be made again.
    if links.sheet and links.sheet.hash == 'left' then return 'kept' end
    for _, link in ipairs(links.calendars or {}) do
      if link.leftAt then return 'kept' end
    end
    places[string.sub(fields[i], 3)] = links
  end
end
for mirror, links in pairs(places) do
  for _, link in ipairs(links.calendars or {}) do
    if redis.call('HGET', index .. link.calendarId, link.eventId) == key then
      redis.call('HDEL', index .. link.calendarId, link.eventId)
    end
  end
  if links.sheet then
    redis.call('HDEL', rows .. mirror .. '/' .. links.sheet.spreadsheetId .. '/' .. links.sheet.tab, key)
  end
end
redis.call('DEL', object)
return 'forgotten'
`,
);

/** The list is newest first. Unreadable entries are removed, because their age is unknown. */
const TRIM = new Script(`
local gone = 0
for i = 1, 1000 do
  local last = redis.call('LINDEX', KEYS[1], -1)
  if not last then break end
  local is_read, at = pcall(function() return tonumber(cjson.decode(last).atMs) end)
  if is_read and at and at >= tonumber(ARGV[1]) then break end
  redis.call('RPOP', KEYS[1])
  gone = gone + 1
end
return gone
`);

/** Intents of earlier versions have no expiry while their request is open. */
const BOUND = new Script(`
if redis.call('TTL', KEYS[1]) ~= -1 then return 0 end
return redis.call('EXPIRE', KEYS[1], ARGV[1])
`);

const DAY_MS = 86_400_000;

type Aged = 'kept' | 'emptied' | 'forgotten' | 'damaged';

/** Removes what `privacy.keep` no longer keeps, where Redis does not expire it automatically. */
export class RetentionStore extends TimedStore {
  readonly #keep: Keep;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; keep: Keep }) {
    super(parts);
    this.#keep = parts.keep;
  }

  /**
   * Removes the content of objects that had no turn for long and can be read again, and forgets appointments that are long over. Touches
   * nothing that waits for a turn, a row or a person.
   */
  async ageObjects(): Promise<Retained> {
    const told = { emptied: 0, forgotten: 0 };
    const damaged: string[] = [];
    await scanObjects(this.parts, '', async (names) => {
      const outcomes = await Promise.all(names.map((name) => this.#age(name)));
      for (const [nth, outcome] of outcomes.entries()) {
        if (outcome === 'damaged') damaged.push(names[nth] ?? '');
        else if (outcome !== 'kept') told[outcome] += 1;
      }
    });
    return damaged.length === 0 ? told : { ...told, damaged };
  }

  /** Gives intents without an expiry one: earlier versions kept a request without an answer forever. */
  async boundIntents(): Promise<void> {
    const ttlS = Math.ceil(this.#keep.intentsMs / 1_000);
    for await (const names of scanKeys(this.redis, this.keys.intent('')))
      await Promise.all(names.map((name) => BOUND.run(this.redis, [name], [ttlS])));
  }

  /** Removes at most 1,000 at a time. Returns how many. */
  async trimQuarantine(): Promise<number> {
    const oldest = this.clock.now() - this.#keep.quarantineMs;
    return Number(await TRIM.run(this.redis, [this.keys.quarantine], [oldest]));
  }

  /** Rewrites Redis's append-only file, which otherwise still contains deleted data. Never rejects. */
  rewriteFile(): Promise<void> {
    return rewriteFile(this.redis);
  }

  /** Retention discards dead letters from before this moment; epoch milliseconds. */
  lettersBeforeMs(): number {
    return this.clock.now() - this.#keep.deadLettersMs;
  }

  async #age(name: string): Promise<Aged> {
    const kind = parseKey(name)?.kind;
    if (kind === undefined) return 'kept';
    const now = this.clock.now();
    const { dirty, dead, later, eventsOf: index, rowsOf: rows } = this.keys;
    const outcome = await AGE.run(this.redis, {
      keys: { object: this.keys.object(name), dirty, dead, later },
      args: {
        ...{ key: name, kind, is_readable: isReadable(kind) ? 1 : 0, index, rows, filled: FILLED },
        ...{ now, moment: new Date(now).toISOString().slice(0, 19) },
        day_before: new Date(now - DAY_MS).toISOString().slice(0, 10),
        ...{ snapshots_ms: this.#keep.snapshotsMs, objects_ms: this.#keep.objectsMs },
      },
    });
    return outcome as Aged;
  }
}
