import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { type CompanyNames, namesOf, type Wire } from '../judge/company.ts';
import { type RowKind, tabPlans } from '../judge/judge.ts';
import { CalendarLag } from './calendar-lag.ts';
import { RowLag } from './row-lag.ts';
import type { LagSamples } from './stopwatch.ts';

/** How often the tabs are read while there are writes. This is the precision of the row lag. */
const LOOK_EVERY_MS = 50;

/** Watches both sides from outside, from construction on, and measures from `begin` on. */
export class LagObserver {
  readonly #google: GoogleSandbox;
  readonly #spreadsheetId: string;
  readonly #calendars: CalendarLag;
  readonly #tabs: readonly {
    readonly tab: string;
    readonly of: RowKind;
    readonly lag: RowLag;
  }[];
  #timer: NodeJS.Timeout | undefined;
  #writesSeen = -1;

  constructor(parts: {
    platform: PlatformSandbox;
    google: GoogleSandbox;
    calendars: ReadonlyMap<string, string>;
    teams?: ReadonlyMap<string, string>;
    spreadsheetId: string;
  }) {
    const names: CompanyNames = namesOf(parts.platform.truth, parts);
    this.#google = parts.google;
    this.#spreadsheetId = parts.spreadsheetId;
    this.#calendars = new CalendarLag(names);
    // Leads and conversations are judged at the end only, because events of other objects also report their
    // changes.
    const timed = tabPlans(names).filter(({ of }) => of === 'contact' || of === 'appointment');
    this.#tabs = timed.map(({ plan, of }) => ({ tab: plan.tab, of, lag: new RowLag(plan) }));
    parts.google.onEventWrite((calendarId, event) => this.written(calendarId, event));
  }

  /** A calendar's event was written; a deleted one has the status `cancelled`. */
  written(calendarId: string, event: Wire): void {
    this.#calendars.written(calendarId, event, Date.now());
  }

  begin(platform: PlatformSandbox): void {
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    platform.observe({
      changed: ({ kind, id, at }) => {
        if (kind === 'contact')
          this.#tabsOf('contact', (lag) => lag.changed(id, platform.truth.contact(id), at));
        const appointment = kind === 'appointment' ? platform.truth.appointment(id) : undefined;
        if (appointment === undefined) return;
        this.#calendars.changed(appointment, at);
        this.#tabsOf('appointment', (lag) => lag.changed(id, appointment, at));
      },
      lost: ({ body }) => {
        const { created_at: at, data } = JSON.parse(body);
        this.#calendars.lost(data.object.id, Date.parse(at));
        for (const { lag } of this.#tabs) lag.lost(data.object.id, Date.parse(at));
      },
    });
  }

  end(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  calendars(): LagSamples {
    return this.#calendars.samples();
  }

  rows(): LagSamples {
    const samples = this.#tabs.map(({ lag }) => lag.samples());
    return {
      all: samples.flatMap(({ all }) => all),
      delivered: samples.flatMap(({ delivered }) => delivered),
      open: samples.reduce((sum, { open }) => sum + open, 0),
    };
  }

  #tabsOf(kind: 'contact' | 'appointment', tell: (lag: RowLag) => void): void {
    for (const { of, lag } of this.#tabs) if (of === kind) tell(lag);
  }

  #look(): void {
    const { callsByMethod } = this.#google.stats();
    const writes = callsByMethod['spreadsheets.batchUpdate'] ?? 0;
    if (writes === this.#writesSeen) return;
    this.#writesSeen = writes;
    const now = Date.now();
    for (const { tab, lag } of this.#tabs)
      lag.looked(this.#google.truth.values(this.#spreadsheetId, tab), now);
  }
}
