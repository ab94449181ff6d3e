import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { type ReconcileParts, reconciler } from '../../src/engine/reconcile.ts';
import type { Claim } from '../../src/engine/work.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { WORKER_DEFAULTS } from '../stand/defaults.ts';
import { double } from '../stand/double.ts';
import { NO_METER, SILENT_LOG } from '../stand/store.ts';

/** What a turn called, for an object that has waited so long. */
async function calledAfter(waitedMs: number | undefined, { hasLate = true, isUnchanged = false } = {}) {
  const clock = new HandClock(1_000_000);
  const called: string[] = [];
  const handler = (rank: string): Handler => ({
    name: 'staff',
    from: 'appointment',
    reconcile: async () => {
      called.push(rank);
      return 'nothing';
    },
  });
  const claim: Claim = {
    key: { kind: 'appointment', id: '1' },
    fence: '1',
    desiredRev: 1,
    syncedRev: 0,
    snapshot: { id: '1' },
    deleted: false,
    verify: false,
    projectId: undefined,
    links: {},
    pendingSinceMs: waitedMs === undefined ? undefined : clock.now() - waitedMs,
    sightings: [],
    ...(isUnchanged && { isUnchanged }),
  };
  const parts: ReconcileParts = {
    ...WORKER_DEFAULTS,
    work: double({ claim: async () => claim, settle: async () => 'settled', release: async () => {} }),
    reader: double({}),
    history: double({ note: () => undefined }),
    handlers: [handler('live')],
    late: hasLate ? [handler('catch-up')] : undefined,
    editCarrier: { carry: async () => ({ claim, failures: [] }) },
    ...{ clock, log: SILENT_LOG, meter: NO_METER },
  };
  expect(await reconciler(parts)('appointment/1')).toEqual({ next: 'done' });
  return called;
}

describe('what a change may spend', () => {
  test.each([
    [undefined, 'live'],
    [0, 'live'],
    [120_000, 'live'],
    [120_001, 'catch-up'],
    [3_600_000, 'catch-up'],
  ])('when it has waited for %s ms: as %s (case 57)', async (waitedMs, rank) => {
    expect(await calledAfter(waitedMs)).toEqual([rank]);
  });

  test('when nothing has changed: as catch-up, however short it waits (case 57)', async () => {
    expect(await calledAfter(0, { isUnchanged: true })).toEqual(['catch-up']);
  });

  test('a stand without late handlers has one rank', async () => {
    expect(await calledAfter(3_600_000, { hasLate: false })).toEqual(['live']);
  });
});
