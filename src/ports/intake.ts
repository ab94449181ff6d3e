// Where hints come in, and how far each source has been read.
import type { Coverage, Hole, OpenWalk } from '../domain/coverage.ts';
import type { EntityKey } from '../domain/entity.ts';
import type { Observation, ObservationOutcome } from '../domain/observation.ts';
import type { LeaseProof } from './leases.ts';
import type { PlatformEvent } from './platform.ts';

/** The one door through which hints come in, whatever their source. Once a call has returned, the hint is durable. */
export interface Intake {
  /** Takes an event of the platform. Rejects with `RetryableError` when it could not be made durable. */
  takeEvent(event: PlatformEvent, via: 'webhook' | 'feed'): Promise<EventOutcome>;
  /**
   * Takes a page of events like single ones, and answers in their order. Most of a page may be known already, because walks read
   * again what was read before: one question to the store tells which.
   */
  takeEvents(events: readonly PlatformEvent[], via: 'webhook' | 'feed'): Promise<readonly EventOutcome[]>;
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

/** Makes observations durable. */
export interface IntakeStore {
  /**
   * In one step: the inbox row of the event, the fresher snapshot, the next desired revision and the dirty mark. Once it
   * has returned, the observation survives the death of every process. Rejects with `RetryableError` when that is not sure.
   */
  observe(observation: Observation): Promise<ObservationOutcome>;
  /** Nothing of the event is stored but its id, so that it is taken once. */
  letGo(eventId: string): Promise<void>;
  /** Those of these event ids whose inbox row stands: taking them again would answer `duplicate` and change nothing. */
  known(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Keeps something that cannot be understood, for people to look at. Bounded: the oldest go. False when the event is kept already. */
  quarantine(entry: QuarantineEntry): Promise<boolean>;
}

/** Deliveries that came in a rush: kept as they came, and taken in a little later. `keep` and `remove` return how many wait then. */
export interface KeptDeliveries {
  /** Once it has returned, the delivery survives the death of every process. Rejects with `RetryableError` when that is not sure. */
  keep(body: string): Promise<number>;
  /** In the order of their coming, from the one behind this id on, or from the oldest. */
  after(id: string | undefined, limit: number): Promise<readonly KeptDelivery[]>;
  /** Ids that are not there any more are passed over. */
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

/** Which events of the platform were taken in, in the order of their coming: the worker's own memory, longer than the feed's. */
export interface Journal {
  /** Oldest first. Bounds are times of coming, epoch milliseconds, inclusive. */
  between(bounds: { readonly fromMs: number; readonly toMs: number }): AsyncIterable<JournalEntry>;
  /** The object that an event was about; undefined when the event was never taken in, or is forgotten. */
  objectOf(eventId: string): Promise<EntityKey | undefined>;
}

export interface JournalEntry {
  readonly atMs: number;
  readonly eventId: string;
  /** As the platform names it: `appointment.created`. Empty when the source did not say. */
  readonly eventType: string;
  readonly key: EntityKey;
  readonly via: string;
}

/** The cursor store. Every write carries the lease under which it is made; a stale holder's write is refused (false). */
export interface CoverageStore {
  read(source: string): Promise<Coverage>;
  /** Saves an open walk's position. */
  saveWalk(source: string, walk: OpenWalk, lease: LeaseProof): Promise<boolean>;
  /** The walk met its floor: moves the coverage and forgets the walk. */
  closeWalk(source: string, proof: WalkProof, lease: LeaseProof): Promise<boolean>;
  /** Adds a hole or replaces the one with the same id. */
  putHole(hole: Hole): Promise<void>;
  removeHole(id: string): Promise<void>;
  /** Those that a resync was for, by whoever holds its lease; false when it does not stand any more, and they are all still there. */
  closeHoles(ids: readonly string[], lease: LeaseProof): Promise<boolean>;
  holes(): Promise<readonly Hole[]>;
}

export interface WalkProof {
  readonly coveredUntilMs: number;
  readonly provedAtMs: number;
  readonly anchors: readonly string[];
  readonly anchorAtMs: number;
}
