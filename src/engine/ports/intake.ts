// Where hints come in, and how far each source has been read.
import type { Coverage, Hole, OpenWalk } from '../domain/coverage.ts';
import type { EntityKey } from '../domain/object.ts';
import type { Observation, ObservationOutcome } from '../domain/observation.ts';
import type { LeaseProof } from './leases.ts';
import type { PlatformEvent } from './platform.ts';

/** The one door for hints from any source. Once a call has returned, the hint is durable. */
export interface Intake {
  /** Takes an event of the platform. Rejects with `RetryableError` if it could not be made durable. */
  takeEvent(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome>;
  /**
   * Takes a page of events like single ones, and answers in their order. Walks reread what was read before, so most of a page may be known
   * already: one query to the store finds these.
   */
  takeEvents(events: readonly PlatformEvent[], via: 'webhook' | 'feed'): Promise<readonly EventOutcome[]>;
  /** Takes an observation that is no event. */
  observe(observation: Observation): Promise<ObservationOutcome>;
  /** Keeps a body that cannot be understood. */
  quarantine(reason: string, body: string): Promise<void>;
}

/**
 * `test` events and kinds that no mirror takes (`not-mirrored`) are dropped. What cannot be understood is `quarantined`. Everything else is
 * as the store says.
 */
export type EventOutcome = ObservationOutcome | 'test' | 'not-mirrored' | 'quarantined';

/** Makes observations durable. */
export interface IntakeStore {
  /**
   * Stores in one step: the inbox row of the event, the fresher snapshot, the next desired revision and the dirty mark. Once it has
   * returned, the observation survives the death of every process. Rejects with `RetryableError` if that is not certain, and with
   * `ContentDefect` if the content cannot be processed.
   */
  observe(observation: Observation): Promise<ObservationOutcome>;
  /** Stores only the event's id, so that the event is taken once. */
  letGo(eventId: string): Promise<void>;
  /** Those of these event ids that have an inbox row: taking them again would answer `duplicate` and change nothing. */
  known(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Keeps what cannot be understood, for people. Bounded: the oldest entries go. False if the event is already kept. */
  quarantine(entry: QuarantineEntry): Promise<boolean>;
}

/** Deliveries of a rush: kept as received, and taken in a little later. `keep` and `remove` return how many then wait. */
export interface KeptDeliveries {
  /** Once it has returned, the delivery survives the death of every process. Rejects with `RetryableError` if that is not certain. */
  keep(body: string): Promise<number>;
  /** In order of arrival, starting after this id, or with the oldest. */
  after(id: string | undefined, limit: number): Promise<readonly KeptDelivery[]>;
  /** Skips ids that are no longer there. */
  remove(ids: readonly string[]): Promise<number>;
}

export interface KeptDelivery {
  readonly id: string;
  readonly body: string;
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

/** Which events of the platform were taken in, in order of arrival: the worker's own memory, longer than the feed's. */
export interface Journal {
  /** Oldest first. Bounds are times of arrival, epoch milliseconds, inclusive. */
  between(bounds: { readonly fromMs: number; readonly toMs: number }): AsyncIterable<JournalEntry>;
  /** The object of an event; undefined if the event was never taken in, or is forgotten. */
  objectOf(eventId: string): Promise<EntityKey | undefined>;
}

export interface JournalEntry {
  readonly atMs: number;
  readonly eventId: string;
  /** As the platform names it: `appointment.created`. Empty if the source did not say. */
  readonly eventType: string;
  readonly key: EntityKey;
  readonly via: string;
}

/** The cursor store. Every write carries the lease under which it is made; a stale holder's write is refused (false). */
export interface CoverageStore {
  read(source: string): Promise<Coverage>;
  /** Saves an open walk's position. */
  saveWalk(source: string, walk: OpenWalk, lease: LeaseProof): Promise<boolean>;
  /** The walk reached its floor: moves the coverage and forgets the walk. */
  closeWalk(source: string, proof: WalkProof, lease: LeaseProof): Promise<boolean>;
  /** Adds a hole or replaces the one with the same id. */
  putHole(hole: Hole): Promise<void>;
  removeHole(id: string): Promise<void>;
  /** Closes the holes of a resync, under its lease. False if the lease no longer holds: all of them are still open. */
  closeHoles(ids: readonly string[], lease: LeaseProof): Promise<boolean>;
  holes(): Promise<readonly Hole[]>;
}

export interface WalkProof {
  readonly coveredUntilMs: number;
  readonly provedAtMs: number;
  readonly anchors: readonly string[];
  readonly anchorAtMs: number;
}
