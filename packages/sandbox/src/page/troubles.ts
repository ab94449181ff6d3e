import type { FaultPlan } from '../faults.ts';

/** Limit of pending faults per side. */
const ARMED_MAX = 10;

export type Side = 'platform' | 'google';

const PATHS: Record<Side, RegExp> = { platform: /^\/v1\//, google: /^\/(calendar|v4)\// };

/** Answers with 500 that wait for the next calls. */
export class Armed {
  readonly #plans: Record<Side, FaultPlan>;
  readonly #waiting: Record<Side, number> = { platform: 0, google: 0 };

  constructor(plans: Record<Side, FaultPlan>) {
    this.#plans = plans;
  }

  counts(): Record<Side, number> {
    return { ...this.#waiting };
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
