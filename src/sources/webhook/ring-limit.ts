/** Rings that pass in one go, before one per pause. A ring costs requests to the platform, and anybody with the address can send it. */
const RINGS_AT_ONCE = 3;
const RING_EVERY_MS = 5_000;

/** A token bucket that loses no ring: one that is too early is passed on in its turn, together with all that followed it. */
export class RingLimit {
  readonly #ring: () => void;
  #tokens = RINGS_AT_ONCE;
  /** On the monotonic clock of this process. */
  #filledAtMs = performance.now();
  #due: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  ring(): void {
    // The walk that is due begins after this delivery, and sees what it may have reported.
    if (this.#due !== undefined) return;
    const nowMs = performance.now();
    const filled = Math.floor((nowMs - this.#filledAtMs) / RING_EVERY_MS);
    this.#tokens = Math.min(RINGS_AT_ONCE, this.#tokens + filled);
    this.#filledAtMs += filled * RING_EVERY_MS;
    if (this.#tokens > 0) {
      this.#tokens -= 1;
      this.#ring();
      return;
    }
    const waitMs = this.#filledAtMs + RING_EVERY_MS - nowMs;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      this.ring();
    }, waitMs).unref();
  }
}
