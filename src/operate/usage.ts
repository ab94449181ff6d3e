import { type Clock, steadyClock } from '../engine/runtime.ts';

const SLOT_MS = 5_000;
const SLOTS = 12;
/** Largest number of counts kept: budgets times purposes. More would be a bug of the caller. */
const COUNTS_MAX = 1_000;

/** Requests of one purpose within the last minute. */
export interface Used {
  readonly budget: string;
  readonly purpose: string;
  readonly requests: number;
}

interface Count {
  readonly budget: string;
  readonly purpose: string;
  /** Counts of the last minute by slot: the slot's number, and its requests. */
  readonly slots: { at: number; requests: number }[];
}

/** How this process used the request budgets within the last minute. */
export class Usage {
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  add(budget: string, purpose: string): void {
    const name = `${budget} ${purpose}`;
    let count = this.#counts.get(name);
    if (count === undefined) {
      if (this.#counts.size >= COUNTS_MAX) return;
      count = { budget, purpose, slots: Array.from({ length: SLOTS }, () => ({ at: -1, requests: 0 })) };
      this.#counts.set(name, count);
    }
    const at = this.#now();
    const slot = count.slots[at % SLOTS];
    if (slot === undefined) return;
    if (slot.at !== at) Object.assign(slot, { at, requests: 0 });
    slot.requests += 1;
  }

  /** The largest count first. */
  read(): readonly Used[] {
    const since = this.#now() - SLOTS;
    return [...this.#counts.values()]
      .map(({ budget, purpose, slots }) => {
        const lately = slots.filter(({ at }) => at > since);
        return { budget, purpose, requests: lately.reduce((sum, { requests }) => sum + requests, 0) };
      })
      .filter(({ requests }) => requests > 0)
      .sort((a, b) => b.requests - a.requests);
  }

  #now(): number {
    return Math.floor(this.#clock.now() / SLOT_MS);
  }
}
