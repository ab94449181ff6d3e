import { describe, expect, test } from 'vitest';
import { rankedTarget } from '../../src/calendar/route.ts';
import type { Claim } from '../../src/engine/work.ts';
import { HandClock } from '../doubles/hand-clock.ts';

function prepare() {
  const clock = new HandClock(1_000_000);
  const ranks: string[] = [];
  const target = rankedTarget(
    (rank) => ({
      name: 'staff',
      from: 'appointment',
      reconcile: async () => {
        ranks.push(rank);
        return 'nothing';
      },
      preview: async () => 'nothing',
      planned: async () => [],
      expected: async () => [],
    }),
    clock,
  );
  const reconcile = (waitedMs: number | undefined) => {
    const pendingSinceMs = waitedMs === undefined ? undefined : clock.now() - waitedMs;
    const claim: Claim = {
      key: { kind: 'appointment', id: '1' },
      fence: '1',
      desiredRev: 1,
      syncedRev: 0,
      snapshot: undefined,
      deleted: false,
      verify: false,
      projectId: undefined,
      links: {},
      pendingSinceMs,
      sightings: [],
    };
    return target.reconcile(claim);
  };
  return { ranks, reconcile };
}

describe('what a change may spend', () => {
  test.each([
    [undefined, 'live'],
    [0, 'live'],
    [120_000, 'live'],
    [120_001, 'catch-up'],
    [3_600_000, 'catch-up'],
  ])('when it has waited for %s ms: as %s (case 57)', async (waitedMs, rank) => {
    const { ranks, reconcile } = prepare();
    await reconcile(waitedMs);
    expect(ranks).toEqual([rank]);
  });
});
