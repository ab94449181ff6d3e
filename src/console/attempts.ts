// Codes have 256 bits and cannot be guessed. The limits keep an attacker from querying Redis or the provider at full speed.
import type { Clock } from '../engine/ports/runtime.ts';

/** Most attempts to sign in within one minute from one address. */
const ATTEMPTS_MAX = 10;
const WINDOW_MS = 60_000;
/** Most addresses that are counted at a time; with one more the count begins again. */
const ADDRESSES_MAX = 10_000;
/** Most addresses that are remembered because somebody signed in from them; the oldest go first. */
const KNOWN_MAX = 1_000;

/** Addresses from which somebody has signed in since the worker started. */
export class KnownAddresses {
  readonly #known = new Set<string>();

  add(address: string): void {
    this.#known.delete(address);
    this.#known.add(address);
    const [oldest] = this.#known;
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }

  has(address: string): boolean {
    return this.#known.has(address);
  }
}

export class Attempts {
  readonly #clock: Clock;
  readonly #known: KnownAddresses;
  readonly #togetherMax: number;
  #windowMs = Number.NEGATIVE_INFINITY;
  #together = { known: 0, strangers: 0 };
  readonly #of = new Map<string, number>();

  /**
   * `clock`: one that is never set. `togetherMax`: most attempts of all strangers in a minute, and as many again of known addresses, so that
   * strangers keep nobody out. Needed where an attempt costs a call to the outside.
   */
  constructor(parts: {
    readonly clock: Clock;
    readonly known: KnownAddresses;
    readonly togetherMax?: number;
  }) {
    this.#clock = parts.clock;
    this.#known = parts.known;
    this.#togetherMax = parts.togetherMax ?? Number.POSITIVE_INFINITY;
  }

  /** Counts one attempt; false when it exceeds a limit. */
  mayTry(address: string): boolean {
    const nowMs = this.#clock.now();
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#together = { known: 0, strangers: 0 };
      this.#of.clear();
    }
    const share = this.#known.has(address) ? 'known' : 'strangers';
    if (this.#together[share] >= this.#togetherMax) return false;
    const own = (this.#of.get(address) ?? 0) + 1;
    if (own > ATTEMPTS_MAX) return false;
    if (this.#of.size >= ADDRESSES_MAX) this.#of.clear();
    this.#together[share] += 1;
    this.#of.set(address, own);
    return true;
  }
}
