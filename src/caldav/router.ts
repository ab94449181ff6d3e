// Calendars of both kinds behind one set of calls: the id of the calendar says who keeps it.
import type { BudgetRank } from '../engine/quotas.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { BusyEventsApi } from '../google/calendar-events.ts';
import type { CalendarWatchApi } from '../google/calendar-watch-api.ts';
import { CaldavApi, type CaldavParts } from './caldav-side.ts';
import { homeLooks, type Listening, type LookParts } from './home-looks.ts';
import { CaldavBusyEventsApi, CaldavWatchApi } from './watch-side.ts';

export type WatchApi = Pick<CalendarWatchApi, 'changes' | 'watch' | 'stop'>;

/** Says whether a calendar is on a CalDAV server. */
type IsCaldav = (calendarId: string) => boolean;

export interface Sides<Side> {
  readonly google: Side;
  readonly caldav: Side;
}

/** Every call names its calendar first. No event moves between the two kinds under its id: it is made anew, and its fields are copied. */
export function eitherCalendar({ google, caldav }: Sides<CalendarApi>, isCaldav: IsCaldav): CalendarApi {
  const at = (calendarId: string) => (isCaldav(calendarId) ? caldav : google);
  return {
    insert: (calendarId, ...rest) => at(calendarId).insert(calendarId, ...rest),
    get: (calendarId, ...rest) => at(calendarId).get(calendarId, ...rest),
    getWhole: (calendarId, ...rest) => at(calendarId).getWhole(calendarId, ...rest),
    getIn: (calendarId, ...rest) => at(calendarId).getIn(calendarId, ...rest),
    readWithin: (calendarId, ...rest) => at(calendarId).readWithin(calendarId, ...rest),
    knownInSeries: (calendarId, ...rest) => at(calendarId).knownInSeries(calendarId, ...rest),
    patch: (calendarId, ...rest) => at(calendarId).patch(calendarId, ...rest),
    isMissed: (calendarId, ...rest) => at(calendarId).isMissed(calendarId, ...rest),
    isKeptElsewhere: (calendarId, ...rest) => at(calendarId).isKeptElsewhere(calendarId, ...rest),
    isSameAccount: (calendarId, otherId) =>
      at(calendarId) === at(otherId) && at(calendarId).isSameAccount(calendarId, otherId),
    move: (calendarId, ...rest) => at(calendarId).move(calendarId, ...rest),
    addFields: (calendarId, ...rest) => at(calendarId).addFields(calendarId, ...rest),
    remove: (calendarId, ...rest) => at(calendarId).remove(calendarId, ...rest),
    marked: (calendarId, ...rest) => at(calendarId).marked(calendarId, ...rest),
    accessRole: (calendarId) => at(calendarId).accessRole(calendarId),
    zone: (calendarId) => at(calendarId).zone(calendarId),
    assertWritable: (calendarId) => at(calendarId).assertWritable(calendarId),
    countUpcoming: (calendarId, ...rest) => at(calendarId).countUpcoming(calendarId, ...rest),
    instances: (calendarId, ...rest) => at(calendarId).instances(calendarId, ...rest),
  };
}

export function eitherWatch({ google, caldav }: Sides<WatchApi>, isCaldav: IsCaldav): WatchApi {
  const at = (calendarId: string) => (isCaldav(calendarId) ? caldav : google);
  return {
    changes: (calendarId, ...rest) => at(calendarId).changes(calendarId, ...rest),
    watch: (calendarId, ...rest) => at(calendarId).watch(calendarId, ...rest),
    stop: (calendarId, ...rest) => at(calendarId).stop(calendarId, ...rest),
  };
}

export function eitherBusy({ google, caldav }: Sides<BusyEventsApi>, isCaldav: IsCaldav): BusyEventsApi {
  const at = (calendarId: string) => (isCaldav(calendarId) ? caldav : google);
  return { list: (calendarId, ...rest) => at(calendarId).list(calendarId, ...rest) };
}

/** The calls to CalDAV calendars, for each rank. */
export function openCaldav(parts: CaldavParts & Pick<LookParts, 'lookEveryMs'>) {
  return {
    listen: (listening: Listening) => homeLooks(parts, listening),
    calendarFor: (rank: BudgetRank) => new CaldavApi(parts, rank),
    watchFor: (rank: BudgetRank) => new CaldavWatchApi(parts, rank),
    busyEvents: new CaldavBusyEventsApi(parts, 'list'),
  };
}
