import type { CalendarLink, EventNote } from '../../domain/link.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import { secondOf } from './appointment.ts';

/** A link about whose event nothing is open any more; the next change of the event is told from this state of it. */
export function decided(link: CalendarLink, seen: SeenEvent | 'absent'): CalendarLink {
  const { editSeenAtMs: _, missedSinceMs: __, looks: ___, leftAt: ____, ...rest } = answered(link);
  const etag = seen === 'absent' || seen.etag === '' ? link.etag : seen.etag;
  return { ...rest, etag };
}

/** What was asked of the platform has its verdict. */
export function answered({ asked: _, overrules: __, ...rest }: CalendarLink): CalendarLink {
  return rest;
}

/**
 * Whether people chose the hour of this event, and it gave way to the one that was asked for another event of the appointment: both were moved at
 * once, and neither author knew of the other.
 */
export function hasLost(link: CalendarLink, { overrules, asked }: CalendarLink): boolean {
  if (overrules === undefined || link.strayed || link.leftAt !== undefined) return false;
  const startMs = secondOf(link.startsAt);
  return startMs !== undefined && startMs === secondOf(overrules) && startMs !== secondOf(asked);
}

/** The mirror reads the event, and writes what it owns where that differs. That it is gone has been decided about. */
export function toPutBack(
  link: CalendarLink,
  seen: SeenEvent | 'absent',
  note: EventNote | 'keep' | undefined,
): CalendarLink {
  const { note: said, ...rest } = decided(link, seen);
  const kept = note === 'keep' ? said : note;
  const isGone = seen === 'absent' || !seen.isLive;
  return { ...rest, hash: '', ...(isGone && { doubled: true }), ...(kept && { note: kept }) };
}

/** Both sides agree on this start now: another one is a new wish. */
export function agreedOn(link: CalendarLink, startsAt: string): CalendarLink {
  const { tried: _, endsAt: __, note: ___, ...rest } = link;
  return { ...rest, startsAt, hash: '' };
}

/** An event of the worker's that stands where it belongs, or of which nothing else is known. */
export function foundLink(
  at: { readonly calendarId: string; readonly eventId: string },
  { etag, isColoured }: SeenEvent,
): CalendarLink {
  return { ...at, etag, hash: '', coloured: isColoured };
}

/** An event that people brought into a calendar. */
export function strayLink(
  at: { readonly calendarId: string; readonly eventId: string },
  seen: SeenEvent,
): CalendarLink {
  return { ...foundLink(at, seen), strayed: true };
}
