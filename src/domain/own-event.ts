import { isEventIdOf, objectOf } from './event-id.ts';
import { type CalendarLink, writtenAs } from './link.ts';

/**
 * People's own event, which booked something that no calendar of any mirror shows. The worker keeps it while that is so: no mirror wrote
 * it, and the appointment is visible nowhere else.
 */
export function isKeptOwnEvent(
  link: CalendarLink,
  appointment: { readonly appointmentId: string; readonly hasCalendar: boolean },
): boolean {
  if (appointment.hasCalendar || link.event.is === 'strayed' || link.absence === 'leaving') return false;
  return (link.resourceIds ?? []).length === 0 && !isEventIdOf(link.eventId, appointment.appointmentId);
}

/** People may have moved their own event before the mirror wrote into it: only its id identifies it. */
export function mayBeUnmarked(link: CalendarLink): boolean {
  if (link.event.is === 'strayed' || objectOf(link.eventId) !== undefined) return false;
  return writtenAs(link)?.shown === undefined;
}

/**
 * A missing event may be in another calendar, even if the answer to its removal was lost. Once its link names another event, nothing shows
 * whose it is, so the worker searches for it first. Once that was decided, it need not search again.
 */
export function mayStandElsewhere(link: CalendarLink): boolean {
  return mayBeUnmarked(link) && link.absence !== 'doubled' && link.leftAt === undefined;
}
