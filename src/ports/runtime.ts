import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { Meter } from './meter.ts';

/** What nearly every part needs of its process. */
export interface Runtime {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}
