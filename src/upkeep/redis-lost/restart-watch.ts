import type { Log } from '../../ports/runtime.ts';
import { repeat } from '../../work/loops.ts';
import type { Part } from '../../work/supervisor.ts';
import type { Adoption } from './adoption.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Notices that Redis was restarted under the worker. Its file may be a second old, and a promoted replica may lag. So every source is read
 * immediately. The calendars are searched too, because an event whose link was lost must not stay at its former place.
 */
export function restartWatch(parts: {
  readonly redisRun: () => Promise<string>;
  /** The Redis run on which everything was last done. */
  readonly knownRun: string;
  readonly adopt: Adoption;
  readonly lookAtAll: () => void;
  readonly log: Log;
}): Part {
  const { log } = parts;
  const name = 'redis watch';
  return {
    name,
    async run(signal) {
      let known = parts.knownRun;
      let toldOf = known;
      let rest: Promise<void> = Promise.resolve();
      await repeat({ name, everyMs: LOOK_EVERY_MS, signal, log }, async () => {
        const run = await parts.redisRun();
        if (run === known) return undefined;
        if (run !== toldOf) {
          toldOf = run;
          log.warn({}, 'redis was started again');
          parts.lookAtAll();
        }
        const before = rest;
        const adoption = await parts.adopt(signal);
        rest = before.then(() => adoption.rest);
        known = run;
        return undefined;
      });
      await rest;
    },
  };
}
