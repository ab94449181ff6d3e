import type { runSweep } from '../../src/engine/sweep.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { double } from './double.ts';
import { SILENT_LOG } from './store.ts';

type Parts = Parameters<typeof runSweep>[0];

/** A sweep that finds nothing and tells nobody, but for what is given. */
export function sweepParts(own: Partial<Parts>): Parts {
  return {
    ...WORKER_DEFAULTS,
    work: { due: async () => [], upcoming: async () => [] } as unknown as Parts['work'],
    later: double({ wake: async () => [] }),
    putOff: { recall: async () => 0 },
    promoteDelayed: async () => {},
    delayedUntilMs: async () => undefined,
    outbox: new MemoryOutbox(),
    queue: { add: () => undefined, addLater: () => undefined },
    waker: { wake: () => undefined },
    clock: { now: Date.now },
    wasSetBack: () => false,
    log: SILENT_LOG,
    ...own,
  };
}
