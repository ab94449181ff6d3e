import type { Fault, FaultPlan } from '../faults.ts';

/** Limit of pending faults per side. */
const ARMED_MAX = 10;

export type Side = 'platform' | 'google';

export const PATHS: Record<Side, RegExp> = { platform: /^\/v1\//, google: /^\/(calendar|v4)\// };

/** Longest trouble that ends by itself. */
export const MINUTES_MAX = 60;
const MINUTE_MS = 60_000;

interface Lasting {
  readonly untilMs: number;
  end(): void;
}

/** What the page has set: answers with 500 that wait for the next calls, and troubles that last. */
export class Armed {
  readonly #plans: Record<Side, FaultPlan>;
  readonly #waiting: Record<Side, number> = { platform: 0, google: 0 };
  readonly #lasting = new Map<string, Lasting>();
  /** Ends what a person ends, such as a calendar that is not shared. By what the page calls it. */
  readonly #held = new Map<string, () => void>();

  constructor(plans: Record<Side, FaultPlan>) {
    this.#plans = plans;
  }

  counts(): Record<Side, number> {
    return { ...this.#waiting };
  }

  /** Minutes left of each trouble, rounded up. */
  lasting(): Record<string, number> {
    const nowMs = performance.now();
    return Object.fromEntries(
      [...this.#lasting].map(([name, { untilMs }]) => [name, Math.ceil((untilMs - nowMs) / MINUTE_MS)]),
    );
  }

  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** `begin` returns what ends the trouble, which happens by itself after `minutes`. The same trouble begins anew. */
  during(name: string, minutes: number, begin: () => () => void): void {
    this.#lasting.get(name)?.end();
    const undo = begin();
    const timer = setTimeout(() => end(), minutes * MINUTE_MS).unref();
    const end = () => {
      clearTimeout(timer);
      undo();
      this.#lasting.delete(name);
    };
    this.#lasting.set(name, { untilMs: performance.now() + minutes * MINUTE_MS, end });
  }

  /** Until `release` or `endAll`. */
  hold(name: string, undo: () => void): void {
    this.#held.set(name, undo);
  }

  release(name: string): boolean {
    this.#held.get(name)?.();
    return this.#held.delete(name);
  }

  endAll(): void {
    for (const { end } of [...this.#lasting.values()]) end();
    for (const name of this.held()) this.release(name);
  }

  /** Adds these faults for as long as they last. */
  disturb(side: Side, faults: readonly (readonly [path: RegExp, fault: Fault])[]): () => void {
    const removals = faults.map(([path, fault]) => this.#plans[side].add({ path, fault }));
    return () => {
      for (const remove of removals) remove();
    };
  }

  /**
   * Makes the next call to this side fail with 500 instead of being performed. Returns false when too many are
   * pending.
   */
  answer500(side: Side): boolean {
    if (this.#waiting[side] >= ARMED_MAX) return false;
    this.#waiting[side] += 1;
    const remove = this.#plans[side].add({
      path: PATHS[side],
      times: 1,
      fault: { kind: 'status', status: 500 },
      onStrike: () => {
        this.#waiting[side] -= 1;
        remove();
      },
    });
    return true;
  }
}
