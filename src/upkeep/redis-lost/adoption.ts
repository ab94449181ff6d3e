import { untilDone } from '../../work/loops.ts';
import { type AdoptParts, adoptMarkedEvents } from './adopt.ts';

export interface AdoptionParts extends Omit<AdoptParts, 'redisRun'> {
  readonly redisRun: () => Promise<string>;
  /** Called when Redis knew nothing but the calendars have events of the worker: Redis was wiped. */
  readonly onWiped: () => Promise<void>;
}

/** Looks once into every calendar for events of an earlier installation. `rest` retries the calendars that could not be read. */
export type Adoption = (signal: AbortSignal, wasBlank?: boolean) => Promise<{ readonly rest: Promise<void> }>;

export function createAdoption(parts: AdoptionParts): Adoption {
  return async (signal, wasBlank = false) => {
    const adopt = async () => {
      const redisRun = await parts.redisRun();
      const { events, failure } = await adoptMarkedEvents({ ...parts, redisRun });
      if (wasBlank && events > 0) await parts.onWiped();
      if (failure !== undefined) throw failure;
    };
    try {
      await adopt();
      return { rest: Promise.resolve() };
    } catch {
      // The retry logs the failure. A calendar that is not shared must not hold up the others.
      return { rest: untilDone({ name: 'adoption', signal, log: parts.log, isPatient: true }, adopt) };
    }
  };
}
