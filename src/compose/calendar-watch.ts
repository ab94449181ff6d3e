import type { Config } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { CalendarWatch } from '../sources/calendar/calendar-watch.ts';
import { Channels } from '../sources/calendar/channels.ts';
import { PING_PATH, pingRoute } from '../sources/calendar/ping-route.ts';
import type { ChangeListener } from '../sources/calendar/sync.ts';
import { ringEvery } from '../upkeep/schedule.ts';
import type { Outside } from './outside.ts';
import { repeat } from './repetition.ts';
import type { Store } from './store.ts';

const CHANNELS_EVERY_MS = 30_000;
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
  const { everyMs, settleMs, channelTtlMs } = config.google.watch;
  const calendars = [...new Set([...watchedCalendars(config), ...(options.others ?? [])])];
  const watch = new CalendarWatch({
    api: outside.calendarWatch,
    cursors: store.calendars,
    sightings: store.sightings,
    leases: store.leases,
    intake: options.intake,
    queue: options.queue,
    listeners: options.listeners ?? [],
    quotas: store.budget,
    ...{ calendars, settleMs, everyMs, isCurrent, clock, log, meter },
  });
  const address = pingAddress(config);
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
    /** Reads all of them at once. */
    lookAtAll: () => watch.ringAll(),
    plugin: pingRoute({
      channels: store.channels,
      ring: (calendarId) => watch.ring(calendarId),
      onStranger: strangerStopper(options),
      ...{ clock, log, meter },
    }),
    /** Until the signal aborts; ends when the syncs at work have stopped after their page. */
    async run(signal: AbortSignal): Promise<void> {
      // Whatever happened to Redis while no worker ran: one short read each.
      watch.ringAll();
      const stopPolling = ringEvery(everyMs, () => watch.poll());
      try {
        await repeat({ name: 'calendar channels', everyMs: CHANNELS_EVERY_MS, signal, log }, () =>
          care(signal),
        );
      } finally {
        stopPolling();
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
