// Changes that wait for a budget, over virtual time: the real scripts in a real Redis, and a Google that is made up.
import { DeferredError } from '../../../src/engine/errors.ts';
import type { Admission, Budget, BudgetRank, QuotaRefusal } from '../../../src/engine/quotas.ts';
import { deferredForMs } from '../../../src/engine/work.ts';
import type { HandClock } from '../../doubles/hand-clock.ts';

const LATENCY_MS = 80;
const PLACES = 8;
const NAME = 'google-calendar:robot';

export interface Change {
  readonly target: string;
  readonly rank?: BudgetRank;
}

/** Google's verdict on a call that arrives now; undefined: it is done. */
export type Verdict = (change: Change) => QuotaRefusal | undefined;

export interface Call {
  readonly atMs: number;
  readonly isRefused: boolean;
  readonly change: Change;
}

interface Due {
  readonly atMs: number;
  readonly run: () => Promise<void>;
}

/** Works `changes` off as the worker does and returns every call that left. Times count from the beginning. */
export async function work(parts: {
  readonly budgets: readonly Budget[];
  readonly clock: HandClock;
  readonly changes: readonly Change[];
  readonly judge: Verdict;
  readonly withinMs?: number;
  /** From Google's verdict until the worker knows it, of a refusal: those often come sooner than answers. */
  readonly refusedAfterMs?: number;
}): Promise<{ calls: readonly Call[]; tookMs: number; left: number }> {
  const { budgets, clock, changes, judge, withinMs = 3_600_000, refusedAfterMs = LATENCY_MS / 2 } = parts;
  const startMs = clock.now();
  const calls: Call[] = [];
  const later: Due[] = [];
  const ready = changes.map((change) => ({ change, refusals: 0 }));
  let free = PLACES;
  let left = changes.length;
  let turns = 0;
  let lastMs = 0;
  const after = (ms: number, run: Due['run']) => {
    const due = { atMs: clock.now() + ms, run };
    const at = later.findIndex(({ atMs }) => atMs > due.atMs);
    later.splice(at < 0 ? later.length : at, 0, due);
  };

  const back = (item: (typeof ready)[number], ms: number) =>
    after(ms, async () => {
      ready.push(item);
    });
  const begin = async (item: (typeof ready)[number]) => {
    const budget = budgets[turns++ % budgets.length] as Budget;
    const { target, rank } = item.change;
    let admission: Admission;
    try {
      admission = await budget.spend(NAME, { target, rank });
    } catch (error) {
      if (!(error instanceof DeferredError)) throw error;
      return back(item, error.retryAfterMs);
    }
    free -= 1;
    after(LATENCY_MS / 2, async () => {
      const refusal = judge(item.change);
      calls.push({ atMs: clock.now() - startMs, isRefused: refusal !== undefined, change: item.change });
      after(refusal === undefined ? LATENCY_MS / 2 : refusedAfterMs, async () => {
        free += 1;
        if (refusal === undefined) {
          await budget.answered(admission);
          left -= 1;
          lastMs = clock.now() - startMs;
          return;
        }
        const { waitMs } = await budget.refused(admission, refusal);
        item.refusals += 1;
        const error = new DeferredError('google-quota', 'refused', { retryAfterMs: waitMs, backsOff: true });
        back(item, deferredForMs(error, item.refusals));
      });
    });
  };

  while (left > 0 && clock.now() - startMs < withinMs) {
    if (free > 0 && ready.length > 0) {
      await begin(ready.shift() as (typeof ready)[number]);
      continue;
    }
    const due = later.shift();
    if (due === undefined) throw new Error('nothing is due, and changes are left');
    clock.advance(due.atMs - clock.now());
    await due.run();
  }
  return { calls, tookMs: lastMs, left };
}

/** Google's sliding minute: so many calls within any 60 s; refused ones are not counted. */
export class SlidingMinute {
  readonly #clock: HandClock;
  readonly #limit: number;
  #moments: number[] = [];

  constructor(clock: HandClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  mayPass(): boolean {
    const nowMs = this.#clock.now();
    this.#moments = this.#moments.filter((ms) => ms > nowMs - 60_000);
    if (this.#moments.length >= this.#limit) return false;
    this.#moments.push(nowMs);
    return true;
  }
}
