import type { BusyEvent } from '../engine/block.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import { type BusyEventsApi, toBusy } from '../google/calendar-events.ts';
import { CaldavCalendars, type CaldavParts } from './caldav-side.ts';

/** When people are busy, from CalDAV calendars (`BusyEventsApi`). */
export class CaldavBusyEventsApi implements BusyEventsApi {
  readonly #calendars: CaldavCalendars;

  constructor(parts: CaldavParts, rank?: BudgetRank) {
    this.#calendars = new CaldavCalendars(parts, rank);
  }

  async list(
    calendarId: string,
    window: { readonly fromMs: number; readonly untilMs: number },
    { ruled }: { readonly ruled: boolean },
  ): Promise<readonly BusyEvent[]> {
    const calendar = this.#calendars.at(calendarId);
    const found: CalendarEvent[] = [];
    for (const { read } of await this.#calendars.everything(calendar)) {
      const masters = read.events.filter(({ event }) => event.recurringEventId === undefined);
      const known = new Set(masters.map(({ event }) => event.id));
      for (const master of masters) {
        const events = await this.#calendars.instancesOf(calendar, { read, master, ...window });
        // A rule that nobody can follow takes the time of its first event.
        found.push(...(events ?? [master.event]));
      }
      // Invited to single events of a series.
      found.push(
        ...read.events.flatMap(({ event }) => (known.has(event.recurringEventId ?? event.id) ? [] : [event])),
      );
    }
    return found
      .filter(({ status }) => status !== 'cancelled')
      .map((event) => toBusy(event, calendarId, ruled));
  }
}
