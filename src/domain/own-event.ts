import { isEventIdOf, objectOf } from './event-id.ts';
import { type CalendarLink, writtenAs } from './link.ts';

/**
 * People's own event, by which they booked something that no calendar of any mirror stands for. It is kept for as long as that is so: no
 * mirror put it there, and the appointment can be seen nowhere else.
 */
export function isKeptOwnEvent(
  link: CalendarLink,
  appointment: { readonly appointmentId: string; readonly hasCalendar: boolean },
): boolean {
  if (appointment.hasCalendar || link.event.is === 'strayed' || link.absence === 'leaving') return false;
  return (link.resourceIds ?? []).length === 0 && !isEventIdOf(link.eventId, appointment.appointmentId);
}

/** People's own event may have been moved before the mirror wrote into it: its id is all there is to tell it by. */
export function mayBeUnmarked(link: CalendarLink): boolean {
  if (link.event.is === 'strayed' || objectOf(link.eventId) !== undefined) return false;
  return writtenAs(link)?.shown === undefined;
}

/**
 * An event that is not found may stand in another calendar, also where the answer to its removal was lost. Once its link names another
 * event, nothing would tell whose it is: so it is looked for first. Once that was decided, it need not be looked for again.
 */
export function mayStandElsewhere(link: CalendarLink): boolean {
  return mayBeUnmarked(link) && link.absence !== 'doubled' && link.leftAt === undefined;
}
