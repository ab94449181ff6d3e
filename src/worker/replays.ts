import { KeptReplayRuns } from '../platform/replay-runs.ts';
import type { Core } from './core.ts';

/** The replay that somebody started in the console, for its pages and for the worker that continues it. */
export function openReplays({ store, queues, clock }: Pick<Core, 'store' | 'queues' | 'clock'>) {
  return new KeptReplayRuns({ ...store, queue: queues.objects, clock });
}
