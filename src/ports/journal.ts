import type { EntityKey } from '../domain/entity.ts';

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
