import { setTimeout as sleep } from 'node:timers/promises';
import type { Rush } from '../../ports/work.ts';

/** Simultaneous deliveries from which handlers give way. */
const RUSH_FROM = 4;
/**
 * Deliveries that must arrive within one or two windows. Fewer take a few hundredths of the thread. They then wait for something else, such
 * as a slow Redis, and handlers that give way only fall behind.
 */
const RUSH_ARRIVALS = 30;
const ARRIVALS_WINDOW_MS = 100;
/** How long a rush lasts after its last delivery: a sender that got its answer sends the next one within this time. */
const QUIET_MS = 20;
/** How often a turn of other work begins during a rush, however long deliveries arrive. */
const TURN_EVERY_MS = 100;
/**
 * Handlers give way when at least this share of the thread's time is in use. On an idle thread, deliveries wait for Redis, and giving way
 * would not help.
 */
const BUSY_FROM = 0.5;
const BUSY_LOOKED_EVERY_MS = 20;

/**
 * Counts the deliveries that wait for their answer. They share one thread with the handlers, and one turn of a handler takes as long as ten
 * deliveries. So handlers give way to crowds of deliveries, whose sender waits; only a mirror waits for a handler.
 */
export class DeliveryRush implements Rush {
  #waiting = 0;
  #arrivals = { sinceMs: 0, now: 0, before: 0 };
  #quietFromMs = 0;
  #nextTurnMs = 0;
  #isBusy = true;
  #looked = { atMs: 0, use: performance.eventLoopUtilization() };

  /** Counts a delivery until it is answered. */
  async during<T>(delivery: Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#countArrival();
    this.#note();
    try {
      return await delivery;
    } finally {
      this.#note();
      this.#waiting -= 1;
    }
  }

  isOn(): boolean {
    const nowMs = performance.now();
    return nowMs < this.#quietFromMs && this.#isThreadBusy(nowMs);
  }

  async giveWay(): Promise<void> {
    if (!this.isOn()) return;
    this.#nextTurnMs = Math.max(this.#nextTurnMs, performance.now()) + TURN_EVERY_MS;
    const turnMs = this.#nextTurnMs;
    while (this.isOn()) {
      const waitMs = Math.min(turnMs, this.#quietFromMs) - performance.now();
      if (waitMs <= 0) return;
      await sleep(waitMs);
    }
  }

  #isThreadBusy(nowMs: number): boolean {
    if (nowMs - this.#looked.atMs < BUSY_LOOKED_EVERY_MS) return this.#isBusy;
    const use = performance.eventLoopUtilization();
    this.#isBusy = performance.eventLoopUtilization(use, this.#looked.use).utilization >= BUSY_FROM;
    this.#looked = { atMs: nowMs, use };
    return this.#isBusy;
  }

  #countArrival(): void {
    const nowMs = performance.now();
    const sinceMs = nowMs - this.#arrivals.sinceMs;
    if (sinceMs >= ARRIVALS_WINDOW_MS) {
      const before = sinceMs < 2 * ARRIVALS_WINDOW_MS ? this.#arrivals.now : 0;
      this.#arrivals = { sinceMs: nowMs, now: 0, before };
    }
    this.#arrivals.now += 1;
  }

  #note(): void {
    const { now, before } = this.#arrivals;
    if (this.#waiting < RUSH_FROM || now + before < RUSH_ARRIVALS) return;
    this.#quietFromMs = performance.now() + QUIET_MS;
  }
}
