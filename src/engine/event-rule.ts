import { isEventIdOf, objectOf } from './ids.ts';
import { type CalendarLink, writtenAs } from './link.ts';
import type { EventRule } from './outside-booking.ts';
import { foldedText } from './plain-text.ts';

/** The part of an event that rules check. */
export interface RuledEvent {
  readonly title?: string | undefined;
  readonly creator?: string | undefined;
  /** Organizer of an event from outside: someone without a calendar in the entry. Absent for the entry's own events. */
  readonly invitedBy?: string | undefined;
  readonly attendees?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** True when every line of the rule matches the event. */
export function takesEvent(rule: EventRule, event: RuledEvent): boolean {
  return (
    (event.invitedBy === undefined || isNamed(event.invitedBy, rule.organizers ?? [])) &&
    (rule.title === undefined || isLike(event.title ?? '', rule.title)) &&
    (rule.creators === undefined || isAmong([event.creator ?? ''], rule.creators)) &&
    (rule.attendees === undefined || isAmong(event.attendees ?? [], rule.attendees)) &&
    Object.entries(rule.properties ?? {}).every(([name, pattern]) => {
      const value = event.properties?.[name];
      return value !== undefined && isLike(value, pattern);
    })
  );
}

/** `*` matches any text. The rest has to look the same. Linear: no pattern makes it slow. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = foldedText(pattern).split('*');
  const seen = foldedText(text);
  if (rest.length === 0) return seen === first;
  if (!seen.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = seen.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return seen.length - last.length >= at && seen.endsWith(last);
}

/** Matches addresses, and domains with their `@`, but no subdomains. */
function isNamed(address: string, names: readonly string[]): boolean {
  const seen = folded(address);
  const domain = seen.slice(Math.max(0, seen.lastIndexOf('@')));
  return names.map(folded).some((name) => name === (name.startsWith('@') ? domain : seen));
}

function isAmong(addresses: readonly string[], allowed: readonly string[]): boolean {
  const wanted = new Set(allowed.map(folded));
  return addresses.some((address) => wanted.has(folded(address)));
}

/** For addresses: another one that only looks the same is a stranger's. */
function folded(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

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
