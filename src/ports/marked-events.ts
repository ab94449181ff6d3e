import type { CalendarLink } from '../domain/link.ts';

/** The events in a calendar that carry the worker's mark. */
export interface MarkedEvents {
  in(calendarId: string): AsyncIterable<MarkedEvent>;
}

export interface MarkedEvent {
  readonly appointmentId: string;
  /** Name of the mirror that wrote it. */
  readonly mirror: string;
  /** Its hash is empty: what stands in the event is not known. */
  readonly link: CalendarLink;
}
