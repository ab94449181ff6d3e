import type { Outside } from '../../compose/remotes.ts';
import type { Store } from '../../compose/stores.ts';
import type { Config } from '../../config/config.ts';
import type { PollPace } from '../../domain/poll-pace.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Intake } from '../../ports/intake.ts';
import type { Log } from '../../ports/log.ts';
import type { Meter } from '../../ports/meter.ts';
import type { WorkQueue } from '../../ports/work-queue.ts';
import { Reveille, repeat } from '../../work/loops.ts';
import { CalendarWatch } from './calendar-watch.ts';
import { Channels } from './channels.ts';
import { PING_PATH, pingRoute } from './ping-route.ts';
import { Poller } from './poller.ts';
import type { ChangeListener } from './sync.ts';

const CHANNELS_EVERY_MS = 30_000;
/** Between two looks which calendars are due. */
const POLL_ROUND_MS_MAX = 10_000;
/** Rounds of polling within its shortest interval. */
const POLL_ROUNDS = 4;
/** The share of Google's calls a minute for reading what nobody rang for. */
const POLL_SHARE = 0.25;
/** Anybody can pretend to be a channel that is not known: what is done about it must not use up the budget. */
const STRANGERS_APART_MS = 10_000;

export interface CalendarWatchOptions {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly intake: Intake;
  readonly queue: WorkQueue;
  /** Calendars to be watched besides those of the mirrors. */
  readonly others?: readonly string[];
  readonly listeners?: readonly ChangeListener[];
  readonly isCurrent: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** The watch over all calendars in which people's changes count. Nothing is called before `run`. */
export function openCalendarWatch(options: CalendarWatchOptions) {
  const { config, store, outside, clock, log, meter, isCurrent } = options;
  const { settleMs, channelTtlMs } = config.google.watch;
  const calendars = [...new Set([...watchedCalendars(config), ...(options.others ?? [])])];
  const watch = new CalendarWatch({
    api: outside.calendarWatch,
    pollApi: outside.calendarPolls,
    cursors: store.calendars,
    sightings: store.sightings,
    leases: store.leases,
    intake: options.intake,
    queue: options.queue,
    listeners: options.listeners ?? [],
    quotas: store.budget,
    ...{ calendars, settleMs, isCurrent, clock, log, meter },
  });
  const address = pingAddress(config);
  const pace = pollPace(config);
  const poller = new Poller({
    cursors: store.calendars,
    channels: store.channels,
    ...{ calendars, address, pace, watch, clock },
  });
  const reveille = new Reveille();
  const lookAtAll = (): void => {
    poller.lookAtAll();
    reveille.call();
  };
  const channels = new Channels({
    api: outside.calendarWatch,
    channels: store.channels,
    problems: store.problems,
    calendars: address === undefined ? [] : calendars,
    ttlMs: channelTtlMs,
    ...{ address, clock, log },
  });
  const care = async (signal: AbortSignal): Promise<undefined> => {
    if (!(await isCurrent())) return;
    await store.leases.hold('calendar-channels', (lease) => channels.care(lease.signal), { until: signal });
  };
  return {
    /** Reads all of them, one after the other within the share of polling. */
    lookAtAll,
    plugin: pingRoute({
      channels: store.channels,
      cursors: store.calendars,
      ring: (calendarId) => watch.ring(calendarId),
      onStranger: strangerStopper(options),
      ...{ clock, log, meter },
    }),
    /** Until the signal aborts; ends when the syncs at work have stopped after their page. */
    async run(signal: AbortSignal): Promise<void> {
      // Whatever happened to Redis while no worker ran: one short read each.
      poller.lookAtAll();
      const roundMs = Math.min(POLL_ROUND_MS_MAX, pace.everyMs / POLL_ROUNDS);
      try {
        await Promise.all([
          repeat({ name: 'calendar polls', everyMs: roundMs, signal, log, reveille }, async () => {
            if (await isCurrent()) await poller.round();
            return undefined;
          }),
          repeat({ name: 'calendar channels', everyMs: CHANNELS_EVERY_MS, signal, log }, () => care(signal)),
        ]);
      } finally {
        await watch.stop();
      }
    },
  };
}

/** Every calendar for which it matters what people do there. */
export function watchedCalendars(config: Config): readonly string[] {
  const watched = new Set<string>();
  for (const mirror of config.mirrors) {
    if (mirror.kind !== 'calendar') continue;
    if (mirror.staffEdits.moved === 'ignore' && mirror.staffEdits.deleted === 'ignore') continue;
    for (const { calendarId } of mirror.calendars) watched.add(calendarId);
  }
  for (const booking of config.bookings) {
    if (booking.kind !== 'calendar') continue;
    for (const { calendarId } of booking.calendars) watched.add(calendarId);
  }
  return [...watched];
}

/** The watched calendars as `status` tells of them. */
export function calendarCoverage(config: Config, store: Pick<Store, 'calendars' | 'channels'>) {
  return {
    cursors: store.calendars,
    channels: store.channels,
    ids: watchedCalendars(config),
    address: pingAddress(config),
    pace: pollPace(config),
  };
}

function pollPace({ google }: Config): PollPace {
  const { everyMs, quietEveryMs } = google.watch;
  return { everyMs, quietEveryMs, perMinute: google.quotas.calendarPerMinute * POLL_SHARE };
}

function pingAddress({ google, platform }: Config): string | undefined {
  const { publicUrl } = platform.webhook;
  return google.watch.push && publicUrl !== undefined ? `${publicUrl}${PING_PATH}` : undefined;
}

/** Left by an installation whose Redis was lost: it would ping for days. */
function strangerStopper({ outside, log }: CalendarWatchOptions) {
  let nextMs = Number.NEGATIVE_INFINITY;
  return (channel: { readonly id: string; readonly resourceId: string }): void => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + STRANGERS_APART_MS;
    outside.calendarWatch.stop('unknown', channel).then(
      (outcome) => log.info({ outcome }, 'unknown calendar channel asked to stop'),
      (error: unknown) => log.info({ err: error }, 'unknown calendar channel not stopped'),
    );
  };
}
