import { CalendarWatch } from '../calendar/watch/calendar-watch.ts';
import { Channels } from '../calendar/watch/channels.ts';
import { watchOutsideEvents } from '../calendar/watch/outside-events.ts';
import { Poller } from '../calendar/watch/poller.ts';
import { calendarWatchLoops } from '../calendar/watch/watch-loops.ts';
import { ofKind } from '../engine/domain/mirror.ts';
import { every, type WakeAll } from '../engine/loops.ts';
import { createRowTimes } from '../engine/outside/row-times.ts';
import { ORIGIN_MARK } from '../engine/submit/request.ts';
import type { Part } from '../engine/supervisor.ts';
import { isAppointmentWord } from '../engine/words/outside-words.ts';
import { createBookingTemplates } from '../mapping/render/booking-templates.ts';
import { createPlatformWriter } from '../platform/writer.ts';
import { BookingSheets } from '../sheet/bookings/booking-sheets.ts';
import { pollBookingSheets } from '../sheet/bookings/poll-loop.ts';
import { DropDowns } from '../sheet/drop-downs/drop-downs.ts';
import { offeredNames } from '../sheet/drop-downs/offered-names.ts';
import { RememberedTabs } from '../sheet/tab/tab-memory.ts';
import { answerTab } from '../sheet/target/answers.ts';
import type { Core } from './core.ts';
import { calendarCoverage } from './coverage.ts';

/** Watches all calendars in which people's changes count. */
export function openCalendarWatch(core: Core) {
  const { config, store, remotes, intake, queues, mark, clock, log, meter } = core;
  const { cursors, channels: channelStore, ids: calendars, ...polled } = calendarCoverage(config, store);
  const { address, pace, accountOf } = polled;
  const isCurrent = () => mark.isCurrent();
  const mappings = ofKind(config.bookings, 'calendar');
  const bookings = { mappings, intake, view: store.ledger, cursors, memory: store.memory, clock };
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

/** How often the worker checks whether drop-downs are due. */
const LOOK_EVERY_MS = 15_000;

/** Keeps the drop-downs of booking sheets, and removes them once the setting is gone. */
function bookingDropDowns(core: Core): readonly Part[] {
  const { config, store, remotes, directory, mark, clock, log } = core;
  const mappings = ofKind(config.bookings, 'sheet');
  if (mappings.length === 0) return [];
  const ofBlocks = config.blocks.map(({ service }) => service);
  const dropDowns = new DropDowns({
    ...{ mappings, installation: config.redis.prefix },
    // All live work goes first on both sides, because nothing waits for a suggestion.
    api: remotes.sheetsFor('list'),
    tabs: new RememberedTabs(store.memory),
    names: () => offeredNames(directory.current(), ofBlocks),
    times: createRowTimes({
      ...{ writer: createPlatformWriter(remotes.platform, 'walk'), directory, clock },
      templatesOf: ({ region }) =>
        createBookingTemplates({
          region,
          serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
        }),
    }),
    ...{ isAnswer: isAppointmentWord, memory: store.memory, leases: store.leases },
    ...{ problems: store.problems, clock, log },
  });
  const look = async (signal: AbortSignal) => {
    if (await mark.isCurrent()) await dropDowns.look(signal);
  };
  return [every({ name: 'drop-downs', everyMs: LOOK_EVERY_MS, log }, look)];
}
