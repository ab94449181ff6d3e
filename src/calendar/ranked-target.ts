import type { MirrorTarget } from '../engine/ports/handler.ts';
import type { BudgetRank } from '../engine/ports/quotas.ts';
import type { Clock } from '../engine/ports/runtime.ts';

/** Age up to which a change counts as live; older changes are caught up with after fresh ones. */
const LIVE_FOR_MS = 2 * 60_000;

/** A target whose calls have the rank of the change that they serve, so that an old backlog leaves room for live work. */
export function rankedTarget(targetFor: (rank: BudgetRank) => MirrorTarget, clock: Clock): MirrorTarget {
  const live = targetFor('live');
  const late = targetFor('catch-up');
  return {
    name: live.name,
    from: live.from,
    reconcile: (claim, failed) => {
      const waitedMs = clock.now() - (claim.pendingSinceMs ?? clock.now());
      return (waitedMs > LIVE_FOR_MS ? late : live).reconcile(claim, failed);
    },
    preview: (claim) => live.preview(claim),
    planned: (claim) => live.planned(claim),
    nextTurnAtMs: (claim, nowMs) => live.nextTurnAtMs?.(claim, nowMs),
    expected: (claim) => live.expected(claim),
  };
}
