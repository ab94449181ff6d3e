import type { CalendarEvent } from './calendar-event.ts';

/** Largest number of events kept: all handlers of a process together use fewer. */
const EVENTS_MAX = 100;

/**
 * Events that were just read, so that the code that decides and the code that writes share one read. A write sends the etag that was read,
 * so Google refuses it if the event has changed since.
 */
export class RecentEvents {
  readonly #events = new Map<string, CalendarEvent>();

  keep(calendarId: string, event: CalendarEvent): void {
    const key = eventKey(calendarId, event.id);
    this.#events.delete(key);
    // A deleted event may carry nothing but its id.
    if (event.status === 'cancelled' || event.etag === '') return;
    this.#events.set(key, event);
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= EVENTS_MAX) break;
      this.#events.delete(oldest);
    }
  }

  /** Returns an event once; a second caller must read again. Undefined when the event was not read, or was last read in another state. */
  take(calendarId: string, eventId: string, etag: string): CalendarEvent | undefined {
    const key = eventKey(calendarId, eventId);
    const event = this.#events.get(key);
    this.#events.delete(key);
    return event?.etag === etag ? event : undefined;
  }
}

function eventKey(calendarId: string, eventId: string): string {
  return `${calendarId} ${eventId}`;
}
