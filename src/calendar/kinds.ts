// Calendars of every kind behind one set of calls: the id of the calendar says who keeps it.
import type { LiveFinding } from '../engine/finding.ts';
import type { KeySpace } from '../engine/key-space.ts';
import { calendarIdsOf, ofKind } from '../engine/mirror.ts';
import type { Budget, BudgetRank } from '../engine/quotas.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Part } from '../engine/supervisor.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { BusyEventsApi } from '../google/calendar-events.ts';
import type { Listening, WatchApi } from '../google/calendar-watch-api.ts';
import type { KnownProblems, TargetBreakers } from '../google/call.ts';
import { accountsOf } from '../mapping/accounts.ts';
import {
  calendarKindOf,
  eachKind,
  KIND_NAMES,
  type KindName,
  type KindSettings,
} from '../mapping/calendar-kinds.ts';
import type { Config } from '../mapping/config.ts';
import { blockCalendars } from '../mapping/needs.ts';
import type { SeenCalendar } from '../mapping/setup/write-yaml.ts';

/** The calls of each kind besides Google, loaded with what they need once the YAML has such calendars. */
export const LIVE_KINDS: { readonly [Name in KindName]: () => Promise<LiveKind> } = {
  caldav: async () => (await import('../caldav/live.ts')).caldavLive,
};

interface LiveKind {
  /** Makes no call yet. */
  open(settings: KindSettings[KindName], parts: KindParts): CalendarCalls;
  /** For `check --live`: whether each account and each calendar can be used. Leaves no traces. */
  check(
    settings: KindSettings[KindName],
    about: {
      readonly calendars: readonly UsedCalendar[];
      readonly nameOf: NameOf;
      readonly clock: Clock;
    },
  ): Promise<readonly LiveFinding[]>;
  /** For `init`: the calendars that an account of the section sees and may write to. */
  list(
    account: object,
    about: { readonly name: string; readonly timeoutMs: number; readonly clock: Clock },
  ): Promise<readonly SeenCalendar[]>;
}

/** Every call names its calendar first. */
export interface CalendarCalls {
  calendarFor(rank: BudgetRank): CalendarApi;
  watchFor(rank: BudgetRank): WatchApi;
  readonly busyEvents: BusyEventsApi;
  /** Parts of the worker that tell of changed calendars. */
  listen(listening: Listening): readonly Part[];
}

/** The account of a target such as `calendar:<id>`. */
type NameOf = (target: string) => string | undefined;

interface KindParts {
  readonly nameOf: NameOf;
  readonly store: { readonly redis: RedisClient; readonly keys: KeySpace };
  readonly budget: Budget;
  readonly breakers: TargetBreakers;
  readonly problems: KnownProblems;
  readonly clock: Clock;
  /** For times without a zone in a calendar without one. */
  readonly companyZone: () => Promise<string>;
}

interface UsedCalendar {
  readonly id: string;
  /** False: it is only read. */
  readonly isMirrored: boolean;
}

/** Opens the kinds that the YAML names, or that it named when it had the remembered calendars. */
export async function withKinds(
  google: CalendarCalls,
  config: Config,
  {
    remembered = new Map(),
    ...parts
  }: Omit<KindParts, 'nameOf'> & { readonly remembered?: ReadonlyMap<string, string> | undefined },
): Promise<CalendarCalls> {
  const nameOf = accountsOf(config, remembered);
  const others = new Map<KindName, CalendarCalls>();
  for (const name of KIND_NAMES) {
    const isUsed =
      Object.keys(config[name].accounts).length > 0 ||
      [...remembered.keys()].some((id) => calendarKindOf(id) === name);
    if (isUsed) others.set(name, (await LIVE_KINDS[name]()).open(config[name], { ...parts, nameOf }));
  }
  return others.size === 0 ? google : eachByKind(google, others);
}

/** No event moves between two kinds under its id: it is made anew, and its fields are copied. */
function eachByKind(google: CalendarCalls, others: ReadonlyMap<KindName, CalendarCalls>): CalendarCalls {
  const sideBy = <Side>(take: (calls: CalendarCalls) => Side) => {
    const ofGoogle = take(google);
    const sides = new Map([...others].map(([name, calls]) => [name, take(calls)]));
    return (calendarId: string): Side => {
      const kind = calendarKindOf(calendarId);
      return (kind === undefined ? undefined : sides.get(kind)) ?? ofGoogle;
    };
  };
  return {
    calendarFor: (rank) => eachCalendar(sideBy((calls) => calls.calendarFor(rank))),
    watchFor: (rank) => eachWatch(sideBy((calls) => calls.watchFor(rank))),
    busyEvents: eachBusy(sideBy((calls) => calls.busyEvents)),
    listen: ({ calendars, ...rest }) =>
      [...others].flatMap(([name, calls]) =>
        calls.listen({ ...rest, calendars: calendars.filter((id) => calendarKindOf(id) === name) }),
      ),
  };
}

function eachCalendar(at: (calendarId: string) => CalendarApi): CalendarApi {
  return {
    insert: (calendarId, ...rest) => at(calendarId).insert(calendarId, ...rest),
    get: (calendarId, ...rest) => at(calendarId).get(calendarId, ...rest),
    getWhole: (calendarId, ...rest) => at(calendarId).getWhole(calendarId, ...rest),
    getIn: (calendarId, ...rest) => at(calendarId).getIn(calendarId, ...rest),
    readWithin: (calendarId, ...rest) => at(calendarId).readWithin(calendarId, ...rest),
    knownInSeries: (calendarId, ...rest) => at(calendarId).knownInSeries(calendarId, ...rest),
    patch: (calendarId, ...rest) => at(calendarId).patch(calendarId, ...rest),
    isNobodys: (calendarId, ...rest) => at(calendarId).isNobodys(calendarId, ...rest),
    keptElsewhere: (calendarId, ...rest) => at(calendarId).keptElsewhere(calendarId, ...rest),
    isSameObject: async (eventId, calendarId, otherId) =>
      at(calendarId) === at(otherId) && at(calendarId).isSameObject(eventId, calendarId, otherId),
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

function eachWatch(at: (calendarId: string) => WatchApi): WatchApi {
  return {
    changes: (calendarId, ...rest) => at(calendarId).changes(calendarId, ...rest),
    watch: (calendarId, ...rest) => at(calendarId).watch(calendarId, ...rest),
    stop: (calendarId, ...rest) => at(calendarId).stop(calendarId, ...rest),
  };
}

function eachBusy(at: (calendarId: string) => BusyEventsApi): BusyEventsApi {
  return { list: (calendarId, ...rest) => at(calendarId).list(calendarId, ...rest) };
}

/** Checks every kind that the YAML uses. Google has a check of its own. */
export async function checkKinds(config: Config, clock: Clock): Promise<readonly LiveFinding[]> {
  const nameOf = accountsOf(config);
  const mirrored = new Set(ofKind(config.mirrors, 'calendar').flatMap(calendarIdsOf));
  const read = [...blockCalendars(config)].filter((id) => !mirrored.has(id));
  const used = [
    ...[...mirrored].map((id) => ({ id, isMirrored: true })),
    ...[...new Set(read)].map((id) => ({ id, isMirrored: false })),
  ];
  const found = eachKind(async (name) => {
    const calendars = used.filter(({ id }) => calendarKindOf(id) === name);
    return (await LIVE_KINDS[name]()).check(config[name], { calendars, nameOf, clock });
  });
  return (await Promise.all(Object.values(found))).flat();
}
