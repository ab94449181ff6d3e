// Private events of staff, and the appointments that keep their time unbookable.
import type { BusyEvent } from '../domain/block.ts';

/** Calendars, as far as people are busy there. Rejects with the three error families. */
export interface BusyCalendars {
  /**
   * All live events that end after `fromMs` and begin before `untilMs`, series as their single events. Requests texts only with `ruled`,
   * for calendars in which people book. Rejects unless all of them were read.
   */
  list(
    calendarId: string,
    window: { readonly fromMs: number; readonly untilMs: number },
    options: { readonly ruled: boolean },
  ): Promise<readonly BusyEvent[]>;
}
