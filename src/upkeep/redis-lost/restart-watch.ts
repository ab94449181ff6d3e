import { adoptEvents, type UpkeepParts } from '../../compose/upkeep.ts';
import { repeat } from '../../work/loops.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Redis was started again under a worker at work. Its file may be a second old, and a promoted replica behind: every source is read at once,
 * and what stands in the calendars is looked through once more, so that an event whose link was forgotten does not stay where its visit
 * is not any more. `since.run`: which Redis it was when all that was done last.
 */
export async function watchRedis(
  parts: UpkeepParts,
  since: { readonly run: string; readonly lookAtAll: () => void },
  signal: AbortSignal,
): Promise<void> {
  const { store, log } = parts;
  let known = since.run;
  let toldOf = known;
  let rest: Promise<void> = Promise.resolve();
  await repeat({ name: 'redis watch', everyMs: LOOK_EVERY_MS, signal, log }, async () => {
    const run = await store.redisRun();
    if (run === known) return undefined;
    if (run !== toldOf) {
      toldOf = run;
      log.warn({}, 'redis was started again');
      since.lookAtAll();
    }
    const before = rest;
    const adoption = await adoptEvents(parts, signal);
    rest = before.then(() => adoption.rest);
    known = run;
    return undefined;
  });
  await rest;
}
