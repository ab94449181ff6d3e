/**
 * Selects the events that take their person's time. In: the events of one calendar. Out: merged time spans and nothing else about the
 * events. The worker's own events never count, so no appointment can cause a block.
 */
import { DateTime } from 'luxon';
import type { BookingRules, BusyEvent, BusyMoment, BusyRule, Span } from '../domain/block.ts';
import { isNoteId, objectOf } from '../domain/event-id.ts';
import { takesEvent } from '../domain/event-rule.ts';
import { merged } from './spans.ts';

/** Event types that say where a person is or whose day it is, not that the person is busy (Calendar API, Event.eventType). */
const TELLS_NO_TIME = new Set(['workingLocation', 'birthday']);
const OUT_OF_OFFICE = 'outOfOffice';
const MINUTE_MS = 60_000;

/** `zone` is the branch's zone: whole days are days there. `bookings` are the rules by which people book in this calendar. */
export function busySpans(
  events: readonly BusyEvent[],
  rule: BusyRule,
  { zone, bookings = [] }: { readonly zone: string; readonly bookings?: BookingRules },
): readonly Span[] {
  const spans = events
    .filter((event) => !isOwn(event) && takesTime(event, rule) && !isBooking(event, bookings))
    .flatMap((event) => spanOf(event, zone) ?? [])
    .filter(({ startMs, endMs }) => endMs - startMs >= rule.shortestMs)
    .map(({ startMs, endMs }) => ({ startMs: startMs - rule.paddingMs, endMs: endMs + rule.paddingMs }));
  return merged(spans);
}

/** Recognizes the worker's events by id, which only the worker assigns, and by mark, which copies share. */
function isOwn({ id, seriesId, isMarked }: BusyEvent): boolean {
  const isOurs = (eventId: string) => objectOf(eventId) !== undefined || isNoteId(eventId);
  return isMarked || isOurs(id) || isOurs(seriesId ?? '');
}

function takesTime(event: BusyEvent, rule: BusyRule): boolean {
  if (TELLS_NO_TIME.has(event.type)) return false;
  if (event.type === OUT_OF_OFFICE && !rule.outOfOffice) return false;
  if (event.isFree && !rule.free) return false;
  if (event.start.dateTime === undefined && !rule.allDay) return false;
  if (event.response === 'declined') return rule.declined;
  if (event.isInvitation && event.response === 'needsAction') return rule.unanswered;
  return rule.tentative || !(event.isTentative || event.response === 'tentative');
}

function isBooking({ ruled }: BusyEvent, bookings: BookingRules): boolean {
  return ruled !== undefined && bookings.some((when) => takesEvent(when, ruled));
}

/** In whole minutes, because appointments have no seconds. Undefined for an event without length or time. */
function spanOf({ start, end }: BusyEvent, zone: string): Span | undefined {
  const startMs = Math.floor(momentOf(start, zone) / MINUTE_MS) * MINUTE_MS;
  const endMs = Math.ceil(momentOf(end, zone) / MINUTE_MS) * MINUTE_MS;
  return startMs < endMs ? { startMs, endMs } : undefined;
}

function momentOf({ dateTime, date }: BusyMoment, zone: string): number {
  if (dateTime !== undefined) return Date.parse(dateTime);
  return date === undefined ? Number.NaN : DateTime.fromISO(date, { zone }).toMillis();
}
