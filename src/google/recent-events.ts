import type { CalendarEvent } from './calendar-event.ts';

/** More than all handlers of a process can use at once. */
const EVENTS_MAX = 100;

/**
 * Events as they were just read, so that the one who decides and the one who writes share a reading. A write names the etag that was read,
 * so Google refuses it when the event has changed since.
 */
export class RecentEvents {
  readonly #events = new Map<string, CalendarEvent>();

  keep(calendarId: string, event: CalendarEvent): void {
    const key = eventKey(calendarId, event.id);
    this.#events.delete(key);
    // A deleted one may hold nothing but its id.
    if (event.status === 'cancelled' || event.etag === '') return;
    this.#events.set(key, event);
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= EVENTS_MAX) break;
      this.#events.delete(oldest);
    }
  }

  /** Only once: a second caller must read again. Undefined when another state of the event was read last, or none. */
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
