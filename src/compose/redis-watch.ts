import { repeat } from './repetition.ts';
import { adoptEvents, type UpkeepParts } from './upkeep.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Redis was started again under a worker at work. Its file may be a second old, and a promoted replica behind: what stands in the
 * calendars is looked through once more, so that an event whose link was forgotten does not stay where its visit is not any more.
 * `sinceRun`: which Redis it was when they were looked through last.
 */
export async function watchRedis(parts: UpkeepParts, sinceRun: string, signal: AbortSignal): Promise<void> {
  const { store, log } = parts;
  let known = sinceRun;
  let rest: Promise<void> = Promise.resolve();
  await repeat({ name: 'redis watch', everyMs: LOOK_EVERY_MS, signal, log }, async () => {
    const run = await store.redisRun();
    if (run === known) return undefined;
    log.warn({}, 'redis was started again');
    const before = rest;
    const adoption = await adoptEvents(parts, signal);
    rest = before.then(() => adoption.rest);
    known = run;
    return undefined;
  });
  await rest;
}
