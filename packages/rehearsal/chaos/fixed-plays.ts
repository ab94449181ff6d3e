// Whole workers, so the plans run beside each other.
import { describe, expect, it } from 'vitest';
import type { Fixed } from './fixed.ts';
import { planOf } from './plan.ts';
import { play } from './play.ts';
import { failureText } from './report.ts';

const WITHIN_MS = 300_000;

export function testFixedPlans(plans: readonly Fixed[]): void {
  describe.concurrent('fixed plans', () => {
    it.for(plans)('$found', { timeout: WITHIN_MS }, async ({ plan, seed = 1, minutes }) => {
      const outcome = await play(plan ?? planOf(seed, minutes));
      expect(
        outcome.violations,
        failureText(
          outcome,
          'replay: npm run chaos -- --plan with the plan of packages/rehearsal/chaos/fixed.json',
        ),
      ).toEqual([]);
    });
  });
}
