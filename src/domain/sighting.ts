/**
 * What a calendar showed of one of the worker's events that differs from what is remembered: somebody changed it, deleted it, or moved it
 * here. A hint, not a truth: the event is read before anything is done about it.
 */
export interface Sighting {
  readonly calendarId: string;
  readonly eventId: string;
  /** Quoted, as Google sent it; empty when the listing did not have it (a tombstone may hold no more than its id). */
  readonly etag: string;
  readonly seenAtMs: number;
}
