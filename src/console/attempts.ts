// Codes have 256 bits and cannot be guessed. The limit keeps an attacker from querying Redis at full speed.
import type { Clock } from '../ports/runtime.ts';

/** Most attempts to sign in within one minute: from one address, and from all together. Each costs one read in Redis. */
const ATTEMPTS_MAX = 10;
const ATTEMPTS_OF_ALL_MAX = 600;
const WINDOW_MS = 60_000;

export class Attempts {
  readonly #clock: Clock;
  readonly #ofAllMax: number;
  #windowMs = Number.NEGATIVE_INFINITY;
  #all = 0;
  readonly #of = new Map<string, number>();

  /** `clock`: one that is never set. */
  constructor(clock: Clock, ofAllMax = ATTEMPTS_OF_ALL_MAX) {
    this.#clock = clock;
    this.#ofAllMax = ofAllMax;
  }

  /** Counts one attempt; false when it exceeds a limit. */
  mayTry(address: string): boolean {
    const nowMs = this.#clock.now();
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#all = 0;
      this.#of.clear();
    }
    // Checked before the map grows, so the map never has more entries than the limit of all attempts.
    if (this.#all >= this.#ofAllMax) return false;
    const own = (this.#of.get(address) ?? 0) + 1;
    if (own > ATTEMPTS_MAX) return false;
    this.#all += 1;
    this.#of.set(address, own);
    return true;
  }
}
