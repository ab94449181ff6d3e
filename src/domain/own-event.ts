import { appointmentOf, isEventIdOf } from './event-id.ts';
import type { CalendarLink } from './link.ts';

/**
 * People's own event, by which they booked something that no calendar of any mirror stands for. It is kept for as long as that is so: no
 * mirror put it there, and the appointment can be seen nowhere else.
 */
export function isKeptOwnEvent(
  link: CalendarLink,
  visit: { readonly appointmentId: string; readonly hasCalendar: boolean },
): boolean {
  if (visit.hasCalendar || link.strayed || link.leaving) return false;
  return (link.resourceIds ?? []).length === 0 && !isEventIdOf(link.eventId, visit.appointmentId);
}

/** People's own event may have been moved before the mirror wrote into it: its id is all there is to tell it by. */
export function mayBeUnmarked(link: CalendarLink): boolean {
  return link.shown === undefined && appointmentOf(link.eventId) === undefined && !link.strayed;
}
