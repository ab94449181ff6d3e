import { setTimeout as sleep } from 'node:timers/promises';
import type { LaterQueue } from './handler.ts';
import { type EntityKey, formatKey, inParts, isReadable } from './object.ts';
import type { FlushWaker, Outbox } from './outbox.ts';
import { RedisStore, replyWithin, Script, TimedStore } from './redis-script.ts';
import { type Clock, type Log, recallRule } from './runtime.ts';
import { repeat } from './supervisor.ts';
import { LINK_FIELD, linkField, MARK_DIRTY, type WorkStore } from './work-store.ts';

const MARK_KEYS_DIRTY = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now, read, again, links = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('HEXISTS', object, 'd') == 0 then return 0 end
local desired = mark_dirty(object, dirty, since, key, now)
-- A person or a list asks: the answer counts, even if its time went back.
if read == '1' then redis.call('HSET', object, 'v', desired, 'a', desired) end
if again ~= '1' then return 1 end
for _, field in ipairs(redis.call('HKEYS', object)) do
  if string.sub(field, 1, #links) == links then
    -- As text: decoding would turn empty lists into objects. No text of people holds quotes that are not escaped.
    local record, found = string.gsub(redis.call('HGET', object, field), '"decided":"[^"]*"', '"decided":""', 1)
    if found > 0 then redis.call('HSET', object, field, record) end
  end
end
-- A handler at work has read the record as it was, and would write it back.
redis.call('HINCRBY', object, 'f', 1)
return 1
`);

const RECONSIDER = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now, field, releases, reads = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5] == '1'
local text = redis.call('HGET', object, field)
if not text then return 0 end
local links = cjson.decode(text)
-- Without its hash an event is read before it is left as it is, and a row is written again.
local function reconsider(part)
  if part.hash then part.hash = '' end
  if part.hash and releases then part.released = true end
end
for _, held in pairs(links) do
  if type(held) == 'table' then
    reconsider(held)
    for _, part in ipairs(held) do
      if type(part) == 'table' then reconsider(part) end
    end
  end
end
redis.call('HSET', object, field, cjson.encode(links))
local desired = mark_dirty(object, dirty, since, key, now)
-- The stored state proves nothing. In this step, because a turn between two steps would decide by it.
if reads then redis.call('HSET', object, 'v', desired, 'a', desired) end
-- A handler at work has read the links as they were, and would write them back.
redis.call('HINCRBY', object, 'f', 1)
return 1
`);

/** Gives objects a turn without news of them. */
export class DirtyMarks extends TimedStore {
  /** Leads, messages and bookings cannot be read alone (platform API, Leads). Their handlers look again at what is known, and a booking is decided anew. */
  async markDirty(
    keys: readonly EntityKey[],
    { read }: { readonly read: boolean },
  ): Promise<readonly EntityKey[]> {
    const known = await Promise.all(keys.map((key) => this.#markDirty(key, read)));
    return keys.filter((_, at) => !known[at]);
  }

  /**
   * A person has approved that what a mirror holds of these objects may go, if the mapping no longer takes them. Gives them a turn, which
   * reads them from the platform first. An edit of the YAML alone removes nothing.
   */
  async release(keys: readonly EntityKey[], mirror: string): Promise<void> {
    await this.#reconsider(keys, mirror, '1');
  }

  /**
   * What the mirror holds of these objects is not what was remembered: the next turn compares it, and rewrites what differs. It reads the
   * objects from the platform first.
   */
  async doubt(keys: readonly EntityKey[], mirror: string): Promise<void> {
    await this.#reconsider(keys, mirror, '0');
  }

  async #reconsider(keys: readonly EntityKey[], mirror: string, releases: '0' | '1'): Promise<void> {
    await Promise.all(
      keys.map((entity) => {
        const key = formatKey(entity);
        return RECONSIDER.run(
          this.redis,
          [this.keys.object(key), this.keys.dirty, this.keys.dirtySince],
          [key, this.clock.now(), linkField(mirror), releases, isReadable(entity.kind) ? '1' : '0'],
        );
      }),
    );
  }

  async #markDirty(entity: EntityKey, read: boolean): Promise<boolean> {
    const key = formatKey(entity);
    const flags = [read && isReadable(entity.kind), read && entity.kind === 'booking'];
    const nudged = await MARK_KEYS_DIRTY.run(
      this.redis,
      [this.keys.object(key), this.keys.dirty, this.keys.dirtySince],
      [key, this.clock.now(), ...flags.map((isSet) => (isSet ? '1' : '0')), LINK_FIELD],
    );
    return nudged === 1;
  }
}

/** Moves the key from one set to the other in one step: a crash can neither lose the turn nor repeat it forever. */
const WAKE = new Script(`${MARK_DIRTY}
local object, later, dirty, since = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local key, now = ARGV[1], ARGV[2]
local at = redis.call('ZSCORE', later, key)
-- Woken by another process meanwhile, or put off by a handler.
if not at or tonumber(at) > tonumber(now) then return 0 end
redis.call('ZREM', later, key)
if redis.call('HEXISTS', object, 'd') == 0 then return 0 end
mark_dirty(object, dirty, since, key, now)
return 1
`);

const WOKEN_AT_ONCE = 250;

/**
 * Objects that need a turn at a set moment although nothing happens to them: a sorted set beside the dirty set. `WorkStore.settle` sets the
 * moments. A resync restores all of them, because they follow from the objects and the YAML.
 */
export class LaterTurns extends RedisStore {
  /** Gives a turn to those whose moment has come, earliest first, at most `limit`, each once. Returns their keys (`formatKey`). */
  async wake(nowMs: number, limit: number): Promise<readonly string[]> {
    const { later } = this.keys;
    const due = await replyWithin(this.redis.zrangebyscore(later, '-inf', nowMs, 'LIMIT', 0, limit));
    const woken: string[] = [];
    for (const some of inParts(due, WOKEN_AT_ONCE)) {
      const outcomes = await Promise.all(some.map((key) => this.#wake(key, nowMs)));
      woken.push(...some.filter((_, i) => outcomes[i] === 1));
    }
    return woken;
  }

  #wake(key: string, nowMs: number): Promise<unknown> {
    const { later, dirty, dirtySince } = this.keys;
    return WAKE.run(this.redis, [this.keys.object(key), later, dirty, dirtySince], [key, nowMs]);
  }
}

/** Keys per call, because a running script blocks every other caller. */
const RECALLED_AT_ONCE = 500;

/** A delayed job's score is its moment times this; the rest keeps the order of jobs (BullMQ 6.7.0, getDelayedScore.lua). */
const SCORES_PER_MS = 0x1000;

const RECALL = new Script(`
local dirty, now, beyond = KEYS[1], ARGV[1], ARGV[2]
local keys = redis.call('ZRANGEBYSCORE', dirty, '(' .. beyond, '+inf', 'LIMIT', 0, ARGV[3])
for _, key in ipairs(keys) do redis.call('ZADD', dirty, 'XX', now, key) end
return #keys
`);

/** Dirty objects that were put off to a moment of the clock: the part of the dirty set whose next attempt is in the future. */
export class PutOffTurns extends RedisStore {
  /** Until when the engine that keeps its delayed jobs there delays one at most. Undefined: it delays none. */
  async delayedUntilMs(delayedKey: string): Promise<number | undefined> {
    const [, score] = await this.redis.zrevrange(delayedKey, 0, 0, 'WITHSCORES');
    return score === undefined ? undefined : Math.floor(Number(score) / SCORES_PER_MS);
  }

  /** Makes those put off to a moment after `beyondMs` due at `nowMs`. Returns how many. */
  async recall(nowMs: number, beyondMs: number): Promise<number> {
    let recalled = 0;
    for (;;) {
      const args = [nowMs, Math.max(nowMs, beyondMs), RECALLED_AT_ONCE];
      const some = Number(await RECALL.run(this.redis, [this.keys.dirty], args));
      recalled += some;
      if (some < RECALLED_AT_ONCE) return recalled;
    }
  }
}

const SWEEP_EVERY_MS = 15_000;
const KEYS_PER_SWEEP_MAX = 5_000;

export interface SweepParts {
  readonly work: WorkStore;
  readonly later: LaterTurns;
  readonly outbox: Outbox;
  readonly queue: LaterQueue;
  readonly waker: FlushWaker;
  readonly clock: Clock;
}

interface RunningSweepParts extends SweepParts {
  readonly putOff: Pick<PutOffTurns, 'recall'>;
  /** Whether the clock was set back since the last call. */
  readonly wasSetBack: () => boolean;
  /** Gives everything that the engine has delayed its turn now. */
  readonly promoteDelayed: () => Promise<void>;
  /** Until when the engine delays something at most. */
  readonly delayedUntilMs: () => Promise<number | undefined>;
  readonly log: Log;
}

/**
 * Brings back what the queue may have lost: dirty keys that are due, and spreadsheets with waiting rows. Adding a key that the queue still
 * has costs nothing. Objects whose moment has come get their turn as well.
 */
export async function runSweep(parts: RunningSweepParts, signal: AbortSignal): Promise<void> {
  const { wasSetBack, log } = parts;
  const recalled = recallRule(wasSetBack);
  let beyondMs = Number.POSITIVE_INFINITY;
  while (!signal.aborted) {
    try {
      // What failed the last time is still due.
      beyondMs = Math.min(beyondMs, recalled());
      // First, because nothing may delay what is due.
      await sweepOnce(parts);
      if (Number.isFinite(beyondMs)) await recall(parts, beyondMs);
      beyondMs = Number.POSITIVE_INFINITY;
    } catch (error) {
      log.warn({ err: error }, 'sweep failed');
    }
    await sleep(SWEEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

export async function sweepOnce(parts: SweepParts): Promise<number> {
  await parts.later.wake(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  const keys = await parts.work.due(parts.clock.now(), KEYS_PER_SWEEP_MAX);
  parts.queue.add(keys);
  await bringNext(parts);
  for (const depth of await parts.outbox.waiting()) parts.waker.wake(depth.spreadsheetId);
  return keys.length;
}

/** Schedules what is due before the next sweep, including what an ended process had put off. */
async function bringNext({ work, queue, clock }: SweepParts): Promise<void> {
  const nowMs = clock.now();
  const span = { nowMs, untilMs: nowMs + SWEEP_EVERY_MS };
  for (const { key, atMs } of await work.upcoming(span, KEYS_PER_SWEEP_MAX))
    queue.addLater(key, atMs - nowMs);
}

/**
 * The dirty set first: a key that the engine hands on too early is only put off again. The engine is left alone if nothing waits that long:
 * promoting its retries at every start would use up their attempts.
 */
async function recall(
  { putOff, promoteDelayed, delayedUntilMs, queue, work, clock, log }: RunningSweepParts,
  beyondMs: number,
): Promise<void> {
  const nowMs = clock.now();
  const keys = await putOff.recall(nowMs, nowMs + beyondMs);
  const isEngineLate = ((await delayedUntilMs()) ?? nowMs) > nowMs + beyondMs;
  if (keys === 0 && !isEngineLate) return;
  log.info({ keys }, 'what was put off has its turn now');
  queue.add(await work.due(nowMs, KEYS_PER_SWEEP_MAX));
  // Once only: the engine delivers the rest automatically, and asking it again would cost every failing key an attempt.
  if (isEngineLate)
    await promoteDelayed().catch((error: unknown) =>
      log.warn({ err: error }, 'the queue could not be hastened'),
    );
}

/** How often to check whether a process that held turns has died. */
const LOOK_EVERY_MS = 2_000;

/**
 * Frees what dead processes held: once before it resolves, unless Redis does not answer, then repeatedly in `rest`, until the signal
 * aborts.
 */
export async function startTakeover(
  parts: {
    readonly processes: { register(): Promise<void> };
    readonly queues: { takeOver(): Promise<void> };
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<{ readonly rest: Promise<void> }> {
  const { processes, queues, log } = parts;
  let looked = () => {};
  const first = new Promise<void>((done) => {
    looked = done;
  });
  const rest = repeat({ name: 'takeover', everyMs: LOOK_EVERY_MS, signal, log }, async () => {
    try {
      await processes.register();
      await queues.takeOver();
    } finally {
      looked();
    }
    return undefined;
  });
  // No check runs if the signal had already aborted.
  rest.then(looked, looked);
  await first;
  return { rest };
}
