import type { EntityKey } from './entity.ts';
import type { Snapshot } from './snapshot.ts';

/** Where a hint came from. Only `get` and `list` are the current state; the others are snapshots of some past moment. */
export type ObservationSource = 'webhook' | 'feed' | 'list' | 'calendar' | 'sheet' | 'operator';

/** A hint that an object may have changed, as the intake takes it from any source. */
export interface Observation {
  readonly key: EntityKey;
  readonly source: ObservationSource;
  /** The platform's event id; absent for observations that are no event (a list walk, an operator). */
  readonly eventId?: string;
  /** As the platform names it; kept for people, nothing is decided by it. */
  readonly eventType?: string;
  readonly projectId?: string;
  /** When the change happened, epoch milliseconds; the lag is counted from it. */
  readonly occurredAtMs: number;
  /** Reconcile even if nothing is new: the mapping changed, or an operator asks. */
  readonly force?: boolean;
  /** The walk through a whole list that showed it: what the list did not show is told by the mark that is missing. */
  readonly walk?: string;
  /** Under this lease only: what was read by somebody whose turn is over may be older than what is known. */
  readonly under?: { readonly name: string; readonly proof: string };
  readonly seen:
    | { readonly as: 'snapshot'; readonly snapshot: Snapshot }
    /** Only id and kind are known (a body over 256 KB): the object has to be read. */
    | { readonly as: 'reduced' }
    /** `deleted: true`. */
    | { readonly as: 'deleted' };
}

/**
 * What became of an observation.
 * - `fresh`: newer than what was known, or merged with it into something new; the object is dirty now.
 * - `verify`: cannot be ordered against what is known (equal or missing `updated_at`, reduced body, deleted before): the object is dirty and will be read.
 * - `deleted`: the tombstone is new; the object is dirty now.
 * - `unchanged`: the very content that is known already.
 * - `stale`: older than what is known.
 * - `duplicate`: this event id was taken before.
 * - `forgotten`: the object, or the contact that it was made for, was erased. Nothing of it was stored.
 */
export type ObservationOutcome =
  | 'fresh'
  | 'verify'
  | 'deleted'
  | 'unchanged'
  | 'stale'
  | 'duplicate'
  | 'forgotten';
