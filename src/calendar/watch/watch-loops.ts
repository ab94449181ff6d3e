import { repeat, WakeAll } from '../../engine/loops.ts';
import type { CalendarCursors, ChannelStore } from '../../engine/ports/calendars.ts';
import type { Leases } from '../../engine/ports/leases.ts';
import type { Runtime } from '../../engine/ports/runtime.ts';
import type { Part } from '../../engine/supervisor.ts';
import type { CalendarWatchApi } from '../../google/calendar-watch-api.ts';
import type { CalendarWatch } from './calendar-watch.ts';
import type { Channels } from './channels.ts';
import { pingRoute, type UnknownChannel } from './ping-route.ts';
import type { Poller } from './poller.ts';

/** Time between two rounds of care for the channels. */
const CHANNELS_EVERY_MS = 30_000;
/** Longest time between two checks which calendars are due. */
const POLL_ROUND_MS_MAX = 10_000;
/** Rounds of polling within the shortest poll interval. */
const POLL_ROUNDS = 4;
/** Time between two requests to stop unknown channels: anybody can pretend to be one, and that must not use up the budget. */
const STRANGERS_APART_MS = 10_000;

interface WatchParts extends Runtime {
  readonly watch: CalendarWatch;
  readonly poller: Poller;
  readonly channels: Channels;
  readonly calendars: readonly string[];
  /** Name of the Google account of a target; undefined means the default account. */
  readonly accountOf: (target: string) => string | undefined;
  /** The shortest interval between two polls of one calendar. */
  readonly pollEveryMs: number;
  readonly api: Pick<CalendarWatchApi, 'stop'>;
  readonly cursors: CalendarCursors;
  readonly channelStore: ChannelStore;
  readonly leases: Leases;
  readonly isCurrent: () => Promise<boolean>;
}

export interface CalendarWatchLoops extends Part {
  /** Reads all calendars, one after the other within the share of polling. */
  lookAtAll(): void;
  readonly plugin: ReturnType<typeof pingRoute>;
}

/** The loops over all calendars in which people's changes count. Nothing runs before `run`. */
export function calendarWatchLoops(parts: WatchParts): CalendarWatchLoops {
  const { watch, poller, channels, leases, clock, log, meter, isCurrent } = parts;
  const wakeAll = new WakeAll();
  const care = async (signal: AbortSignal): Promise<undefined> => {
    if (!(await isCurrent())) return;
    await leases.hold('calendar-channels', (lease) => channels.care(lease.signal), { until: signal });
  };
  return {
    lookAtAll(): void {
      poller.lookAtAll();
      wakeAll.call();
    },
    plugin: pingRoute({
      channels: parts.channelStore,
      cursors: parts.cursors,
      ring: (calendarId, ping) => watch.ring(calendarId, ping),
      onStranger: strangerStopper(parts),
      ...{ clock, log, meter },
    }),
    name: 'calendar watch',
    /** Ends when the running syncs have stopped after their page. */
    async run(signal: AbortSignal): Promise<void> {
      // Covers whatever happened to Redis while no worker ran: one short read per calendar.
      poller.lookAtAll();
      const roundMs = Math.min(POLL_ROUND_MS_MAX, parts.pollEveryMs / POLL_ROUNDS);
      await Promise.all([
        watch.run(signal),
        repeat({ name: 'calendar polls', everyMs: roundMs, signal, log, wakeAll }, async () => {
          if (await isCurrent()) await poller.round();
          return undefined;
        }),
        repeat({ name: 'calendar channels', everyMs: CHANNELS_EVERY_MS, signal, log }, () => care(signal)),
      ]);
    },
  };
}

/**
 * Stops channels left by an installation whose Redis was lost: they would ping for days. Only the account that opened a channel can stop it.
 * The worker uses only accounts of watched calendars, whatever the ping names. If it names no watched calendar, they take turns.
 */
function strangerStopper({
  api,
  calendars,
  accountOf,
  log,
}: Pick<WatchParts, 'api' | 'calendars' | 'accountOf' | 'log'>) {
  const accounts = calendars.map((each) => accountOf(`calendar:${each}`));
  /** The first calendar of each account. */
  const inTurn = calendars.filter((_, at) => accounts.indexOf(accounts[at]) === at);
  let turns = 0;
  let nextMs = Number.NEGATIVE_INFINITY;
  return ({ calendarId, id, resourceId }: UnknownChannel): void => {
    const named = calendarId?.toLowerCase();
    if (performance.now() < nextMs) return;
    const match = calendars.find((each) => each.toLowerCase() === named);
    const watched = match ?? inTurn[turns % inTurn.length];
    if (watched === undefined) return;
    if (match === undefined) turns += 1;
    nextMs = performance.now() + STRANGERS_APART_MS;
    api.stop(watched, { id, resourceId }).then(
      (outcome) => log.info({ outcome }, 'unknown calendar channel asked to stop'),
      (error: unknown) => log.info({ err: error }, 'unknown calendar channel not stopped'),
    );
  };
}
