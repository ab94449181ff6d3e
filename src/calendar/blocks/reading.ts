import { createHash } from 'node:crypto';
import type { BookingRules, BusyEvent, BusyMoment, BusyRule, Span } from '../../engine/domain/block.ts';
import { WorkerError } from '../../engine/domain/errors.ts';
import { takesEvent } from '../../engine/domain/event-rule.ts';
import { isNoteId, objectOf } from '../../engine/domain/ids.ts';
import type { BusyCalendars } from '../../engine/ports/blocks.ts';
import type { Log } from '../../engine/ports/runtime.ts';
import { readLocal } from '../../engine/zones/local.ts';
import type { Person } from './people.ts';
import { common, merged } from './spans.ts';
import { blockWindow } from './wanted.ts';

const NAME_CHARS = 16;

export interface ReadingParts {
  readonly calendars: BusyCalendars;
  /** The rules by which people book in a calendar. Events that match one are not private. */
  readonly bookingsIn: (calendarId: string) => BookingRules;
  readonly log: Log;
}

/** Reads the calendars of one round, each calendar once, however many people share it. */
export class Reading {
  readonly #parts: ReadingParts;
  readonly #events = new Map<string, Promise<readonly BusyEvent[] | undefined>>();
  /** Calendar to error code, for calendars that could not be read. */
  readonly unread = new Map<string, string>();

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** Undefined when the calendar cannot be read now. */
  async busy(person: Person, calendarId: string, nowMs: number): Promise<readonly Span[] | undefined> {
    const { rule, zone } = person;
    const window = blockWindow(person, nowMs);
    const bookings = this.#parts.bookingsIn(calendarId);
    const key = `${calendarId.toLowerCase()} ${window.startMs} ${window.endMs}`;
    const events = this.#events.get(key) ?? this.#read(calendarId, window, { ruled: bookings.length > 0 });
    this.#events.set(key, events);
    const found = await events;
    return found && common(busySpans(found, rule.busy, { zone, bookings }), [window]);
  }

  async #read(
    calendarId: string,
    { startMs, endMs }: Span,
    options: { readonly ruled: boolean },
  ): Promise<readonly BusyEvent[] | undefined> {
    try {
      return await this.#parts.calendars.list(calendarId, { fromMs: startMs, untilMs: endMs }, options);
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      const { code, family } = error;
      this.unread.set(calendarId, code);
      this.#parts.log.warn({ calendar: calendarName(calendarId), code, family }, 'private calendar not read');
      return undefined;
    }
  }
}

/** Hashes the id, because addresses do not belong in state or logs. Case does not matter in them. */
export function calendarName(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, NAME_CHARS);
}

/**
 * Selects the events that take their person's time. In: the events of one calendar. Out: merged time spans and nothing else about the
 * events. The worker's own events never count, so no appointment can cause a block.
 */

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
  return date === undefined ? Number.NaN : readLocal(date, zone).toMillis();
}
