// What each process tells of its own work, and what all of them told lately: pace and lag, requests, which sides, calendars and tabs answer.

import type { KeySpace } from '../engine/key-space.ts';
import { LAGS_KEPT_MAX, minuteOf, type Written, type WrittenMinute } from '../engine/poll-pace.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { NamedScript, NOW, RedisStore, replyWithin, Script } from '../engine/redis-script.ts';
import { type Clock, type Meter, steadyClock } from '../engine/runtime.ts';

/** How long the counts are kept. */
const KEPT_MS = 7 * 86_400_000;
const MINUTES_PER_DAY = 24 * 60;

/** Each minute is stored as `<writes> <slowest>`. */
const ADD = new NamedScript(
  { keys: ['day', 'lags'], args: ['minutes', 'samples', 'kept', 'most'] },
  `
for _, added in ipairs(cjson.decode(minutes)) do
  local writes, slowest = added[2], added[3]
  local known = redis.call('HGET', day, added[1])
  if known then
    local before, longest = string.match(known, '^(%d+) (%S+)$')
    writes = writes + tonumber(before)
    slowest = math.max(slowest, tonumber(longest))
  end
  redis.call('HSET', day, added[1], string.format('%d %.3f', writes, slowest))
end
redis.call('PEXPIRE', day, kept)
local newest = cjson.decode(samples)
if #newest > 0 then
  redis.call('LPUSH', lags, unpack(newest))
  redis.call('LTRIM', lags, 0, most - 1)
  redis.call('PEXPIRE', lags, kept)
end
return 1
`,
);

/** What all workers wrote in each minute, and the newest lags. Kept for seven days. */
export class RedisPaceStore extends RedisStore {
  /** One call for each day among the minutes: usually one. */
  async add({ minutes, lagsS }: Written): Promise<void> {
    const days = [...new Set(minutes.map(({ minute }) => dayOf(minute)))].sort((a, b) => a - b);
    for (const day of days) {
      const ofDay = minutes.filter(({ minute }) => dayOf(minute) === day);
      const newest = day === days.at(-1) ? lagsS.slice(-LAGS_KEPT_MAX) : [];
      await ADD.run(this.redis, {
        keys: { day: this.keys.pace(day), lags: this.keys.lags },
        args: {
          minutes: JSON.stringify(ofDay.map((each) => [String(each.minute), each.writes, each.slowestS])),
          samples: JSON.stringify(newest.map((lagS) => lagS.toFixed(3))),
          ...{ kept: KEPT_MS, most: LAGS_KEPT_MAX },
        },
      });
    }
  }

  /** The minutes from one minute to another with writes, in any order. Both are minutes since 1970. */
  async between(from: number, to: number): Promise<readonly WrittenMinute[]> {
    const days = Array.from({ length: dayOf(to) - dayOf(from) + 1 }, (_, at) => dayOf(from) + at);
    const stored = await Promise.all(days.map((day) => replyWithin(this.redis.hgetall(this.keys.pace(day)))));
    return stored
      .flatMap((of) => Object.entries(of))
      .map(([minute, text]) => {
        const [writes = 0, slowestS = 0] = text.split(' ').map(Number);
        return { minute: Number(minute), writes, slowestS };
      })
      .filter(({ minute }) => minute >= from && minute <= to);
  }

  /** Seconds, the newest first; at most `LAGS_KEPT_MAX`. */
  async lagsS(): Promise<readonly number[]> {
    return (await replyWithin(this.redis.lrange(this.keys.lags, 0, -1))).map(Number);
  }
}

function dayOf(minute: number): number {
  return Math.floor(minute / MINUTES_PER_DAY);
}

// How much all workers write in each minute, and how late. A process counts in memory and adds its counts to Redis in batches.

const MINUTE_MS = 60_000;
/** Minutes kept while Redis takes no counts: one day. */
const MINUTES_WAITING_MAX = 24 * 60;

/** Several minutes together. */
export interface PaceStep {
  /** Confirmed writes to mirrors. */
  readonly writes: number;
  /** The longest lag of these writes in seconds; null without writes. */
  readonly slowestS: number | null;
}

/** What this process has written and not yet added to Redis. */
export class Pace {
  readonly #clock: Clock;
  #minutes = new Map<number, WrittenMinute>();
  #lagsS: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(lagS: number): void {
    this.#count({ minute: Math.floor(this.#clock.now() / MINUTE_MS), writes: 1, slowestS: lagS });
    this.#lagsS.push(lagS);
    // Cut rarely: each cut copies the list.
    if (this.#lagsS.length > 2 * LAGS_KEPT_MAX) this.#lagsS = this.#lagsS.slice(-LAGS_KEPT_MAX);
  }

  /** Hands over what was counted since the last call. What is not taken is kept; if its answer was lost, it may be counted twice. */
  async flush(add: (written: Written) => Promise<void>): Promise<void> {
    if (this.#minutes.size === 0) return;
    const written = { minutes: [...this.#minutes.values()], lagsS: this.#lagsS.slice(-LAGS_KEPT_MAX) };
    this.#minutes = new Map();
    this.#lagsS = [];
    try {
      await add(written);
    } catch (error) {
      for (const minute of written.minutes) this.#count(minute);
      this.#lagsS = [...written.lagsS, ...this.#lagsS];
      throw error;
    }
  }

  #count({ minute, writes, slowestS }: WrittenMinute): void {
    const known = this.#minutes.get(minute) ?? { writes: 0, slowestS: 0 };
    this.#minutes.set(minute, {
      minute,
      writes: known.writes + writes,
      slowestS: Math.max(known.slowestS, slowestS),
    });
    if (this.#minutes.size > MINUTES_WAITING_MAX) this.#minutes.delete(Math.min(...this.#minutes.keys()));
  }
}

/** `steps` entries of `minutesEach` minutes, the oldest first; the last one ends with the current minute. */
export function paceSteps(
  minutes: readonly WrittenMinute[],
  {
    nowMs,
    steps,
    minutesEach,
  }: { readonly nowMs: number; readonly steps: number; readonly minutesEach: number },
): readonly PaceStep[] {
  const now = minuteOf(nowMs);
  const sums = Array.from({ length: steps }, () => ({ writes: 0, slowestS: null as number | null }));
  for (const { minute, writes, slowestS } of minutes) {
    const sum = sums[steps - 1 - Math.floor((now - minute) / minutesEach)];
    if (sum === undefined) continue;
    sum.writes += writes;
    sum.slowestS = Math.max(sum.slowestS ?? 0, slowestS);
  }
  return sums;
}

/** How far the mirrors are behind the platform, in seconds; null before the first measurement. */
export interface Lag {
  readonly p50: number | null;
  readonly p99: number | null;
  /** Number of measurements behind both percentiles. */
  readonly samples: number;
}

export function lagOf(lagsS: readonly number[]): Lag {
  const sorted = lagsS.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), samples: sorted.length };
}

/** Nearest rank: always a measured value. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

const SLOT_MS = 5_000;
const SLOTS = 12;
/** Largest number of counts kept: budgets times purposes. More would be a bug of the caller. */
const COUNTS_MAX = 1_000;

/** Requests of one purpose within the last minute. */
export interface Used {
  readonly budget: string;
  readonly purpose: string;
  readonly requests: number;
}

interface Count {
  readonly budget: string;
  readonly purpose: string;
  /** Counts of the last minute by slot: the slot's number, and its requests. */
  readonly slots: { at: number; requests: number }[];
}

/** How this process used the request budgets within the last minute. */
export class Usage {
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  add(budget: string, purpose: string): void {
    const name = `${budget} ${purpose}`;
    let count = this.#counts.get(name);
    if (count === undefined) {
      if (this.#counts.size >= COUNTS_MAX) return;
      count = { budget, purpose, slots: Array.from({ length: SLOTS }, () => ({ at: -1, requests: 0 })) };
      this.#counts.set(name, count);
    }
    const at = this.#now();
    const slot = count.slots[at % SLOTS];
    if (slot === undefined) return;
    if (slot.at !== at) Object.assign(slot, { at, requests: 0 });
    slot.requests += 1;
  }

  /** The largest count first. */
  read(): readonly Used[] {
    const since = this.#now() - SLOTS;
    return [...this.#counts.values()]
      .map(({ budget, purpose, slots }) => {
        const lately = slots.filter(({ at }) => at > since);
        return { budget, purpose, requests: lately.reduce((sum, { requests }) => sum + requests, 0) };
      })
      .filter(({ requests }) => requests > 0)
      .sort((a, b) => b.requests - a.requests);
  }

  #now(): number {
    return Math.floor(this.#clock.now() / SLOT_MS);
  }
}

/** What the process of one host last said about itself. */
export interface HostSeen {
  /** Host name; in a container, its id. */
  readonly host: string;
  /** By how much its clock is ahead of that of Redis; negative: behind. Milliseconds. */
  readonly aheadMs: number;
  /** How long each side has not answered it; 0 while it answers, undefined before the first answer or failure. Milliseconds. */
  readonly unreachedMs: Readonly<Record<RemoteSide, number | undefined>>;
}

export type RemoteSide = 'platform' | 'google';

/** How long a report counts: after that its process has ended, or cannot reach Redis. */
const FRESH_MS = 120_000;
/** How long the reports are kept after the last one. */
const REPORT_KEPT_MS = 86_400_000;

/** All ages are by the clock of Redis, whatever those of the hosts say. */
const REPORT = new Script(`${NOW}
local entry = cjson.decode(ARGV[2])
entry.atMs = now
entry.aheadMs = tonumber(ARGV[3]) - now
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(entry))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`);

/** Forgets what is old: each start of a worker is another process. */
const READ = new Script(`${NOW}
local fresh = {}
local flat = redis.call('HGETALL', KEYS[1])
for at = 1, #flat, 2 do
  if now - cjson.decode(flat[at + 1]).atMs > tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], flat[at])
  else table.insert(fresh, flat[at + 1]) end
end
return fresh
`);

export class HostReports {
  readonly #parts: { redis: RedisClient; keys: KeySpace; clock: Clock; processId: string };

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; processId: string }) {
    this.#parts = parts;
  }

  async report(own: Pick<HostSeen, 'host' | 'unreachedMs'>): Promise<void> {
    const { redis, keys, clock, processId } = this.#parts;
    await REPORT.run(redis, [keys.hosts], [processId, JSON.stringify(own), clock.now(), REPORT_KEPT_MS]);
  }

  /** The worker has ended: its host is no longer judged by it. */
  async end(): Promise<void> {
    const { redis, keys, processId } = this.#parts;
    await replyWithin(redis.hdel(keys.hosts, processId));
  }

  /** Processes that reported within the last two minutes. */
  async read(): Promise<readonly HostSeen[]> {
    const { redis, keys } = this.#parts;
    const texts = (await READ.run(redis, [keys.hosts], [FRESH_MS])) as string[];
    return texts.map((text) => JSON.parse(text) as HostSeen).sort((a, b) => a.host.localeCompare(b.host));
  }
}

/** Since when each side has not answered this process. */
export class Reach {
  readonly #clock: Clock;
  /** Undefined while it answers. */
  readonly #unansweredSinceMs = new Map<RemoteSide, number | undefined>();

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  note(side: RemoteSide, isAnswered: boolean): void {
    const sinceMs = this.#unansweredSinceMs.get(side) ?? this.#clock.now();
    this.#unansweredSinceMs.set(side, isAnswered ? undefined : sinceMs);
  }

  /** Notes the answers of one side, and that there was none. */
  hearingOf(side: RemoteSide): (isAnswered: boolean) => void {
    return (isAnswered) => this.note(side, isAnswered);
  }

  unreachedMs(): HostSeen['unreachedMs'] {
    const of = (side: RemoteSide) => {
      if (!this.#unansweredSinceMs.has(side)) return undefined;
      return Math.round(this.#clock.now() - (this.#unansweredSinceMs.get(side) ?? this.#clock.now()));
    };
    return { platform: of('platform'), google: of('google') };
  }

  /** Notes the platform's answers by its counter of requests. */
  hearing(meter: Meter): Meter {
    return {
      observe: (...seen) => meter.observe(...seen),
      add: (counter, labels, by) => {
        if (counter === 'platform_requests_total') this.note('platform', labels?.['status'] !== 'no-answer');
        meter.add(counter, labels, by);
      },
    };
  }
}

// What all workers wrote to each mirror, what failed and how late it was, for the last hour, day and month. A process counts in memory and
// adds its counts to Redis in batches.

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Each span has its own counts: so many steps of a fixed length. The steps of one `hashMs` are one hash, so a span reads at most two. Redis
 * keeps a hash for `keptMs` after its last write.
 */
export const SPANS = {
  hour: { steps: 60, stepMs: MINUTE_MS, hashMs: HOUR_MS, keptMs: 3 * HOUR_MS },
  day: { steps: 96, stepMs: 15 * MINUTE_MS, hashMs: DAY_MS, keptMs: 3 * DAY_MS },
  month: { steps: 248, stepMs: 3 * HOUR_MS, hashMs: 31 * DAY_MS, keptMs: 93 * DAY_MS },
} as const;
export type Span = keyof typeof SPANS;

export interface MirrorStep {
  readonly atMs: number;
  /** `*`: before any mirror was tried. */
  readonly mirror: string;
  /** Confirmed writes, and failed attempts. */
  readonly writes: number;
  readonly failures: number;
  /** The longest lag of these writes, in seconds. */
  readonly slowestS: number;
}

/** Most counts in memory while Redis takes none; the oldest go first. */
const WAITING_MAX = 2_000;

/** What this process has counted and not yet added to Redis, by minute. */
export class MirrorPace {
  readonly #clock: Clock;
  #counted = new Map<string, MirrorStep>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wrote(mirror: string, lagS: number): void {
    this.#count({ atMs: this.#clock.now(), mirror, writes: 1, failures: 0, slowestS: lagS });
  }

  failed(mirror: string): void {
    this.#count({ atMs: this.#clock.now(), mirror, writes: 0, failures: 1, slowestS: 0 });
  }

  /** Hands over what was counted since the last call. What is not taken is kept; if its answer was lost, it may be counted twice. */
  async flush(add: (counted: readonly MirrorStep[]) => Promise<void>): Promise<void> {
    if (this.#counted.size === 0) return;
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    try {
      await add(counted);
    } catch (error) {
      const since = [...this.#counted.values()];
      this.#counted = new Map();
      for (const step of [...counted, ...since]) this.#count(step);
      throw error;
    }
  }

  #count({ atMs, mirror, writes, failures, slowestS }: MirrorStep): void {
    const minuteMs = atMs - (atMs % MINUTE_MS);
    const name = `${minuteMs} ${mirror}`;
    const known = this.#counted.get(name);
    this.#counted.set(name, {
      ...{ atMs: minuteMs, mirror },
      writes: writes + (known?.writes ?? 0),
      failures: failures + (known?.failures ?? 0),
      slowestS: Math.max(slowestS, known?.slowestS ?? 0),
    });
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > WAITING_MAX && oldest !== undefined) this.#counted.delete(oldest);
  }
}

/** Each field is `<step> <mirror>`, each value `<writes> <failures> <slowest>`. */
const ADD_STEPS = new NamedScript(
  { keys: ['hash'], args: ['added', 'kept'] },
  `
for _, each in ipairs(cjson.decode(added)) do
  local writes, failures, slowest = each[2], each[3], each[4]
  local known = redis.call('HGET', hash, each[1])
  if known then
    local w, f, s = string.match(known, '^(%d+) (%d+) (%S+)$')
    writes = writes + tonumber(w)
    failures = failures + tonumber(f)
    slowest = math.max(slowest, tonumber(s))
  end
  redis.call('HSET', hash, each[1], string.format('%d %d %.3f', writes, failures, slowest))
end
redis.call('PEXPIRE', hash, kept)
return 1
`,
);

export class RedisMirrorPace extends RedisStore {
  /** One call for each span, and one more where the counts reach over the end of a hash. */
  async add(counted: readonly MirrorStep[]): Promise<void> {
    for (const [span, { stepMs, hashMs, keptMs }] of Object.entries(SPANS)) {
      const hashes = new Map<number, (string | number)[][]>();
      for (const { atMs, mirror, writes, failures, slowestS } of counted) {
        const hash = Math.floor(atMs / hashMs);
        const row = [`${Math.floor(atMs / stepMs)} ${mirror}`, writes, failures, slowestS];
        hashes.set(hash, [...(hashes.get(hash) ?? []), row]);
      }
      for (const [hash, rows] of hashes)
        await ADD_STEPS.run(this.redis, {
          keys: { hash: this.keys.mirrorPace(span, hash) },
          args: { added: JSON.stringify(rows), kept: keptMs },
        });
    }
  }

  /** The steps of the span that ends now in which something was counted, in any order. */
  async read(span: Span, nowMs: number): Promise<readonly MirrorStep[]> {
    const { steps, stepMs, hashMs } = SPANS[span];
    const firstMs = firstStepMs(span, nowMs);
    const hashes = [...new Set([firstMs, nowMs].map((ms) => Math.floor(ms / hashMs)))];
    const found = await Promise.all(
      hashes.map((hash) => replyWithin(this.redis.hgetall(this.keys.mirrorPace(span, hash)))),
    );
    return found
      .flatMap((fields) => Object.entries(fields))
      .map(([field, value]) => {
        const space = field.indexOf(' ');
        const [writes = 0, failures = 0, slowestS = 0] = value.split(' ').map(Number);
        const atMs = Number(field.slice(0, space)) * stepMs;
        return { atMs, mirror: field.slice(space + 1), writes, failures, slowestS };
      })
      .filter(({ atMs }) => atMs >= firstMs && atMs < firstMs + steps * stepMs);
  }
}

/** When the first step of the span begins. The last one is the step of `nowMs`. */
export function firstStepMs(span: Span, nowMs: number): number {
  const { steps, stepMs } = SPANS[span];
  return (Math.floor(nowMs / stepMs) - steps + 1) * stepMs;
}

/** When the calls of this process last reached calendars and spreadsheets, not yet added to Redis. */
export class Reached {
  readonly #clock: Clock;
  #fields = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `target`: as in problems. */
  readonly note = (target: string, direction: 'read' | 'write'): void => {
    this.#fields.set(placeField(target, direction), this.#clock.now());
  };

  /** Hands over what was noted since the last call; what is not taken is noted again. */
  async flush(add: (fields: ReadonlyMap<string, number>) => Promise<void>): Promise<void> {
    const fields = this.#fields;
    if (fields.size === 0) return;
    this.#fields = new Map();
    try {
      await add(fields);
    } catch (error) {
      this.#fields = new Map([...fields, ...this.#fields]);
      throw error;
    }
  }
}

/** A field of `:reached`. The confirmation of rows writes that of their tab itself. */
export function placeField(target: string, direction: 'read' | 'write'): string {
  return `${direction} ${target}`;
}
