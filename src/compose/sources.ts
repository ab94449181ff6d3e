import { ORIGIN_MARK } from '../bookings/submit/request.ts';
import { isAppointmentWord } from '../bookings/words/outside-words.ts';
import { ofKind } from '../domain/mirror.ts';
import { RememberedTabs } from '../mirrors/sheet/tab/tab-memory.ts';
import { answerTab } from '../mirrors/sheet/target/answers.ts';
import { steadyClock } from '../ports/runtime.ts';
import { BookingSheets } from '../sources/booking-sheet/booking-sheets.ts';
import { pollBookingSheets } from '../sources/booking-sheet/poll-loop.ts';
import { CalendarWatch } from '../sources/calendar/calendar-watch.ts';
import { Channels } from '../sources/calendar/channels.ts';
import { watchOutsideEvents } from '../sources/calendar/outside-events.ts';
import { Poller } from '../sources/calendar/poller.ts';
import { calendarWatchLoops } from '../sources/calendar/watch-loops.ts';
import type { FeedWatch } from '../sources/feed/feed-watch.ts';
import { RefusedWatch } from '../sources/webhook/refused-watch.ts';
import type { WebhookRouteParts } from '../sources/webhook/route.ts';
import { SecretWatch } from '../sources/webhook/secret-watch.ts';
import { testedKeeper } from '../sources/webhook/tested-keeper.ts';
import type { WakeAll } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import type { Core } from './core.ts';
import { calendarCoverage } from './coverage.ts';
import { bookingDropDowns } from './drop-downs.ts';

/** What has to be right so that the platform's deliveries are taken. */
export interface WebhookWatches {
  readonly refused: RefusedWatch;
  readonly secrets: SecretWatch;
}

export function openWebhookWatches({ config, store, log }: Core): WebhookWatches {
  const { problems } = store;
  return {
    refused: new RefusedWatch({ problems, clock: steadyClock }),
    secrets: new SecretWatch({ webhook: config.platform.webhook, problems, log }),
  };
}

/** What the webhook route needs. */
export function webhookParts(
  core: Core,
  { watch, refused, secrets }: WebhookWatches & { readonly watch: FeedWatch },
): WebhookRouteParts {
  const { config, store, intake, rush, backlog, clock, log, meter } = core;
  const { webhook } = config.platform;
  return {
    ...webhook,
    scheme: webhook.signature,
    header: webhook.header.toLowerCase(),
    secrets: () => secrets.read(),
    // Another process's walk may have passed the top of the feed before this delivery.
    ringDoorbell: () => watch.ring({ insisting: true }),
    onTest: testedKeeper(store.memory),
    onVerdict: (verdict: string) => refused.saw(verdict),
    ...{ intake, rush, backlog, clock, log, meter },
  };
}

/** Watches all calendars in which people's changes count. */
export function openCalendarWatch(core: Core) {
  const { config, store, remotes, intake, queues, mark, clock, log, meter } = core;
  const { cursors, channels: channelStore, ids: calendars, ...polled } = calendarCoverage(config, store);
  const { address, pace, accountOf } = polled;
  const isCurrent = () => mark.isCurrent();
  const mappings = ofKind(config.bookings, 'calendar');
  const bookings = { mappings, intake, view: store.ledger, cursors, clock };
  const watch = new CalendarWatch({
    ...{ api: remotes.calendarWatch, pollApi: remotes.calendarPolls, quotas: store.budget },
    ...{ cursors, sightings: store.sightings, leases: store.leases, intake, queue: queues.objects },
    listeners: mappings.length === 0 ? [] : [watchOutsideEvents(bookings)],
    ...config.google.watch,
    ...{ calendars, isCurrent, clock, log, meter },
  });
  const poller = new Poller({ cursors, channels: channelStore, calendars, ...polled, watch, clock });
  const channels = new Channels({
    ...{ api: remotes.calendarWatch, channels: channelStore, problems: store.problems },
    calendars: address === undefined ? [] : calendars,
    ...{ address, ttlMs: config.google.watch.channelTtlMs, clock, log },
  });
  return calendarWatchLoops({
    ...{ watch, poller, channels, calendars, accountOf, pollEveryMs: pace.everyMs },
    api: remotes.calendarWatch,
    ...{ cursors, channelStore, leases: store.leases, isCurrent, clock, log, meter },
  });
}

/** Finds bookings that people make outside calendars. */
export function bookingSources(core: Core, wakeAll: WakeAll): readonly Part[] {
  return [bookingSheetPolls(core, wakeAll), ...bookingDropDowns(core)];
}

function bookingSheetPolls(core: Core, wakeAll: WakeAll): Part {
  const { config, store, remotes, intake, queues, mark, clock, log } = core;
  const mappings = ofKind(config.bookings, 'sheet');
  const { outbox, sheetRows } = store.rowsWith(queues.objects);
  const sheets = new BookingSheets({
    ...{ mappings, intake, clock, log },
    // Noticing typed rows a little later does less harm than showing mirror work late.
    api: remotes.sheetsFor('catch-up'),
    tabs: new RememberedTabs(store.memory),
    ...{ memory: store.memory, view: store.ledger, reader: remotes.platform.reader },
    ...{ isAnswer: isAppointmentWord, originMark: ORIGIN_MARK },
    ...{ rows: sheetRows, register: store.rowRegister, outbox, problems: store.problems },
    placeOf: (mapping) => {
      const { name: mirror, spreadsheetId, tab } = answerTab(mapping);
      return { mirror, spreadsheetId, tab };
    },
  });
  const parts = {
    ...config.worker,
    ...{ mappings, sheets, leases: store.leases, quotas: store.budget },
    isCurrent: () => mark.isCurrent(),
    ...{ wakeAll, clock, log },
  };
  return { name: 'booking sheets', run: (signal) => pollBookingSheets(parts, signal) };
}
