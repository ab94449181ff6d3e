import { ownIdentity } from '../engine/folder-lock.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { reloadWorkers } from '../operate/reload.ts';
import { openStore } from './stores.ts';

/** What `slotbridge reload` works on: the Redis in which the workers are registered. */
export async function openReloadSession(config: Config, clock: Clock) {
  const { acts, processes, close } = await openStore(config, clock, { sharing: true });
  return {
    acts,
    close,
    reload: (withinMs: number) => reloadWorkers({ processes, own: ownIdentity(), clock, withinMs }),
  };
}
