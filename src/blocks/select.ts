/**
 * Which events take the time of their person. In: the events of one calendar. Out: merged spans of time, and nothing else of them.
 * An event of the worker's own is never one of them, so that no appointment can be the reason for a block.
 */
import { DateTime } from 'luxon';
import type { BookingRules, BusyEvent, BusyMoment, BusyRule, Span } from '../domain/block.ts';
import { isNoteId, objectOf } from '../domain/event-id.ts';
import { takesEvent } from '../domain/event-rule.ts';
import { merged } from './spans.ts';

/** Kinds of event that say where somebody is, or whose day it is, and not that they are busy (Calendar API, Event.eventType). */
const TELLS_NO_TIME = new Set(['workingLocation', 'birthday']);
const OUT_OF_OFFICE = 'outOfOffice';
const MINUTE_MS = 60_000;

/** `zone`: of the branch; whole days are days there. `bookings`: the rules by which people book in this very calendar. */
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

/** By its id, which nobody else can give it, or by the mark, which its copies have as well. */
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

/** Undefined for what has no length, or no time at all. In whole minutes: appointments have no seconds. */
function spanOf({ start, end }: BusyEvent, zone: string): Span | undefined {
  const startMs = Math.floor(momentOf(start, zone) / MINUTE_MS) * MINUTE_MS;
  const endMs = Math.ceil(momentOf(end, zone) / MINUTE_MS) * MINUTE_MS;
  return startMs < endMs ? { startMs, endMs } : undefined;
}

function momentOf({ dateTime, date }: BusyMoment, zone: string): number {
  if (dateTime !== undefined) return Date.parse(dateTime);
  return date === undefined ? Number.NaN : DateTime.fromISO(date, { zone }).toMillis();
}
