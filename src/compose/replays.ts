import { KeptReplayRuns } from '../upkeep/replay/replay-runs.ts';
import type { Core } from './core.ts';

/** What somebody started in the console, for its pages and for the worker that carries it on. */
export function openReplays({ store, queues, clock }: Pick<Core, 'store' | 'queues' | 'clock'>) {
  return new KeptReplayRuns({ ...store, queue: queues.objects, clock });
}
