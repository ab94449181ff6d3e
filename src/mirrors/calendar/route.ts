import type { Directory } from '../../domain/directory.ts';
import { isEventIdOf } from '../../domain/event-id.ts';
import type { KnownCustomer } from '../../domain/known-customer.ts';
import { type CalendarLink, writtenAs } from '../../domain/link.ts';
import { type CalendarMirror, calendarIdsOf } from '../../domain/mirror.ts';
import { isKeptOwnEvent, mayBeUnmarked } from '../../domain/own-event.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { resourcesOf, subjectsOf } from '../../domain/subject.ts';
import { contentLinesHash } from '../filter/lines.ts';
import { type CalendarBySubject, calendarsOf, isInTime, judgeAppointment } from '../route.ts';

export interface RouteInput {
  readonly mirror: CalendarMirror;
  /** Undefined: the platform said that the appointment was deleted. */
  readonly snapshot: Snapshot | undefined;
  readonly links: readonly CalendarLink[];
  readonly resolved: CalendarBySubject;
  readonly directory: Directory;
  readonly nowMs: number;
  readonly customer?: KnownCustomer | undefined;
  /** Another mirror has a calendar for one of its resources. */
  readonly isShownElsewhere?: boolean;
  /** As in the claim. */
  readonly isShownByClass?: boolean | undefined;
}

export interface Route {
  /** Calendars in which the appointment has to stand. */
  readonly calendars: readonly string[];
  /** Calendars from which its event may be taken away. */
  readonly mapped: ReadonlySet<string>;
  /** The calendar of each subject as it counts for this appointment: once that is over, the one in which it stands. */
  readonly known: CalendarBySubject;
}

/** Where an appointment belongs, by the mapping alone. Pure. */
export function routeAppointment(input: RouteInput): Route {
  const { mirror, snapshot, links, resolved, directory, nowMs } = input;
  // Every calendar of the YAML, even if its resource cannot be found now. The lists omit a colleague who left, but events of cancelled
  // appointments must still go.
  const named = new Set(calendarIdsOf(mirror));
  for (const link of links) if (isLeftBehind(link, resolved)) named.add(link.calendarId);
  // A person has released these, wherever the mapping no longer wants them.
  const released = links.filter((link) => link.released === true).map((link) => link.calendarId);
  for (const calendarId of released) named.add(calendarId);
  if (snapshot === undefined) return { calendars: [], mapped: named, known: resolved };
  const known = isOver(snapshot, nowMs) ? asItWas(links, resolved) : resolved;
  if (snapshot['status'] === 'cancelled') {
    // The platform has released its resources: only the links know where it stands (platform API, Appointment).
    const linked = links.map((link) => link.calendarId).filter((id) => named.has(id));
    return mirror.event.cancelled === 'keep'
      ? { calendars: linked, mapped: new Set(), known }
      : { calendars: [], mapped: named, known };
  }
  const { where } = mirror;
  const { customer } = input;
  const judge = (side: 'place' | 'status' | 'content') =>
    judgeAppointment(where, snapshot, { directory, customer, about: [side] });
  const [place, status, content] = [judge('place'), judge('status'), judge('content')];
  const isLinked = links.length > 0;
  const isUnknown = [place, status, content].includes('unknown') && !isLinked;
  // An appointment never changes project or branch. If it is no longer taken, somebody edited the YAML, and such edits delete no events.
  // Nor does what is not known.
  if (place === 'no' || isUnknown || !isInTime(where, snapshot, { nowMs, linked: isLinked, directory })) {
    return { calendars: [], mapped: new Set(released), known };
  }
  if (status === 'no' || content === 'no') {
    const taken = contentLinesHash(where);
    // An appointment that has its old status left the mirror by an edit of the YAML, and not by a change of its own. One that the same
    // content lines took before has changed itself.
    const hasChanged = (link: CalendarLink) =>
      (status === 'no' && statusOf(link) !== snapshot['status']) ||
      (content === 'no' && link.takenBy !== undefined && link.takenBy === taken);
    // Nor did one that was never in it: an event that people booked by stays theirs until the mirror takes the appointment.
    const isBooked = (link: CalendarLink) =>
      statusOf(link) === undefined && link.event.is !== 'strayed' && !isEventIdOf(link.eventId, snapshot.id);
    const own = links
      .filter((link) => (hasChanged(link) && !isBooked(link)) || link.released === true)
      .map((link) => link.calendarId);
    return { calendars: [], mapped: new Set(own.filter((id) => named.has(id))), known };
  }
  const left = links.filter((link) => isLeftBehind(link, known)).map((link) => link.calendarId);
  const mapped = new Set([...known.values(), ...left]);
  const own = subjectsOf(snapshot);
  for (const link of links) if (hasLostItsSubject(link, { own, resolved })) mapped.delete(link.calendarId);
  for (const calendarId of released) mapped.add(calendarId);
  const { isShownByClass } = input;
  if (isShownByClass !== undefined) {
    // What people booked by stays theirs, and is kept up to date. What is over stays as it was, as after every edit of the YAML.
    const isOwn = ({ eventId, event }: CalendarLink) =>
      event.is !== 'strayed' && !isEventIdOf(eventId, snapshot.id);
    const kept = links.filter((link) => isOwn(link) && mapped.has(link.calendarId));
    const going = isShownByClass && !isOver(snapshot, nowMs) ? mapped : [];
    return {
      calendars: kept.map((link) => link.calendarId),
      mapped: new Set([...going, ...released]),
      known,
    };
  }
  const calendars = calendarsOf(snapshot, known);
  // A calendar for a branch, a service or everything is no place for people's own event: it only shows what stands elsewhere, too.
  const isOfResource = resourcesOf(snapshot).some((id) => known.has(id));
  const hasCalendar = isOfResource || input.isShownElsewhere === true;
  const appointment = { appointmentId: snapshot.id, hasCalendar };
  const kept = links.filter((link) => mapped.has(link.calendarId) && isKeptOwnEvent(link, appointment));
  return { calendars: [...calendars, ...kept.map((link) => link.calendarId)], mapped, known };
}

/** The appointment's status when the event was last written. */
function statusOf(link: CalendarLink): string | undefined {
  return writtenAs(link)?.status;
}

/**
 * True when the subject of an event has another calendar by now: the event follows it there. A subject that left the mapping
 * leaves its events behind; a person decides about them.
 */
function isLeftBehind(link: CalendarLink, resolved: CalendarBySubject): boolean {
  return (link.resourceIds ?? []).some((id) => (resolved.get(id) ?? link.calendarId) !== link.calendarId);
}

/**
 * True when the appointment keeps the subject of its event, but the mapping no longer names that subject. Editing the YAML removes no
 * event, even if another subject has the calendar now.
 */
function hasLostItsSubject(
  { resourceIds = [] }: CalendarLink,
  { own, resolved }: { readonly own: readonly string[]; readonly resolved: CalendarBySubject },
): boolean {
  return resourceIds.some((id) => own.includes(id)) && !resourceIds.some((id) => resolved.has(id));
}

/**
 * What is over stays where it was: a subject with a new calendar takes along only what is still to come. But if it stands in the new calendar already, a move has left the old event behind.
 */
function asItWas(links: readonly CalendarLink[], resolved: CalendarBySubject): CalendarBySubject {
  const then = new Map(resolved);
  const shown = links.flatMap((link) => {
    // An intended event may not exist there; one that people dragged there was never shown there.
    if (link.event.etag === '' || link.absence === 'leaving' || mayBeUnmarked(link)) return [];
    return (link.resourceIds ?? []).map((id) => ({ id, calendarId: link.calendarId }));
  });
  for (const { id, calendarId } of shown) {
    const isMoved = shown.some((each) => each.id === id && each.calendarId === resolved.get(id));
    if (resolved.has(id) && !isMoved) then.set(id, calendarId);
  }
  return then;
}

export function isOver(snapshot: Snapshot, nowMs: number): boolean {
  return Date.parse(String(snapshot['ends_at'])) <= nowMs;
}
