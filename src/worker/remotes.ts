import type { BudgetRank } from '../engine/quotas.ts';
import { type Runtime, steadyClock } from '../engine/runtime.ts';
import { openAccounts } from '../google/auth.ts';
import { countedBudget } from '../google/budget.ts';
import { CalendarApi } from '../google/calendar-api.ts';
import { RecentEvents } from '../google/calendar-event.ts';
import { BusyEventsApi } from '../google/calendar-events.ts';
import { CalendarWatchApi } from '../google/calendar-watch-api.ts';
import { TargetBreakers } from '../google/call.ts';
import { SharedReads, SheetsApi } from '../google/sheets-api.ts';
import { accountsOf, usesDefaultAccount } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { Reach, Reached } from '../operate/process-reports.ts';

import type { Limits } from '../operate/waiting.ts';
import { openPlatform } from './platform.ts';
import type { Store } from './stores.ts';

/** The two remote sides: the platform and Google. It makes no call yet. */
export function openRemotes(
  parts: Runtime & {
    readonly config: Config;
    readonly store: Store;
    /** Calendars that the YAML no longer names, each with its account. */
    readonly remembered?: ReadonlyMap<string, string> | undefined;
    /** Lets requests outlast the limits of both sides. */
    readonly limits?: Limits;
  },
) {
  const { config, store, clock, log, meter } = parts;
  const reach = new Reach();
  const reached = new Reached(clock);
  const platform = openPlatform({ ...parts, meter: reach.hearing(meter) });
  const google = config.google;
  const credential = openAccounts(google, {
    accountOf: accountsOf(config, parts.remembered),
    usesDefault: usesDefaultAccount(config),
    consents: store.consents,
    clock: steadyClock,
    onUnusable: (error) => log.warn({ err: error }, 'the new Google credential file cannot be used'),
  });
  const shared = {
    credential,
    budget: countedBudget(parts.limits?.outlasting(store.budget) ?? store.budget, meter),
    problems: store.problems,
    breakers: new TargetBreakers({
      ...{ clock: steadyClock, places: config.worker.concurrency },
      onVerdict: reach.hearingOf('google'),
      onDone: reached.note,
    }),
    clock,
    timeoutMs: google.timeoutMs,
  };
  const recent = new RecentEvents();
  const calendarFor = (rank: BudgetRank) =>
    new CalendarApi({ ...shared, recent, rank, rootUrl: google.calendarRootUrl });
  const reads = new SharedReads();
  const sheetsFor = (rank: BudgetRank) =>
    new SheetsApi({ ...shared, reads, rank, rootUrl: google.sheetsRootUrl });
  return {
    platform,
    reach,
    reached,
    /** For work that has just arrived. */
    calendar: calendarFor('live'),
    /** A client whose calls leave part of the budget to higher ranks. */
    calendarFor,
    /** Noticing a staff edit a little later does less harm than showing a platform change late. */
    calendarWatch: new CalendarWatchApi({
      ...shared,
      recent,
      rank: 'catch-up',
      rootUrl: google.calendarRootUrl,
    }),
    /** For polls that no ping announced. */
    calendarPolls: new CalendarWatchApi({ ...shared, recent, rank: 'list', rootUrl: google.calendarRootUrl }),
    /** Private events: the worker reads only their times. No ping announces them, so everything else goes first. */
    busyEvents: new BusyEventsApi({ ...shared, rank: 'list', rootUrl: google.calendarRootUrl }),
    sheets: sheetsFor('live'),
    sheetsFor,
  };
}

export type Remotes = ReturnType<typeof openRemotes>;
