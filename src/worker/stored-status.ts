import { blocksRead } from '../calendar/block-read-until.ts';
import { PING_PATH } from '../calendar/calendar-watch.ts';
import { NO_DIRECTORY } from '../engine/mirror.ts';
import type { PollPace } from '../engine/poll-pace.ts';
import { accountsOf } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { watchedCalendars, zonesInUse } from '../mapping/needs.ts';
import { installationOf } from '../operate/installation.ts';
import { lagOf } from '../operate/process-reports.ts';
import {
  createStatusSource,
  type PolledSource,
  type StatusParts,
  type StatusReport,
  type StatusSource,
} from '../operate/status.ts';
import { intakeRead } from '../sheet/booking-read-until.ts';
import { openStore, type Store } from './stores.ts';

/** Builds the status from the stores, in a worker or beside one. */
export function statusParts(
  config: Config,
  parts: Pick<
    StatusParts,
    'version' | 'clock' | 'inFlight' | 'worker' | 'startedAtMs' | 'processStartedAtMs' | 'zones'
  > & {
    readonly store: Store;
  },
): StatusSource {
  const { store, ...own } = parts;
  const { ledger, coverage, outbox, problems, writeProbe, hosts } = store;
  return createStatusSource({
    ...{ ledger, coverage, outbox, problems, writeProbe, hosts, quotas: store.budget },
    lag: async () => lagOf(await store.pace.lagsS()),
    installation: installationOf(config),
    feedEveryMs: config.platform.feed.everyMs,
    calendars: calendarCoverage(config, store),
    intakeSheets: bookingCoverage(config, store),
    blocks: blockCoverage(config, store),
    ...own,
  });
}

/** Reads the status from Redis when no worker answers. */
export async function readStatusFromStore(
  config: Config,
  { version, clock, worker }: Pick<StatusParts, 'version' | 'clock' | 'worker'>,
): Promise<StatusReport> {
  const store = await openStore(config, clock, { sharing: true });
  try {
    const about = { store, version, clock, inFlight: () => undefined, worker };
    const zones = () => zonesInUse(config, NO_DIRECTORY);
    return await statusParts(config, { ...about, zones }).read();
  } finally {
    await store.close();
  }
}

// What `status` says about calendars and booking sheets. A command beside a worker reads it without loading a Google client.

/** Share of Google's calls per minute for polls that no ping announced. */
const POLL_SHARE = 0.25;

/** What `status` says about booking sheets. Calendars have a watch. */
function bookingCoverage(config: Config, store: Pick<Store, 'memory'>): PolledSource {
  const read = config.bookings.flatMap((entry) => (entry.kind === 'calendar' ? [] : [entry]));
  return polled(read, intakeRead, store);
}

/** What `status` says about private calendars. */
function blockCoverage(config: Config, store: Pick<Store, 'memory'>): PolledSource {
  const running = config.blocks.filter(({ paused }) => !paused);
  return polled(running, blocksRead, store);
}

/** `readKey`: the memory key under which a poll stores up to which moment it has read an entry. */
function polled(
  entries: PolledSource['entries'],
  readKey: (entry: string) => string,
  { memory }: Pick<Store, 'memory'>,
): PolledSource {
  return {
    entries,
    readUntilMs: async (entry) => {
      const known = await memory.get(readKey(entry));
      return known === undefined ? undefined : Number(known);
    },
  };
}

/** What `status` says about watched calendars. */
export function calendarCoverage(config: Config, store: Pick<Store, 'calendars' | 'channels'>) {
  const { everyMs, quietEveryMs, push } = config.google.watch;
  const { publicUrl } = config.platform.webhook;
  const perMinute = config.google.quotas.calendarPerMinute * POLL_SHARE;
  return {
    cursors: store.calendars,
    channels: store.channels,
    ids: watchedCalendars(config),
    /** Where Google sends its pings. */
    address: push && publicUrl !== undefined ? `${publicUrl}${PING_PATH}` : undefined,
    accountOf: accountsOf(config),
    pace: { everyMs, quietEveryMs, perMinute } satisfies PollPace,
  };
}
