// Makes a failing plan smaller: fewer acts, the same failure (delta debugging). A run is real time, so a smaller plan that fails now and
// then counts as failing when it does so once in a few tries; one that does not may have been unlucky, and the plan stays larger.
import type { Act, Plan } from './act.ts';

export interface Shrinking {
  /** Whether the plan still fails in the same way. */
  readonly fails: (plan: Plan) => Promise<boolean>;
  /** Runs at most. */
  readonly runsMax: number;
  /** Runs per candidate. */
  readonly tries?: number;
  readonly onStep?: (acts: number, runs: number) => void;
}

export async function shrink(plan: Plan, { fails, runsMax, tries = 1, onStep }: Shrinking): Promise<Plan> {
  let acts: readonly Act[] = plan.acts;
  let runs = 0;
  const stillFails = async (candidate: readonly Act[]): Promise<boolean> => {
    for (let tried = 0; tried < tries && runs < runsMax; tried += 1) {
      runs += 1;
      if (await fails({ ...plan, acts: candidate })) return true;
    }
    return false;
  };
  let pieces = 2;
  while (acts.length > 1 && runs < runsMax) {
    const size = Math.ceil(acts.length / pieces);
    let found: readonly Act[] | undefined;
    for (let from = 0; from < acts.length && runs < runsMax; from += size) {
      const without = [...acts.slice(0, from), ...acts.slice(from + size)];
      if (without.length === 0 || !(await stillFails(without))) continue;
      found = without;
      break;
    }
    if (found !== undefined) {
      acts = found;
      pieces = Math.max(2, pieces - 1);
      onStep?.(acts.length, runs);
    } else if (size === 1) break;
    else pieces = Math.min(acts.length, pieces * 2);
  }
  const lastMs = acts.at(-1)?.at ?? 0;
  return { ...plan, acts, spanMs: Math.min(plan.spanMs, Math.max(0, lastMs)) };
}
