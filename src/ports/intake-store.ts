import type { Observation, ObservationOutcome } from '../domain/observation.ts';

/** Makes observations durable. */
export interface IntakeStore {
  /**
   * In one step: the inbox row of the event, the fresher snapshot, the next desired revision and the dirty mark. Once it
   * has returned, the observation survives the death of every process. Rejects with `RetryableError` when that is not sure.
   */
  observe(observation: Observation): Promise<ObservationOutcome>;
  /** Keeps something that cannot be understood, for people to look at. Bounded: the oldest go. False when the event is kept already. */
  quarantine(entry: QuarantineEntry): Promise<boolean>;
}

export interface QuarantineEntry {
  readonly atMs: number;
  /** `not-json`, `no-object`, `unknown-type`, … */
  readonly reason: string;
  readonly eventId?: string;
  readonly eventType?: string;
  /** The raw text, cut at 8 KiB. Stored, never logged. */
  readonly body: string;
}
