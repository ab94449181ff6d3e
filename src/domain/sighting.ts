/**
 * A calendar showed one of the worker's events unlike what is remembered: someone changed it, deleted it, or moved it here. A hint, not a
 * truth: the worker reads the event before it acts.
 */
export interface Sighting {
  readonly calendarId: string;
  readonly eventId: string;
  /** Quoted, as Google sent it; empty if the listing did not have it (a tombstone may hold only its id). */
  readonly etag: string;
  readonly seenAtMs: number;
  /** The calendar's id as it was stored, where the YAML spells it differently by now. */
  readonly storedCalendarId?: string;
}
