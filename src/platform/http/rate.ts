/**
 * The request budget that the platform tells in `RateLimit-*` and `Retry-After` (platform API, Limits).
 * In: the facts of every answer. Out: how long a call has to wait. It never sleeps: the job layer waits, not a socket.
 * It counts its own calls between answers, so that calls in flight together do not all spend the last one.
 */
import type { PlatformBudget } from '../../ports/quotas.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { PauseStore } from './pause.ts';
import type { RateFacts } from './rate-headers.ts';

/** Who goes first when the budget runs low: live work and bookings, then the feed, then walks over whole lists. */
export type Rank = 'live' | 'feed' | 'walk';

/** Share of the limit that a rank leaves to those before it. */
const KEPT_SHARE: Readonly<Record<Rank, number>> = { live: 0, feed: 0.1, walk: 0.25 };
/** A 429 without `Retry-After` or `RateLimit-Reset`: the window is one minute. */
const WINDOW_MS = 60_000;
/** `RateLimit-Reset` is in whole seconds, so 0 means "within this second". */
const RESET_MS_MIN = 1_000;
/** Two answers of one window place its end up to a second apart, for the same reason. */
const SAME_WINDOW_MS = 1_500;
/** Share of the limit that is left alone, at most, for calls of other processes that this one has not heard of yet. */
const OTHERS_SHARE_MAX = 0.1;
/** No header may silence the worker for longer. */
const PAUSE_MS_MAX = 15 * 60_000;

export class RateGate {
  readonly #clock: Clock;
  readonly #shared: PauseStore;
  readonly #log: Log;
  #pausedUntilMs = 0;
  #isSharedLost = false;
  #resetAtMs = 0;
  /** When the window before this one ended. */
  #formerEndMs = 0;
  #limit: number | undefined;
  /** Calls that may still leave in this window; undefined until the platform has told it. */
  #left: number | undefined;
  #inFlight = 0;
  /** The most calls that others made between two answers to this process, in this window and in the one before. */
  #others = { now: 0, before: 0 };

  /** `clock`: a steady one. A window that ends by the wall clock would last for as long as that was ahead, once it is set right. */
  constructor(parts: { clock: Clock; shared: PauseStore; log: Log }) {
    this.#clock = parts.clock;
    this.#shared = parts.shared;
    this.#log = parts.log;
  }

  /** Milliseconds of the pause that all processes keep; 0 when there is none. */
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

  /** Milliseconds until this rank may call again; 0 when it may now. Follow it with `take` before anything is awaited. */
  spentForMs(rank: Rank): number {
    this.#roll();
    // Calls that failed, or were answered by a gateway, leave the new window untold: count afresh, or an outage would never end here.
    if (this.#resetAtMs === 0 && this.#inFlight === 0) this.#left = this.#limit;
    if (this.#left === undefined) return 0;
    const kept = Math.floor((this.#limit ?? 0) * KEPT_SHARE[rank]);
    return this.#left > Math.max(kept, this.#unheardOf()) ? 0 : this.#untilResetMs();
  }

  take(): void {
    this.#inFlight += 1;
    if (this.#left !== undefined) this.#left -= 1;
  }

  /** The call that was taken has ended, with or without an answer. Before `learn`. */
  ended(): void {
    this.#inFlight -= 1;
  }

  /** `ownLimit`: the operation has a limit of its own, so its 429 says nothing about the others. */
  async learn(status: number, facts: RateFacts, ownLimit: boolean): Promise<void> {
    this.#count(facts);
    const spent = facts.remaining === 0 && facts.resetMs !== undefined;
    if (status === 429 && !ownLimit) {
      // Whatever an earlier answer said of the window: after this time calls are welcome.
      this.#left = 0;
      this.#resetAtMs = this.#clock.now() + retryMs(facts);
      await this.#pause(retryMs(facts));
    } else if (spent) await this.#pause(Math.max(facts.resetMs ?? 0, RESET_MS_MIN));
  }

  /** How long a 429 asks to wait, at least. */
  static retryMs(facts: RateFacts): number {
    return retryMs(facts);
  }

  #count(facts: RateFacts): void {
    if (facts.limit !== undefined) this.#limit = facts.limit;
    if (facts.remaining === undefined || facts.resetMs === undefined) return;
    this.#roll();
    const now = this.#clock.now();
    const resetAtMs = now + Math.max(facts.resetMs, RESET_MS_MIN);
    // An answer of the former window that was long under way.
    if (this.#formerEndMs <= now && resetAtMs <= this.#formerEndMs + SAME_WINDOW_MS) return;
    // The newest answer counts: the platform may have begun another window, or have meant a shorter one all along.
    const isOther = this.#resetAtMs > now && Math.abs(resetAtMs - this.#resetAtMs) > SAME_WINDOW_MS;
    if (this.#left === undefined || isOther) {
      // The calls still in flight may not be in the platform's count yet.
      this.#left = Math.max(0, facts.remaining - this.#inFlight);
      this.#resetAtMs = resetAtMs;
      return;
    }
    this.#others.now = Math.max(this.#others.now, this.#left - facts.remaining);
    this.#left = Math.min(this.#left, facts.remaining);
    this.#resetAtMs = Math.max(this.#resetAtMs, resetAtMs);
  }

  /** The window has ended: everything may be spent again, as far as this process knows. */
  #roll(): void {
    if (this.#resetAtMs === 0 || this.#clock.now() < this.#resetAtMs) return;
    this.#formerEndMs = this.#resetAtMs;
    this.#resetAtMs = 0;
    this.#left = this.#limit;
    this.#others = { now: 0, before: this.#others.now };
  }

  /** What others may have spent since the last answer: whoever spends the last call, the next one is a 429. */
  #unheardOf(): number {
    const seen = Math.max(this.#others.now, this.#others.before);
    return Math.min(seen, Math.floor((this.#limit ?? 0) * OTHERS_SHARE_MAX));
  }

  /** While the end of a window that has just begun is not yet told, a little: whoever waits comes back to ask. */
  #untilResetMs(): number {
    return this.#resetAtMs === 0 ? RESET_MS_MIN : Math.max(1, this.#resetAtMs - this.#clock.now());
  }

  /** Politeness must not stop the work: without the store, this process still knows what its own answers said. */
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
    // Also when an earlier answer asked for longer: the newest one knows better.
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
