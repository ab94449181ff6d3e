import { openBlockDesk } from '../calendar/block-desk.ts';
import { blockPollLoop } from '../calendar/block-poll.ts';
import { blockWriter, bookingsIn, createBlockTarget, createBlockWaker } from '../calendar/block-target.ts';
import { CalendarWatch, calendarWatchLoops, Poller } from '../calendar/calendar-watch.ts';
import { Channels } from '../calendar/channels.ts';
import { createGuests } from '../calendar/class-guests.ts';
import {
  createClassReader,
  createClassTarget,
  createClassWaker,
  type MemberParts,
  mirrorOfClasses,
  overbookedNote,
  whereHash,
} from '../calendar/class-target.ts';
import { watchOutsideEvents } from '../calendar/outside-events.ts';
import { createEditedMirrors, createEventCarrier } from '../calendar/staff-edits.ts';
import type { CalendarTargetParts } from '../calendar/target.ts';
import { CLASS_WORDS, isAppointmentWord, refusalText } from '../engine/booking-answer.ts';
import type { AnswerPlace, EditCarrier, RowEditRules } from '../engine/carriers.ts';
import { EditGuard, type HeldRows } from '../engine/edit-guard.ts';
import { createRowTimes } from '../engine/extract-booking.ts';
import { bootId } from '../engine/folder-lock.ts';
import type { ClassReader, Handler, MirrorTarget, WorkQueue } from '../engine/handler.ts';
import { type CalendarMirror, filtersByCustomer, ofKind } from '../engine/mirror.ts';
import { ORIGIN_MARK } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { BookingSource } from '../engine/outside-booking.ts';
import type { DirectorySource } from '../engine/platform.ts';
import { carriersInTurn } from '../engine/reconcile.ts';
import { everyCalendar, forgottenTime } from '../engine/redis-lost.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { type BookingSubmitter, createBookingSubmitter } from '../engine/submitter.ts';
import { every, type Part, type WakeAll } from '../engine/supervisor.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import { createCalendarEvents, createEventAnswers } from '../google/calendar-events.ts';
import { isCalendarDenied } from '../google/errors.ts';
import type { CustomerOf } from '../mapping/filter-lines.ts';
import { carryingMirrors, isNamedIn } from '../mapping/needs.ts';
import { createBookingTemplates } from '../mapping/phone-filter.ts';
import { createContactWriter, createCustomerCards, createPlatformWriter } from '../platform/client.ts';
import { pollBookingSheets } from '../sheet/booking-poll-loop.ts';
import { BookingSheets } from '../sheet/booking-sheets.ts';
import { createAppointmentRules, createContactRules, createRowEditCarrier } from '../sheet/carrier.ts';
import { DropDowns } from '../sheet/drop-downs.ts';
import { createUpcoming } from '../sheet/edited-rows.ts';
import { answerTab, createRowAnswers } from '../sheet/known-rows.ts';
import { offeredNames } from '../sheet/list-tab.ts';
import { RememberedTabs } from '../sheet/tab-survey.ts';
import type { SheetZones } from '../sheet/typed-cell.ts';
import { classRules } from './class-rules.ts';
import type { Core } from './core.ts';
import type { Remotes } from './remotes.ts';
import { calendarCoverage } from './stored-status.ts';
import type { Store } from './stores.ts';

export function openSubmitter(parts: {
  readonly store: Pick<Store, 'intents' | 'leases'>;
  readonly remotes: Pick<Remotes, 'platform'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  readonly log: Log;
}): BookingSubmitter {
  const { store, remotes, directory, clock, log } = parts;
  return createBookingSubmitter({
    writer: createPlatformWriter(remotes.platform),
    cards: createCustomerCards(remotes.platform),
    ...{ intents: store.intents, leases: store.leases, directory, clock, log },
  });
}

export function openEditGuard({
  store,
  remotes,
  clock,
}: Pick<Core, 'store' | 'remotes' | 'clock'>): EditGuard {
  const { tally, memory } = store;
  return new EditGuard({ tally, memory, events: createCalendarEvents(remotes.calendarFor('live')), clock });
}

interface EventParts {
  readonly submitter: BookingSubmitter;
  readonly guard: EditGuard;
  readonly holds: HeldRows;
  readonly customerOf: CustomerOf;
}

export function openEditCarrier(core: Core, parts: EventParts): EditCarrier {
  const { config, store, remotes, clock, log } = core;
  const { holds } = parts;
  const carriers = (rules: RowEditRules) =>
    createRowEditCarrier({
      mirrors: new Map(carryingMirrors(config).map(({ name, carry }) => [name, carry])),
      ...{ rules, reader: remotes.platform.reader },
      ...{ work: store.work, edits: store.rowEdits, holds, history: store.history, clock, log },
    });
  return carriersInTurn({
    contactRows: carriers(createContactRules(createContactWriter(remotes.platform))),
    appointmentRows: carriers(openAppointmentRules(core, parts)),
    events: openEventCarrier(core, parts),
  });
}

function openAppointmentRules(
  { config, store, directory, clock }: Core,
  { submitter, guard }: EventParts,
): RowEditRules {
  const told = {
    ...config.worker,
    zone: 'UTC',
    resourceName: (id: string) => directory.current().resources.get(id)?.name,
  };
  return createAppointmentRules({
    ...{ submitter, guard },
    refusalText: (refusal) => refusalText(refusal, told),
    upcoming: createUpcoming({ mirrors: carryingMirrors(config), sheetRows: store.sheetRows, clock }),
  });
}

/** Covers all calendar mirrors of the YAML. */
function openEventCarrier(core: Core, { submitter, guard, customerOf }: EventParts): EditCarrier {
  const { config, store, remotes, directory, calendars, clock, log, meter } = core;
  return createEventCarrier({
    ...config.worker,
    bookings: config.bookings,
    mirrorsFor: createEditedMirrors({
      mirrors: ofKind(config.mirrors, 'calendar'),
      calendarsOf: (mirror) => calendars.calendarsOf(mirror),
      ...{ customerOf, directory, clock },
    }),
    events: createCalendarEvents(remotes.calendarFor('live'), () => everyCalendar(store.memory)),
    reader: remotes.platform.reader,
    classes: openClassReader(core),
    ...{ work: store.work, links: store.links, history: store.history, memory: store.memory },
    erased: store.erasures,
    forgotten: () => forgottenTime({ memory: store.memory, redisRun: () => store.redisRun(), clock }),
    ...{ submitter, directory, guard, clock, log, meter },
    machine: bootId(),
    isNamed: isNamedIn(config),
    isCalendarDenied: isCalendarDenied,
  });
}

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
    listeners: [watchOutsideEvents(bookings)],
    ...config.google.watch,
    ...{ calendars, isCurrent, clock, log, meter },
  });
  const poller = new Poller({ cursors, channels: channelStore, calendars, ...polled, watch, clock });
  const channels = new Channels({
    ...{ api: remotes.calendarWatch, channels: channelStore, problems: store.problems },
    calendars: address === undefined ? [] : calendars,
    ...{ address, ttlMs: config.google.watch.channelTtlMs, clock, log },
  });
  const ears = remotes.listen({
    ...{ calendars, leases: store.leases, isCurrent, log },
    ring: async (calendarId) => {
      const ping = await cursors.pinged(calendarId, clock.now());
      watch.wake(calendarId, ping, { settleMs: 0 });
    },
  });
  return calendarWatchLoops({
    ...{ watch, poller, channels, calendars, accountOf, pollEveryMs: pace.everyMs, ears },
    api: remotes.calendarWatch,
    ...{ cursors, channelStore, leases: store.leases, isCurrent, clock, log, meter },
  });
}

/** Finds bookings that people make outside calendars. */
export function bookingSources(core: Core, wakeAll: WakeAll): readonly Part[] {
  return [bookingSheetPolls(core, wakeAll), ...bookingDropDowns(core)];
}

/** Where the author of a booking of this entry reads the answer. */
export function placeOfAnswers(
  { queues, store, clock }: Pick<Core, 'queues' | 'store' | 'clock'>,
  mapping: BookingSource,
  parts: { readonly api: CalendarApi; readonly outbox: Outbox; readonly zones: SheetZones },
): AnswerPlace {
  const { api, outbox, zones } = parts;
  switch (mapping.kind) {
    case 'sheet':
      return createRowAnswers({
        ...{ mapping, outbox, waker: queues.waker, zones, view: store.ledger, clock },
        rows: store.rowsWith(queues.objects).sheetRows,
      });
    case 'calendar':
      return createEventAnswers(api, { refusedColorId: mapping.refusedColorId });
  }
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
    guard: openEditGuard(core),
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

/** One handler keeps blocks in step with private events. The other reacts to appointments of people who have blocks. */
export function openBlockHandlers(core: Core): readonly Handler[] {
  const { config, store, remotes, directory, queues, clock, log } = core;
  const rules = config.blocks;
  if (rules.length === 0) return [];
  const { intents, memory, problems, dirtyMarks } = store;
  return [
    createBlockTarget({
      ...{ rules, writer: writerOf(remotes), intents, directory, memory, problems, clock, log },
    }),
    createBlockWaker({ rules, directory, view: store.ledger, dirtyMarks, queue: queues.objects, clock }),
  ];
}

/** Reads private calendars. */
export function blockPolls(core: Core, wakeAll: WakeAll): Part {
  const { config, store, remotes, directory, intake, mark, clock, log } = core;
  const { memory, problems, leases } = store;
  return blockPollLoop({
    ...{ rules: config.blocks, calendars: remotes.busyEvents, directory, intake, view: store.ledger },
    ...{ memory, problems, leases, wakeAll, clock, log },
    isCurrent: () => mark.isCurrent(),
    bookingsIn: bookingsIn(ofKind(config.bookings, 'calendar')),
  });
}

/** What operator commands read and cancel of blocks. */
export function blockDeskOf({
  config,
  store,
  remotes,
  directory,
  clock,
}: Pick<Core, 'config' | 'store' | 'remotes' | 'directory' | 'clock'>) {
  const { intents, memory, known, deadLetters } = store;
  return openBlockDesk({
    ...{ rules: config.blocks, calendars: remotes.busyEvents, directory, view: store.ledger },
    ...{ writer: writerOf(remotes), intents, memory, known, deadLetters, clock },
    bookingsIn: bookingsIn(ofKind(config.bookings, 'calendar')),
  });
}

/** Ranks as `walk`, so that bookings and mirrors go first: a first start books hundreds of blocks. */
function writerOf({ platform }: Pick<Remotes, 'platform'>) {
  return blockWriter(createPlatformWriter(platform, 'walk'));
}

type Parts = Pick<Core, 'config' | 'store' | 'directory' | 'calendars' | 'clock'>;

/** Reacts to appointments, including those whose service was a class before the YAML was edited. */
export function classHandlers(core: Core): readonly Handler[] {
  const { store, directory, intake, clock } = core;
  return [createClassWaker({ rules: classRules(core.config), links: store.links, directory, intake, clock })];
}

export function openClassReader(parts: {
  readonly remotes: Pick<Remotes, 'platform'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
}): ClassReader {
  return createClassReader({ ...parts, reader: parts.remotes.platform.reader });
}

export function memberParts(parts: Parts, mirror: CalendarMirror): MemberParts {
  const { store, directory, calendars } = parts;
  return { mirror, directory, view: store.ledger, resolved: () => calendars.calendarsOf(mirror) };
}

/** Every calendar mirror has one. After an edit of the YAML, it hands former classes back to their appointments. */
export function classTarget(
  parts: Parts & { readonly queue: WorkQueue; readonly customerOf: CustomerOf },
  mirror: CalendarMirror,
  targetOf: (
    mirror: CalendarMirror,
    about: Pick<CalendarTargetParts, 'noteAbout' | 'takenBy' | 'moreGuests'>,
  ) => MirrorTarget,
): MirrorTarget {
  const { config, store, queue, clock } = parts;
  const { links, dirtyMarks, problems, erasures: erased } = store;
  const { overbooked, moreGuests } = CLASS_WORDS[config.worker.language];
  const noteAbout = overbookedNote(overbooked);
  const inner = targetOf(mirrorOfClasses(mirror), {
    ...{ noteAbout, moreGuests, takenBy: whereHash(mirror.where) },
  });
  const { guests } = mirror.classes ?? {};
  const { customerOf, directory } = parts;
  return createClassTarget(inner, {
    ...{ ...memberParts(parts, mirror), links, dirtyMarks, queue, problems, clock },
    ...(filtersByCustomer([mirror]) && { customerOf }),
    ...(guests !== undefined && { guestsOf: createGuests(guests, { erased, customerOf, directory }) }),
  });
}
