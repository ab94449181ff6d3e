/**
 * The request budget that the platform reports in `RateLimit-*` and `Retry-After` (platform API, Limits). In: the headers of every answer.
 * Out: how long a call must wait. It never sleeps: the job layer waits instead of holding a socket. It counts its own calls between
 * answers, so that concurrent calls do not all spend the last one.
 */
import type { KeySpace } from '../engine/key-space.ts';
import { headerNumber, retryAfterMs } from '../engine/proxy.ts';
import type { PlatformBudget } from '../engine/quotas.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { replyWithin } from '../engine/redis-script.ts';
import { type Clock, type Log, steadyClock } from '../engine/runtime.ts';
import type { AnswerHeaders } from './http-answer.ts';

/** Priority when the budget runs low: live work and bookings, then the feed, then walks over whole lists. */
export type Rank = 'live' | 'feed' | 'walk';

/** Share of the limit that a rank leaves to higher ranks. */
const RESERVED_SHARE: Readonly<Record<Rank, number>> = { live: 0, feed: 0.1, walk: 0.25 };
/** Pause after a 429 without `Retry-After` or `RateLimit-Reset`: the window is one minute. */
const WINDOW_MS = 60_000;
/** Shortest assumed time to a reset: `RateLimit-Reset` is in whole seconds, so 0 means "within this second". */
const RESET_MS_MIN = 1_000;
/** Largest difference between two reported ends of the same window: whole seconds place it up to a second apart. */
const SAME_WINDOW_MS = 1_500;
/** Largest share of the limit that is reserved for calls of other processes that this one does not know of yet. */
const OTHERS_SHARE_MAX = 0.1;
/** Longest pause that a header may impose on the worker. */
const PAUSE_MS_MAX = 15 * 60_000;

export class RateGate {
  readonly #clock: Clock;
  readonly #shared: PauseStore;
  readonly #log: Log;
  #pausedUntilMs = 0;
  #isSharedLost = false;
  #resetAtMs = 0;
  /** When the previous window ended. */
  #previousEndMs = 0;
  #limit: number | undefined;
  /** Calls that may still leave in this window; undefined until the platform has reported it. */
  #left: number | undefined;
  #inFlight = 0;
  /** The most calls that others made between two answers to this process, in this window and in the previous one. */
  #others = { now: 0, before: 0 };

  /** `clock`: monotonic. With a wall clock that is ahead and then corrected, the window would last longer by that difference. */
  constructor(parts: { clock: Clock; shared: PauseStore; log: Log }) {
    this.#clock = parts.clock;
    this.#shared = parts.shared;
    this.#log = parts.log;
  }

  /** Milliseconds left of the pause that all processes share; 0 when there is none. */
  async pausedForMs(): Promise<number> {
    const sharedMs = await this.#sharedLeftMs();
    return Math.max(this.#pausedUntilMs - this.#clock.now(), sharedMs, 0);
  }

  async budget(): Promise<PlatformBudget> {
    const pausedForMs = await this.pausedForMs();
    this.#roll();
    const renewedInMs = this.#resetAtMs === 0 ? 0 : this.#resetAtMs - this.#clock.now();
    return { limit: this.#limit, left: this.#left, renewedInMs, pausedForMs };
  }

  /** Milliseconds until this rank may call again; 0 when it may call now. Call `take` afterwards without an `await` in between. */
  spentForMs(rank: Rank): number {
    this.#roll();
    // Failed calls and answers of gateways do not report the new window. Reset the count, or an outage would never end here.
    if (this.#resetAtMs === 0 && this.#inFlight === 0) this.#left = this.#limit;
    if (this.#left === undefined) return 0;
    const limit = this.#limit ?? 0;
    // Calls that others may have made since the last answer: the call after the last one of a window is a 429.
    const others = Math.min(
      Math.max(this.#others.now, this.#others.before),
      Math.floor(limit * OTHERS_SHARE_MAX),
    );
    return this.#left > Math.max(Math.floor(limit * RESERVED_SHARE[rank]), others) ? 0 : this.#untilResetMs();
  }

  take(): void {
    this.#inFlight += 1;
    if (this.#left !== undefined) this.#left -= 1;
  }

  /** The taken call has ended, with or without an answer. Call it before `learn`. */
  ended(): void {
    this.#inFlight -= 1;
  }

  /** `ownLimit`: the operation has its own limit, so its answer says nothing about other operations. */
  async learn(status: number, facts: RateFacts, ownLimit: boolean): Promise<void> {
    if (ownLimit) return;
    this.#count(facts);
    const spent = facts.remaining === 0 && facts.resetMs !== undefined;
    if (status === 429) {
      // The 429 overrides earlier answers about the window: after this time, calls are allowed again.
      this.#left = 0;
      this.#resetAtMs = this.#clock.now() + retryMs(facts);
      await this.#pause(retryMs(facts));
    } else if (spent) await this.#pause(Math.max(facts.resetMs ?? 0, RESET_MS_MIN));
  }

  /** The shortest wait that a 429 requires. */
  static retryMs(facts: RateFacts): number {
    return retryMs(facts);
  }

  #count(facts: RateFacts): void {
    const isOtherLimit = facts.limit !== undefined && facts.limit !== this.#limit;
    if (facts.limit !== undefined) this.#limit = facts.limit;
    if (facts.remaining === undefined || facts.resetMs === undefined) return;
    this.#roll();
    const now = this.#clock.now();
    const resetAtMs = now + Math.max(facts.resetMs, RESET_MS_MIN);
    // A late answer from the previous window.
    if (this.#previousEndMs <= now && resetAtMs <= this.#previousEndMs + SAME_WINDOW_MS) return;
    // The newest answer wins: the platform may have another limit, have started another window, or have meant a shorter one all along.
    const isOther = this.#resetAtMs > now && Math.abs(resetAtMs - this.#resetAtMs) > SAME_WINDOW_MS;
    if (this.#left === undefined || isOther || isOtherLimit) {
      // The platform may not have counted the calls in flight yet.
      this.#left = Math.max(0, facts.remaining - this.#inFlight);
      this.#resetAtMs = resetAtMs;
      return;
    }
    this.#others.now = Math.max(this.#others.now, this.#left - facts.remaining);
    this.#left = Math.min(this.#left, facts.remaining);
    this.#resetAtMs = Math.max(this.#resetAtMs, resetAtMs);
  }

  /** The window has ended: as far as this process knows, the whole limit is available again. */
  #roll(): void {
    if (this.#resetAtMs === 0 || this.#clock.now() < this.#resetAtMs) return;
    this.#previousEndMs = this.#resetAtMs;
    this.#resetAtMs = 0;
    this.#left = this.#limit;
    this.#others = { now: 0, before: this.#others.now };
  }

  /** Before the first answer of a new window its end is unknown, so the caller waits briefly and asks again. */
  #untilResetMs(): number {
    return this.#resetAtMs === 0 ? RESET_MS_MIN : Math.max(1, this.#resetAtMs - this.#clock.now());
  }

  /** A lost store must not stop the work: this process still knows the pauses from its own answers. */
  async #sharedLeftMs(): Promise<number> {
    try {
      const leftMs = await this.#shared.leftMs();
      this.#isSharedLost = false;
      return leftMs;
    } catch (cause) {
      if (!this.#isSharedLost)
        this.#log.warn({ err: cause }, 'the shared pause of the platform could not be read');
      this.#isSharedLost = true;
      return 0;
    }
  }

  async #pause(ms: number): Promise<void> {
    const pauseMs = Math.min(ms, PAUSE_MS_MAX);
    // Replaces an earlier pause, even a longer one: the newest answer is the most accurate.
    this.#pausedUntilMs = this.#clock.now() + pauseMs;
    await this.#shared.pause(pauseMs).catch((cause: unknown) => {
      this.#log.warn({ err: cause }, 'the shared pause of the platform could not be written');
    });
  }
}

function retryMs(facts: RateFacts): number {
  const ms = facts.retryAfterMs ?? facts.resetMs ?? WINDOW_MS;
  return Math.min(Math.max(ms, RESET_MS_MIN), PAUSE_MS_MAX);
}

/** The request budget as reported by one answer (platform API, Limits). */
export interface RateFacts {
  /** At least 1: a limit of 0 says that no call is allowed now, not that none ever will be. */
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Time until the window ends; `RateLimit-Reset` is in seconds. */
  readonly resetMs: number | undefined;
  readonly retryAfterMs: number | undefined;
}

export function readRateFacts(headers: AnswerHeaders, nowMs: number): RateFacts {
  const resetS = headerNumber(headers.get('ratelimit-reset'));
  const limit = headerNumber(headers.get('ratelimit-limit'));
  return {
    limit: limit === undefined || limit < 1 ? undefined : limit,
    remaining: headerNumber(headers.get('ratelimit-remaining')),
    resetMs: resetS === undefined ? undefined : resetS * 1000,
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

/** How long no process may call the platform. The worker keeps it in Redis, so that all processes share it. */
export interface PauseStore {
  /** Milliseconds until the pause ends; 0 when there is none. */
  leftMs(): Promise<number>;
  pause(ms: number): Promise<void>;
}

/** For a single process. The newest pause replaces an earlier one, even if it is shorter. */
export class LocalPause implements PauseStore {
  readonly #clock: Clock;
  #untilMs = 0;

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  async leftMs(): Promise<number> {
    return Math.max(0, this.#untilMs - this.#clock.now());
  }

  async pause(ms: number): Promise<void> {
    this.#untilMs = this.#clock.now() + ms;
  }
}

/**
 * How long no process may call, shared by all processes and measured by Redis. The newest pause replaces the last one, even if it is
 * shorter.
 */
export class RedisPauseStore implements PauseStore {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(parts: { redis: RedisClient; keys: KeySpace; name: string }) {
    this.#redis = parts.redis;
    this.#key = parts.keys.pause(parts.name);
  }

  /** Milliseconds until it ends; 0 when there is no pause. */
  async leftMs(): Promise<number> {
    return Math.max(0, await replyWithin(this.#redis.pttl(this.#key)));
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await replyWithin(this.#redis.set(this.#key, '', 'PX', Math.ceil(ms)));
  }
}
