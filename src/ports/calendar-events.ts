import type { SeenEvent } from '../domain/seen-event.ts';

/** Single events, as their calendars show them now. Rejects with the three error families. */
export interface CalendarEvents {
  /** `absent` is proof: the calendar itself answered, and the event is not in it. */
  read(calendarId: string, eventId: string): Promise<SeenEvent | 'absent'>;
  /** How many live events of the worker end after this moment, counted up to a page. Epoch milliseconds. */
  upcoming(calendarId: string, fromMs: number): Promise<number>;
}
