import type { EntityKey, Snapshot } from './object.ts';

/** Where a hint came from. Only `list` shows the current state; the others show some past moment. */
export type ObservationSource = 'webhook' | 'feed' | 'list' | 'calendar' | 'sheet' | 'operator';

/** A hint that an object may have changed, as the intake takes it from any source. */
export interface Observation {
  readonly key: EntityKey;
  readonly source: ObservationSource;
  /** The platform's event id; absent if the observation is no event (a list walk, an operator). */
  readonly eventId?: string;
  /** The platform's name for the type; kept for people, nothing depends on it. */
  readonly eventType?: string;
  readonly projectId?: string;
  /** When the change happened, epoch milliseconds; the lag counts from it. */
  readonly occurredAtMs: number;
  /** Reconcile even if nothing is new: the mapping changed, or an operator requires it. */
  readonly force?: boolean;
  /** The full list walk that returned the object. An object without the walk's mark was not in the list. */
  readonly walk?: string;
  /** Valid only under this lease: a reader whose turn is over may have read an older state than the known one. */
  readonly under?: { readonly name: string; readonly proof: string };
  readonly seen:
    | { readonly as: 'snapshot'; readonly snapshot: Snapshot }
    /** Only id and kind are known (a body over 256 KB): the object must be read. */
    | { readonly as: 'reduced' }
    /** `deleted: true`. */
    | { readonly as: 'deleted' };
}

/**
 * What became of an observation.
 * - `fresh`: newer than what was known, or merged with it into something new; the object is dirty now.
 * - `verify`: cannot be ordered against what is known (equal or missing `updated_at`, reduced body, deleted before). The object is dirty
 * now and will be read.
 * - `deleted`: the tombstone is new; the object is dirty now.
 * - `unchanged`: exactly the content that is already known.
 * - `stale`: older than what is known.
 * - `duplicate`: this event id was taken in before.
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
