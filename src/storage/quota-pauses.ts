import type { QuotaRefusal } from '../ports/budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered, Script } from './script.ts';

/** How long after the end of a pause another refusal of the same length still counts as the same trouble; at least the pause itself. */
const REMEMBERED_MS_MIN = 10_000;
/** Share of a pause by which those who wait come back apart from each other. */
const SPREAD_SHARE = 0.1;
const SPREAD_MS_MAX = 5_000;
/** However long the pause: whoever waits looks after this time whether it still stands. That costs Google nothing. */
const WAIT_MS_MAX = 5 * 60_000;
/** Clocks of processes differ; a refusal that lies further ahead than that was met by a clock that has been put back since. */
const AHEAD_MS_MAX = 60_000;

/**
 * Google sends no Retry-After, so every refusal in a row doubles the pause. Calls that left before the last refusal was met are part of
 * it: they only see to it that the pause is not shorter than their own first one.
 */
const GROW = new Script(`
local now, left, first, longest, remembered = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'until', 'step', 'at', 'first')
local untl, step, at = tonumber(known[1] or '0'), tonumber(known[2] or '0'), tonumber(known[3] or '0')
-- Met by a clock that has been put back since.
if at > now + tonumber(ARGV[7]) then untl, step, at = 0, 0, 0 end
if step > 0 and left <= at and now + first <= untl then return untl end
if tonumber(known[4] or '0') ~= first then step = 0 end
if step == 0 or left > at then step = step + 1 end
local pause = math.min(first * 2 ^ (step - 1), longest)
if now + pause <= untl then return untl end
untl = now + pause
redis.call('HSET', KEYS[1], 'until', untl, 'step', step, 'at', now, 'first', first, 'reason', ARGV[6])
redis.call('PEXPIRE', KEYS[1], math.ceil(untl - now + math.max(pause, remembered)))
return untl
`);

/**
 * Google's word for "too much in this calendar" and "too much from you" is the same. It is the credential's when a second target is
 * refused and no call that left since the first refusal was answered.
 */
const TARGETS_OF_CREDENTIAL = 2;
/** So long a refusal says something about the next one; at least as long as the pause. */
const EVIDENCE_MS_MIN = 60_000;
const COUNT_REFUSED = new Script(`
local now, target, answered, window = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
-- Met by a clock that has been put back since.
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + tonumber(ARGV[5]), '+inf')
redis.call('ZADD', KEYS[1], now, target)
redis.call('PEXPIRE', KEYS[1], window)
return redis.call('ZCOUNT', KEYS[1], '(' .. answered, '+inf')
`);

/** Until when a budget, or one target of it, may not be touched because Google itself has refused; shared by all processes. */
export class RedisQuotaPauses {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  /** What this process knows already costs no round trip, and no part of the budget. */
  readonly #known = new Map<string, Pause>();

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** Milliseconds that are left of the pause as far as this process knows; 0 for none. */
  knownForMs(name: string): number {
    return this.#spread(this.#leftMs(this.#known.get(name)));
  }

  /** The same, asked for. */
  async forMs(name: string): Promise<number> {
    const pause = await this.#read(name);
    this.#known.set(name, pause);
    return this.#spread(this.#leftMs(pause));
  }

  /** Begins or prolongs the pause. Returns how long to wait. */
  async grow(name: string, refusal: QuotaRefusal): Promise<number> {
    const nowMs = Math.floor(this.#clock.now());
    const { leftAtMs, firstMs, longestMs, reason } = refusal;
    const args = [
      nowMs,
      Math.floor(leftAtMs),
      Math.ceil(firstMs),
      longestMs,
      REMEMBERED_MS_MIN,
      reason,
      AHEAD_MS_MAX,
    ];
    const untilMs = Number(await GROW.run(this.#redis, [this.#keys.quotaPause(name)], args));
    this.#known.set(name, { untilMs, atMs: nowMs });
    return this.#spread(untilMs - nowMs);
  }

  /** Whether Google means everybody, as far as the refusals that all processes have met tell. `answeredAtMs`: when the last call left that was answered. */
  async isCredentials(
    name: string,
    refusal: { readonly target: string; readonly firstMs: number; readonly answeredAtMs: number },
  ): Promise<boolean> {
    const { target, firstMs, answeredAtMs } = refusal;
    const windowMs = Math.ceil(Math.max(EVIDENCE_MS_MIN, firstMs));
    const args = [Math.floor(this.#clock.now()), target, Math.floor(answeredAtMs), windowMs, AHEAD_MS_MAX];
    const refused = await COUNT_REFUSED.run(this.#redis, [this.#keys.quotaRefused(name)], args);
    return Number(refused) >= TARGETS_OF_CREDENTIAL;
  }

  async read(name: string): Promise<{ untilMs: number; reason: string } | undefined> {
    const { untilMs, atMs, reason } = await this.#read(name);
    return this.#leftMs({ untilMs, atMs }) > 0 ? { untilMs, reason } : undefined;
  }

  async #read(name: string): Promise<Pause & { readonly reason: string }> {
    const fields = await answered(this.#redis.hmget(this.#keys.quotaPause(name), 'until', 'at', 'reason'));
    const [untilMs, atMs, reason] = fields;
    return { untilMs: Number(untilMs ?? 0), atMs: Number(atMs ?? 0), reason: reason ?? '' };
  }

  #leftMs(pause: Pause | undefined): number {
    const nowMs = this.#clock.now();
    if (pause === undefined || pause.atMs > nowMs + AHEAD_MS_MAX) return 0;
    return pause.untilMs - nowMs;
  }

  #spread(ms: number): number {
    if (ms <= 0) return 0;
    const waitMs = Math.min(ms, WAIT_MS_MAX);
    return Math.ceil(waitMs + Math.random() * Math.min(waitMs * SPREAD_SHARE, SPREAD_MS_MAX));
  }
}

interface Pause {
  /** Epoch milliseconds. */
  readonly untilMs: number;
  /** When the last refusal was met. */
  readonly atMs: number;
}
