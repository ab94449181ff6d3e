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
/** However long the pause: whoever waits looks again after this time, for the sake of its other mirrors. It costs Google nothing. */
const WAIT_MS_MAX = 5 * 60_000;

/**
 * Google sends no Retry-After, so every refusal in a row doubles the pause. Calls that left before the last refusal was met are part of
 * it: they only see to it that the pause is not shorter than their own first one.
 */
const GROW = new Script(`
local now, left, first, longest, remembered = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'until', 'step', 'at', 'first')
local untl, step, at = tonumber(known[1] or '0'), tonumber(known[2] or '0'), tonumber(known[3] or '0')
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

/** Until when a budget may not be touched because Google itself has refused; shared by all processes. */
export class RedisQuotaPauses {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  /** What this process knows already costs no round trip, and no part of the budget. */
  readonly #known = new Map<string, number>();

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** Milliseconds that are left of the pause as far as this process knows; 0 for none. */
  knownForMs(name: string): number {
    return this.#spread((this.#known.get(name) ?? 0) - this.#clock.now());
  }

  /** The same, asked for. */
  async forMs(name: string): Promise<number> {
    const untilMs = Number((await answered(this.#redis.hget(this.#keys.quotaPause(name), 'until'))) ?? 0);
    this.#known.set(name, untilMs);
    return this.#spread(untilMs - this.#clock.now());
  }

  /** Begins or prolongs the pause. Returns how long to wait. */
  async grow(name: string, refusal: QuotaRefusal): Promise<number> {
    const nowMs = Math.floor(this.#clock.now());
    const { leftAtMs, firstMs, longestMs, reason } = refusal;
    const args = [nowMs, Math.floor(leftAtMs), Math.ceil(firstMs), longestMs, REMEMBERED_MS_MIN, reason];
    const untilMs = Number(await GROW.run(this.#redis, [this.#keys.quotaPause(name)], args));
    this.#known.set(name, untilMs);
    return this.#spread(untilMs - nowMs);
  }

  async read(name: string): Promise<{ untilMs: number; reason: string } | undefined> {
    const [until, reason] = await answered(this.#redis.hmget(this.#keys.quotaPause(name), 'until', 'reason'));
    const untilMs = Number(until ?? 0);
    return untilMs > this.#clock.now() ? { untilMs, reason: reason ?? '' } : undefined;
  }

  #spread(ms: number): number {
    if (ms <= 0) return 0;
    const waitMs = Math.min(ms, WAIT_MS_MAX);
    return Math.ceil(waitMs + Math.random() * Math.min(waitMs * SPREAD_SHARE, SPREAD_MS_MAX));
  }
}
