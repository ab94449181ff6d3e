import type { EventTexts } from './event-texts.ts';

/** One event as its calendar shows it now, reduced to what shows people's changes. */
export interface SeenEvent {
  /** Quoted, as Google sent it; empty when the answer had none. */
  readonly etag: string;
  /** False for a deleted event that the calendar still remembers. */
  readonly isLive: boolean;
  /** Epoch milliseconds; undefined for an all-day event, and if the answer has no times. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly isAllDay: boolean;
  /** It has become a series. */
  readonly isRecurring: boolean;
  /** Epoch milliseconds. */
  readonly updatedMs: number | undefined;
  readonly isColoured: boolean;
  /** A guest's copy of another calendar's event. */
  readonly isGuestCopy: boolean;
  /** The organizer's address in lower case; only for a guest's copy. */
  readonly organizer?: string;
  readonly texts: EventTexts;
  /** The private properties. */
  readonly marks: Readonly<Record<string, string>>;
}
