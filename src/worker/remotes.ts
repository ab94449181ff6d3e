import { DavMemory } from '../caldav/calendar-requests.ts';
import type { Listening } from '../caldav/home-looks.ts';
import { eitherBusy, eitherCalendar, eitherWatch, openCaldav, type WatchApi } from '../caldav/router.ts';
import { DirectoryKeeper } from '../engine/directory-keeper.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import { type Runtime, steadyClock } from '../engine/runtime.ts';
import type { Part } from '../engine/supervisor.ts';
import { openAccounts } from '../google/auth.ts';
import { countedBudget } from '../google/budget.ts';
import { type CalendarApi, GoogleCalendarApi } from '../google/calendar-api.ts';
import { RecentEvents } from '../google/calendar-event.ts';
import { GoogleBusyEventsApi } from '../google/calendar-events.ts';
import { CalendarWatchApi } from '../google/calendar-watch-api.ts';
import { KnownProblems, TargetBreakers } from '../google/call.ts';
import { SharedReads, SheetsApi } from '../google/sheets-api.ts';
import { accountsOf, caldavAccountsOf, isCaldav, usesDefaultAccount } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { neededZones } from '../mapping/needs.ts';
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
  const directory = new DirectoryKeeper(platform.reader, clock);
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
  const rootUrl = google.calendarRootUrl;
  const usesCaldav =
    Object.keys(config.caldav.accounts).length > 0 || [...(parts.remembered?.keys() ?? [])].some(isCaldav);
  const caldav = usesCaldav
    ? openCaldav({
        ...{ budget: shared.budget, breakers: shared.breakers, clock, timeoutMs: config.caldav.timeoutMs },
        ...{
          problems: new KnownProblems(store.problems, steadyClock),
          index: store.caldav,
          memory: new DavMemory(),
        },
        accountOf: caldavAccountsOf(config, parts.remembered),
        companyZone: async () => {
          const known = directory.current();
          const lists = known.branches.size > 0 ? known : await directory.readSince(0);
          return neededZones(config, lists)[0] ?? 'UTC';
        },
        lookEveryMs: config.caldav.lookEveryMs,
      })
    : undefined;
  const calendarFor = (rank: BudgetRank): CalendarApi => {
    const ofGoogle = new GoogleCalendarApi({ ...shared, recent, rank, rootUrl });
    return caldav
      ? eitherCalendar({ google: ofGoogle, caldav: caldav.calendarFor(rank) }, isCaldav)
      : ofGoogle;
  };
  const watchFor = (rank: BudgetRank): WatchApi => {
    const ofGoogle = new CalendarWatchApi({ ...shared, recent, rank, rootUrl });
    return caldav ? eitherWatch({ google: ofGoogle, caldav: caldav.watchFor(rank) }, isCaldav) : ofGoogle;
  };
  const ofGoogle = new GoogleBusyEventsApi({ ...shared, rank: 'list', rootUrl });
  const reads = new SharedReads();
  const sheetsFor = (rank: BudgetRank) =>
    new SheetsApi({ ...shared, reads, rank, rootUrl: google.sheetsRootUrl });
  return {
    platform,
    directory,
    reach,
    reached,
    /** For work that has just arrived. */
    calendar: calendarFor('live'),
    /** A client whose calls leave part of the budget to higher ranks. */
    calendarFor,
    /** Noticing a staff edit a little later does less harm than showing a platform change late. */
    calendarWatch: watchFor('catch-up'),
    /** For polls that no ping announced. */
    calendarPolls: watchFor('list'),
    /** Parts of the worker that tell of changed calendars whose account sends no pings. */
    listen: ({ calendars, ...rest }: Listening): readonly Part[] =>
      caldav?.listen({ calendars: calendars.filter(isCaldav), ...rest }) ?? [],
    /** Private events: the worker reads only their times. No ping announces them, so everything else goes first. */
    busyEvents: caldav ? eitherBusy({ google: ofGoogle, caldav: caldav.busyEvents }, isCaldav) : ofGoogle,
    sheets: sheetsFor('live'),
    sheetsFor,
  };
}

export type Remotes = ReturnType<typeof openRemotes>;
