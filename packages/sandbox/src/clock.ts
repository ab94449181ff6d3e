/**
 * The sandbox's clock: real time plus an adjustable offset, and timers that follow it. In: advance, freeze, thaw.
 * Out: now, after. `advance` runs the timers that become due, in order of their time. The clock never keeps a
 * process alive.
 */
const REAL_TIMER_MS_MAX = 2 ** 31 - 1;

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

export class SandboxClock {
  #offsetMs = 0;
  #frozenAtMs: number | undefined;
  #timers = new Set<Timer>();
  #wake: NodeJS.Timeout | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;

  /** The sandbox's current time, in ms since 1970 UTC. */
  now(): number {
    return this.#frozenAtMs ?? Date.now() + this.#offsetMs;
  }

  /** Moves time forward. Every timer that becomes due runs at its own moment, before this returns. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('time only moves forward');
    const target = this.now() + ms;
    const wasFrozen = this.#frozenAtMs !== undefined;
    for (let next = this.#earliest(); next && next.atMs <= target; next = this.#earliest()) {
      this.#frozenAtMs = Math.max(next.atMs, this.now());
      this.#timers.delete(next);
      next.run();
    }
    this.#moveTo(target, wasFrozen);
    this.#arm();
  }

  /** Stops time, now or at `atMs`. Timers wait for advance or thaw. */
  freeze(atMs: number = this.now()): void {
    this.#frozenAtMs = atMs;
    this.#arm();
  }

  /** Lets time run again from the current moment. */
  thaw(): void {
    this.#moveTo(this.now(), false);
    this.#arm();
  }

  /** Runs `run` once, `ms` from now on this clock. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer: Timer = { atMs: this.now() + ms, run };
    this.#timers.add(timer);
    if (timer.atMs < this.#wakeAtMs) this.#arm();
    return () => {
      this.#timers.delete(timer);
    };
  }

  #moveTo(targetMs: number, frozen: boolean): void {
    this.#frozenAtMs = frozen ? targetMs : undefined;
    this.#offsetMs = targetMs - Date.now();
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) if (!earliest || timer.atMs < earliest.atMs) earliest = timer;
    return earliest;
  }

  #arm(): void {
    clearTimeout(this.#wake);
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    const next = this.#earliest();
    // A frozen clock still runs timers that are already due, as a timer of 0 ms would be.
    if (!next || (this.#frozenAtMs !== undefined && next.atMs > this.#frozenAtMs)) return;
    this.#wakeAtMs = next.atMs;
    const waitMs = Math.min(Math.max(next.atMs - this.now(), 0), REAL_TIMER_MS_MAX);
    this.#wake = setTimeout(() => this.#ring(), waitMs);
    this.#wake.unref();
  }

  /** Runs all due timers in one pass, so that thousands of timers cost one sort and not one scan each. */
  #ring(): void {
    const now = this.now();
    const due = [...this.#timers].filter((timer) => timer.atMs <= now).sort((a, b) => a.atMs - b.atMs);
    // Disarmed while the batch runs: otherwise each new timer would scan all timers to re-arm.
    this.#wakeAtMs = Number.NEGATIVE_INFINITY;
    for (const timer of due) if (this.#timers.delete(timer)) timer.run();
    this.#arm();
  }
}
