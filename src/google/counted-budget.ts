import type { Budget } from '../engine/ports/quotas.ts';
import type { Meter } from '../engine/ports/runtime.ts';

/** Counts each admitted call by its rank. */
export function countedBudget(budget: Budget, meter: Meter): Budget {
  return {
    async spend(name, spending) {
      const admission = await budget.spend(name, spending);
      meter.add('slotbridge_google_requests_total', { budget: name, rank: spending?.rank ?? 'live' });
      return admission;
    },
    refused: (admission, refusal) => budget.refused(admission, refusal),
    answered: (admission) => budget.answered(admission),
  };
}
