import { withKinds } from '../calendar/kinds.ts';
import { DirectoryKeeper } from '../engine/directory-keeper.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import { type Runtime, steadyClock } from '../engine/runtime.ts';
import { openAccounts } from '../google/auth.ts';
import { countedBudget } from '../google/budget.ts';
import { GoogleCalendarApi } from '../google/calendar-api.ts';
import { RecentEvents } from '../google/calendar-event.ts';
import { GoogleBusyEventsApi } from '../google/calendar-events.ts';
import { CalendarWatchApi } from '../google/calendar-watch-api.ts';
import { KnownProblems, TargetBreakers } from '../google/call.ts';
import { SharedReads, SheetsApi } from '../google/sheets-api.ts';
import { accountsOf, usesDefaultAccount } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { neededZones } from '../mapping/needs.ts';
import { Reach, Reached } from '../operate/process-reports.ts';

import type { Limits } from '../operate/waiting.ts';
import { openPlatform } from './platform.ts';
import type { Store } from './stores.ts';

/** The remote sides: the platform, Google, and other kinds of calendars. It makes no call yet. */
export async function openRemotes(
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
  const directory = new DirectoryKeeper(platform.reader, clock);
  const credential = openAccounts(config.google, {
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
    timeoutMs: config.google.timeoutMs,
  };
  const recent = new RecentEvents();
  const rootUrl = config.google.calendarRootUrl;
  const google = {
    calendarFor: (rank: BudgetRank) => new GoogleCalendarApi({ ...shared, recent, rank, rootUrl }),
    watchFor: (rank: BudgetRank) => new CalendarWatchApi({ ...shared, recent, rank, rootUrl }),
    busyEvents: new GoogleBusyEventsApi({ ...shared, rank: 'list', rootUrl }),
    listen: () => [],
  };
  const calendars = await withKinds(google, config, {
    ...{ budget: shared.budget, breakers: shared.breakers, clock, store: store.parts },
    problems: new KnownProblems(store.problems, steadyClock),
    remembered: parts.remembered,
    companyZone: async () => {
      const known = directory.current();
      const lists = known.branches.size > 0 ? known : await directory.readSince(0);
      return neededZones(config, lists)[0] ?? 'UTC';
    },
  });
  const reads = new SharedReads();
  const sheetsFor = (rank: BudgetRank) =>
    new SheetsApi({ ...shared, reads, rank, rootUrl: config.google.sheetsRootUrl });
  return {
    platform,
    directory,
    reach,
    reached,
    /** For work that has just arrived. */
    calendar: calendars.calendarFor('live'),
    /** A client whose calls leave part of the budget to higher ranks. */
    calendarFor: calendars.calendarFor,
    /** Noticing a staff edit a little later does less harm than showing a platform change late. */
    calendarWatch: calendars.watchFor('catch-up'),
    /** For polls that no ping announced. */
    calendarPolls: calendars.watchFor('list'),
    /** Parts of the worker that tell of changed calendars whose account sends no pings. */
    listen: calendars.listen,
    /** Private events: the worker reads only their times. No ping announces them, so everything else goes first. */
    busyEvents: calendars.busyEvents,
    sheets: sheetsFor('live'),
    sheetsFor,
  };
}

export type Remotes = Awaited<ReturnType<typeof openRemotes>>;
