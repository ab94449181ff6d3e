import type { EntityKey } from '../domain/entity.ts';
import type { Sighting } from '../domain/sighting.ts';

/** What calendars showed of the worker's events, and which events those are. */
export interface SightingStore {
  /** Notes the sighting at its object in one step with the mark that the object has to be looked at. */
  sight(key: EntityKey, sighting: Sighting, seen: { readonly isAlive: boolean }): Promise<SightOutcome>;
  /** Of these events of a calendar those that are linked: event id to `formatKey` of the object. */
  linked(calendarId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All linked events of a calendar, some at a time; one may come twice. */
  allLinked(calendarId: string): AsyncIterable<ReadonlyMap<string, string>>;
}

/**
 * - `noticed`: stored; the object is dirty now (or was for this very sighting).
 * - `echo`: the link holds this very etag, so it is the worker's own write that came back. Nothing was stored.
 * - `ignored`: a deleted event that nothing links to. Nothing was stored.
 * - `unknown`: nothing is known of the object. Nothing was stored.
 */
export type SightOutcome = 'noticed' | 'echo' | 'ignored' | 'unknown';
