import type { Hole, HoleCause } from '../../domain/coverage.ts';
import type { CoverageStore } from '../../ports/intake.ts';
import type { Clock, Log } from '../../ports/runtime.ts';

const CAUSE: HoleCause = 'redis-lost';

/** Opens a hole that has everything read again. Events and rows are found under their derived ids and keys, so nothing is created twice. */
export async function noticeLostRedis(parts: {
  readonly coverage: Pick<CoverageStore, 'putHole'>;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<void> {
  const now = parts.clock.now();
  // The same id at every attempt, because a later step may fail, and everything is then repeated.
  const about = { id: CAUSE, source: 'feed', cause: CAUSE } as const;
  const hole: Hole = { ...about, fromMs: undefined, toMs: now, foundAtMs: now };
  await parts.coverage.putHole(hole);
  const advice =
    'Make sure that Redis keeps its data. The worker reads its state again from the platform and from Google.';
  parts.log.warn({ advice }, 'redis was wiped');
}
