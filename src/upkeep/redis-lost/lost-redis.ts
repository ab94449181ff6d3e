import { isMappingKnown } from '../../compose/mapping.ts';
import type { Store } from '../../compose/stores.ts';
import type { Hole, HoleCause } from '../../domain/coverage.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

const CAUSE: HoleCause = 'redis-lost';

/**
 * True when this Redis knows nothing of this installation: before the first start, or because it was wiped. Which of the two it is, the
 * outside tells: events with the worker's mark, or a worker that has been at work until now.
 */
export async function isRedisBlank({ store }: Pick<Parts, 'store'>): Promise<boolean> {
  return !(await isMappingKnown(store.memory));
}

/** Everything is read again. Events and rows are found under their derived ids and keys, so nothing is made twice. */
export async function noticeLostRedis({ store, clock, log }: Parts): Promise<void> {
  const now = clock.now();
  // The same id at every attempt: what comes behind it may fail, and is then begun again.
  const hole: Hole = {
    id: CAUSE,
    source: 'feed',
    fromMs: undefined,
    toMs: now,
    cause: CAUSE,
    foundAtMs: now,
  };
  await store.coverage.putHole(hole);
  const advice =
    'See that Redis keeps its data; what was known is read again from the platform and from Google by itself.';
  log.warn({ advice }, 'redis was wiped');
}
