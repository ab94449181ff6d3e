// What `status` says about calendars and booking sheets. A command beside a worker reads it without loading a Google client.
import { blocksRead } from '../calendar/blocks/read-until.ts';
import { PING_PATH } from '../calendar/watch/ping-route.ts';
import { ofKind } from '../engine/domain/mirror.ts';
import type { PollPace } from '../engine/domain/poll-pace.ts';
import { accountsOf } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { watchedCalendars } from '../mapping/needs.ts';
import type { PolledSource } from '../operate/status.ts';
import { intakeRead } from '../sheet/bookings/read-until.ts';
import type { Store } from './stores.ts';

/** Share of Google's calls per minute for polls that no ping announced. */
const POLL_SHARE = 0.25;

/** What `status` says about booking sheets. */
export function bookingCoverage(config: Config, store: Pick<Store, 'memory'>): PolledSource {
  return polled(ofKind(config.bookings, 'sheet'), intakeRead, store);
}

/** What `status` says about private calendars. */
export function blockCoverage(config: Config, store: Pick<Store, 'memory'>): PolledSource {
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
