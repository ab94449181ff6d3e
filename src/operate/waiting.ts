// A command reads for minutes, and the platform and Google admit so many requests a minute. It waits for the next window and says so, because
// an error would lose all that was read.
import { setTimeout as sleep } from 'node:timers/promises';
import { DeferredError, isLimit } from '../engine/domain/errors.ts';
import type { Budget } from '../engine/ports/quotas.ts';

export interface Waiting {
  /** Called once for each wait that people notice. */
  readonly onWait: (wait: LimitWait) => void;
  /** Ends a wait, which then rejects with the limit's own error. */
  readonly signal?: AbortSignal;
}

export interface LimitWait {
  readonly whose: 'platform' | 'google';
  readonly ms: number;
}

/** Shorter waits are told only when they add up to this. */
const TOLD_MS_MIN = 1_500;

export class Limits {
  readonly #waiting: Waiting;
  /** Until when a wait was told, by limit, on the monotonic clock: several reads wait for the same window. */
  readonly #toldUntilMs = new Map<string, number>();
  /** By limit: the short waits since the last one that was told, in ms. */
  readonly #untoldMs = new Map<string, number>();

  constructor(waiting: Waiting = { onWait: () => undefined }) {
    this.#waiting = waiting;
  }

  /** Repeats one request until no limit holds it back. Rejects with any other error. */
  async outlast<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof DeferredError) || !isLimit(error.code)) throw error;
        if (this.#waiting.signal?.aborted) throw error;
        await this.#wait(error);
      }
    }
  }

  async #wait(error: DeferredError): Promise<void> {
    const whose = error.code === 'platform-rate-limited' ? 'platform' : 'google';
    const ms = Math.max(1, error.retryAfterMs);
    const nowMs = performance.now();
    if ((this.#toldUntilMs.get(whose) ?? 0) <= nowMs) {
      const untoldMs = (this.#untoldMs.get(whose) ?? 0) + ms;
      const isTold = untoldMs >= TOLD_MS_MIN;
      this.#untoldMs.set(whose, isTold ? 0 : untoldMs);
      if (isTold) {
        this.#toldUntilMs.set(whose, nowMs + ms);
        this.#waiting.onWait({ whose, ms });
      }
    }
    const { signal } = this.#waiting;
    await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw error;
    });
  }

  /** The same budget, which lets walks over whole lists wait instead of rejecting them. */
  outlasting(budget: Budget): Budget {
    return {
      spend: (name, spending) =>
        spending?.rank === 'list'
          ? this.outlast(() => budget.spend(name, spending))
          : budget.spend(name, spending),
      refused: (admission, refusal) => budget.refused(admission, refusal),
      answered: (admission) => budget.answered(admission),
    };
  }
}
