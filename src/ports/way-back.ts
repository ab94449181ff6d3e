import type { WorkerError } from '../domain/errors.ts';
import type { Claim } from '../domain/work.ts';

/** From the calendars back to the platform: looks at what people did to the events of an object, before the mirrors write. */
export interface WayBack {
  /**
   * Decides about every sighting of the claim and records the decision in the links; what the mapping allows goes to the platform.
   * Doing it again changes nothing. Rejects only when another handler has taken the object over (`fenced`) or the store is away.
   */
  carry(claim: Claim): Promise<Carried>;
}

export interface Carried {
  /** With the links, and the snapshot, as they are now. */
  readonly claim: Claim;
  /** What could not be decided yet, or not without a person. Events that are concerned are left alone meanwhile. */
  readonly failures: readonly {
    readonly mirror: string;
    readonly place?: string;
    readonly error: WorkerError;
  }[];
}
