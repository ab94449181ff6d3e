import type { Observation, ObservationOutcome } from '../domain/observation.ts';
import type { PlatformEvent } from './platform-reader.ts';

/** The one door through which hints come in, whatever their source. Once a call has returned, the hint is durable. */
export interface Intake {
  /** Takes an event of the platform. Rejects with `RetryableError` when it could not be made durable. */
  takeEvent(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome>;
  /** Takes an observation that is no event. */
  observe(observation: Observation): Promise<ObservationOutcome>;
  /** Keeps a body that cannot be understood. */
  quarantine(reason: string, body: string): Promise<void>;
}

/**
 * `test` events and kinds that no mirror takes (`not-mirrored`) are let go; what cannot be understood is `quarantined`;
 * the rest is as the store says.
 */
export type EventOutcome = ObservationOutcome | 'test' | 'not-mirrored' | 'quarantined';
