// What `status` says of calendars and booking sheets. Beside a worker it is read without any client of Google.
import { blocksRead } from '../blocks/read-until.ts';
import { accountsOf } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { watchedCalendars } from '../config/needs.ts';
import { ofKind } from '../domain/mirror.ts';
import type { PollPace } from '../domain/poll-pace.ts';
import type { PolledSource } from '../ops/status.ts';
import { intakeRead } from '../sources/booking-sheet/read-until.ts';
import { PING_PATH } from '../sources/calendar/ping-route.ts';
import type { Store } from './stores.ts';

/** The share of Google's calls a minute for reading what nobody rang for. */
const POLL_SHARE = 0.25;

/** What `status` says of where people book beside calendars. */
export function bookingCoverage(config: Config, store: Pick<Store, 'memory'>): PolledSource {
  return polled(ofKind(config.bookings, 'sheet'), intakeRead, store);
}

/** What `status` says of the private calendars. */
export function blockCoverage(config: Config, store: Pick<Store, 'memory'>): PolledSource {
  const running = config.blocks.filter(({ paused }) => !paused);
  return polled(running, blocksRead, store);
}

/** `readKey`: where a poll remembers up to which moment it has read an entry. */
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

/** What `status` says of the watched calendars. */
export function calendarCoverage(config: Config, store: Pick<Store, 'calendars' | 'channels'>) {
  const { everyMs, quietEveryMs, push } = config.google.watch;
  const { publicUrl } = config.platform.webhook;
  const perMinute = config.google.quotas.calendarPerMinute * POLL_SHARE;
  return {
    cursors: store.calendars,
    channels: store.channels,
    ids: watchedCalendars(config),
    /** Where Google pings. */
    address: push && publicUrl !== undefined ? `${publicUrl}${PING_PATH}` : undefined,
    accountOf: accountsOf(config),
    pace: { everyMs, quietEveryMs, perMinute } satisfies PollPace,
  };
}
