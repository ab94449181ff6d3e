import { createHash } from 'node:crypto';
import type { BookingRules, BusyEvent, Span } from '../domain/block.ts';
import { WorkerError } from '../domain/errors.ts';
import type { BusyCalendars } from '../ports/blocks.ts';
import type { Log } from '../ports/runtime.ts';
import type { Person } from './people.ts';
import { busySpans } from './select.ts';
import { common } from './spans.ts';
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
