import { CalendarNotes } from '../calendar/calendar-notes.ts';
import type { CalendarWatchLoops } from '../calendar/calendar-watch.ts';
import { withoutMembers } from '../calendar/class-target.ts';
import { createClassFeedHandler, createFeedHandler, icalendar } from '../calendar/feed-handler.ts';
import { calendarPlaces } from '../calendar/route.ts';
import { createSeriesInstances } from '../calendar/series-instances.ts';
import { FEED_PATH, isFeedSecret, isSameSecret } from '../calendar/stores.ts';
import { type CalendarTargetParts, createCalendarTarget } from '../calendar/target.ts';
import { markedEvents } from '../calendar/wanted.ts';
import { createBookingTarget } from '../engine/booking-turn.ts';
import type { BookingGuard } from '../engine/booking-turn-parts.ts';
import { boot } from '../engine/boot.ts';
import { type EditGuard, HeldRows } from '../engine/edit-guard.ts';
import type { Handler, MirrorTarget, WorkQueue } from '../engine/handler.ts';
import type { Lease } from '../engine/leases.ts';
import {
  type CalendarMirror,
  filtersByCustomer,
  followsCustomers,
  type Mirror,
  type MirrorPlaces,
  ofKind,
} from '../engine/mirror.ts';
import { isResource } from '../engine/object.ts';
import {
  BookedTwiceSearch,
  createAnswerWaker,
  createBookedTwice,
  createUnjudgedRows,
  eventOrigins,
  feedWithoutBlocks,
  isHiddenBy,
  withoutBlocks,
} from '../engine/origin.ts';
import type { FlushWaker, Outbox } from '../engine/outbox.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import { MirrorBreaker, type ReconcileParts, reconciler } from '../engine/reconcile.ts';
import { forgottenTime, restartWatch } from '../engine/redis-lost.ts';
import { steadyClock } from '../engine/runtime.ts';
import type { BookingSubmitter } from '../engine/submitter.ts';
import { every, type Part, type Supervisor, WakeAll } from '../engine/supervisor.ts';
import { runSweep, startTakeover } from '../engine/sweep.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import {
  type CustomerOf,
  createCustomers,
  createCustomerWaker,
  withCustomer,
} from '../mapping/filter-lines.ts';
import { carryingMirrors, isNamedIn } from '../mapping/needs.ts';
import { createBookingTemplates } from '../mapping/phone-filter.ts';
import { formatPath } from '../mapping/problem.ts';
import { shownElsewhere } from '../mapping/route.ts';
import type { ActualParts } from '../operate/audit.ts';
import { feedRoute } from '../operate/http-server.ts';
import { noteRounds } from '../operate/note-round.ts';
import type { StatusSource } from '../operate/status.ts';
import { statusText } from '../operate/status-tab/text.ts';
import type { FeedWatch } from '../platform/feed-watch.ts';
import { BlankRows } from '../sheet/blank-rows.ts';
import { CarriedRows } from '../sheet/carried-rows.ts';
import { SheetChecker } from '../sheet/check.ts';
import { watchSheets } from '../sheet/check-loop.ts';
import { createSheetFlusher, flushHandler } from '../sheet/flush.ts';
import { answerTab } from '../sheet/known-rows.ts';
import { LateDoubles } from '../sheet/late-doubles.ts';
import { StatusTabs } from '../sheet/status-tabs.ts';
import { placesOf, RememberedTabs, TabSurvey } from '../sheet/tab-survey.ts';
import { createSheetTarget, sheetPlaces } from '../sheet/target.ts';
import { SheetZones } from '../sheet/typed-cell.ts';
import { classRules } from './class-rules.ts';
import { type Core, spreadsheetsOf } from './core.ts';
import { forgetDeleted } from './forgetting.ts';
import type { Store } from './stores.ts';
import { openUpkeep } from './upkeep.ts';
import type { WebhookWatches } from './webhooks.ts';
import {
  blockPolls,
  bookingSources,
  classHandlers,
  classTarget,
  memberParts,
  openBlockHandlers,
  openClassReader,
  openEditCarrier,
  openEditGuard,
  openSubmitter,
  placeOfAnswers,
} from './wishes.ts';

/** How often the worker checks whether webhooks are still refused. */
const REFUSED_LOOK_EVERY_MS = 60_000;

interface WorkParts {
  readonly supervisor: Supervisor;
  readonly watch: FeedWatch;
  readonly calendarWatch: CalendarWatchLoops;
  readonly webhooks: WebhookWatches;
  readonly onNamesResolved: () => void;
  readonly status: StatusSource;
}

/** Boots, then starts the handlers and everything that runs beside them. */
export function workPart(core: Core, parts: WorkParts): Part {
  const { store, queues, mark, log } = core;
  const { supervisor, watch, calendarWatch, webhooks, onNamesResolved } = parts;
  const submitter = openSubmitter(core);
  const guard = openEditGuard(core);
  const holds = openHeldRows(core);
  const customerOf = openCustomers(core);
  const targets = createTargets({ ...core, guard, customerOf, waker: queues.waker, queue: queues.objects });
  const before = openBookingHandlers(core, { ...targets, submitter, guard, holds });
  const after = [
    ...classHandlers(core),
    ...customerHandlers(core),
    createUnjudgedRows({ mappings: core.config.bookings, intake: core.intake, clock: core.clock }),
    ...(core.config.bookings.length > 0 ? [createBookedTwice({ ...store, view: store.ledger })] : []),
    ...feedHandlers(core, customerOf),
    ...openBlockHandlers(core),
    ...forgetDeleted(core),
  ];
  const upkeep = openUpkeep(core, targets.marked);
  const wakeAll = new WakeAll();
  const wakeAllSources = (): void => {
    queues.forgetTurns();
    watch.wake({ insisting: true });
    calendarWatch.lookAtAll();
    wakeAll.call();
  };
  return {
    name: 'work',
    async run(signal) {
      const redisRun = () => store.redisRun();
      // Take over first: a dead process may hold a turn that the boot needs.
      const takeover = await startTakeover({ processes: store.processes, queues, log }, signal);
      const booted = await boot({ ...upkeep, mark, redisRun, onNamesResolved, log }, signal);
      if (booted === undefined) return takeover.rest;
      startTurns(core, {
        supervisor,
        targets,
        handlers: [...before, ...targets.mirrors, ...after],
        late: [...before, ...targets.mirrorsOf('catch-up'), ...after],
        editCarrier: openEditCarrier(core, { submitter, guard, holds, customerOf }),
      });
      const started: readonly Part[] = [
        every({ name: 'feed bell', everyMs: core.config.platform.feed.everyMs, log }, async () =>
          watch.wake(),
        ),
        restartWatch({
          redisRun,
          knownRun: booted.redisRun,
          adopt: upkeep.adopt,
          lookAtAll: wakeAllSources,
          log,
        }),
        sweeps(core),
        heldRowsPart(core, holds),
        ...upkeep.parts(wakeAllSources),
        sheetChecks(core, { targets, wakeAll }),
        ...statusTabs(core, { zones: targets.zones, status: parts.status }),
        calendarNotes(core, { status: parts.status }),
        every({ name: 'refused webhooks', everyMs: REFUSED_LOOK_EVERY_MS, log }, () =>
          Promise.all([webhooks.refused.look(), webhooks.secrets.look()]),
        ),
        ...bookedTwiceSearches(core),
        ...bookingSources(core, wakeAll),
        feedUpkeep(core),
        blockPolls(core, wakeAll),
        calendarWatch,
      ];
      for (const part of started) supervisor.start(part);
      await Promise.all([takeover.rest, booted.adopting]);
    },
  };
}

interface BookingParts extends Pick<Targets, 'outbox' | 'zones'> {
  readonly submitter: BookingSubmitter;
  readonly guard: BookingGuard;
  readonly holds: HeldRows;
}

/** One handler per entry of `bookings`, plus one that gives a booking a turn when its appointment changes. */
function openBookingHandlers(core: Core, parts: BookingParts): readonly Handler[] {
  const { config, store, remotes, directory, intake, queues, clock, log, meter } = core;
  const { submitter, guard, holds } = parts;
  const api = remotes.calendarFor('live');
  const entries = ofKind(config.bookings, 'calendar');
  const instances = createSeriesInstances({
    ...{ api, mappings: entries, intake, view: store.ledger, clock },
    sight: {
      ...{ sightings: store.sightings, cursors: store.calendars },
      ...{ intake, queue: queues.objects, clock, meter },
    },
  });
  const handlers = config.bookings.map((mapping) =>
    createBookingTarget({
      ...{ mapping, entries, submitter, guard, holds, directory, intake, instances, clock, log, meter },
      ...{ view: store.ledger, links: store.links, history: store.history },
      resourceAt: resourceAt(core),
      events: createCalendarEvents(api),
      templates: createBookingTemplates({
        region: mapping.region,
        serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
      }),
      place: placeOfAnswers(core, mapping, { ...parts, api }),
      reader: remotes.platform.reader,
    }),
  );
  const withInvitations = entries.some(({ when }) => when.organizers);
  if (entries.length === config.bookings.length && !withInvitations) return handlers;
  return [
    ...handlers,
    createAnswerWaker({ dirtyMarks: store.dirtyMarks, queue: queues.objects, withInvitations }),
  ];
}

/** The resource that owns the calendar. Undefined when no resource does, or when several share it. */
function resourceAt({ config, calendars }: Core) {
  return (calendarId: string): string | undefined => {
    const found = ofKind(config.mirrors, 'calendar').flatMap((mirror) =>
      [...calendars.calendarsOf(mirror)].flatMap(([subject, id]) =>
        isResource(subject) && id.toLowerCase() === calendarId.toLowerCase() ? [subject] : [],
      ),
    );
    return new Set(found).size === 1 ? found[0] : undefined;
  };
}

/** How often the worker checks whether a note has to change. */
const LOOK_EVERY_MS = 30_000;

/** Keeps the notes of `worker.calendar_note`. Without that setting, it removes notes that an earlier worker left. */
function calendarNotes(core: Core, { status }: { readonly status: StatusSource }): Part {
  const { config, store, remotes, calendars, mark, clock, log } = core;
  const { calendarNoteMs: afterMs, language } = config.worker;
  const mirrors = ofKind(config.mirrors, 'calendar');
  const notes = new CalendarNotes({
    // All live work goes first, because it needs the budget more.
    api: remotes.calendarFor('list'),
    installation: config.redis.prefix,
    calendars:
      afterMs === undefined ? [] : mirrors.flatMap((each) => each.calendars.map((c) => c.calendarId)),
    read: noteRounds({
      ...{ status, deadLetters: store.deadLetters, mirrors, afterMs, language },
      pendingBefore: (atMs, limit) => store.ledger.pendingBefore(atMs, limit),
      ...{ calendarsOf: (mirror) => calendars.calendarsOf(mirror), clock, steady: steadyClock },
    }),
    ...{ memory: store.memory, leases: store.leases, clock, steady: steadyClock, log },
  });
  return every({ name: 'calendar notes', everyMs: LOOK_EVERY_MS, log }, async (signal) => {
    // A worker with an outdated mapping may know other calendars.
    if (await mark.isCurrent()) await notes.look(signal);
  });
}

/** Looks up the customers of appointments, and keeps what the worker learns about a contact. */
function openCustomers({ store, remotes, intake, clock }: Core): CustomerOf {
  return createCustomers({
    view: store.ledger,
    reader: remotes.platform.reader,
    worker: { appointments: store.customerAppointments, intake, clock },
  });
}

/** Empty unless a mirror or feed depends on the customer. */
function customerHandlers({ config, store, queues }: Core): readonly Handler[] {
  if (!followsCustomers([...config.mirrors, ...config.feeds])) return [];
  const { customerAppointments: appointments, dirtyMarks } = store;
  return [createCustomerWaker({ appointments, dirtyMarks, queue: queues.objects })];
}

/** How often the worker checks whether another Redis may have booked what this one does not know. */
const BOOKED_TWICE_LOOK_EVERY_MS = 5_000;

function bookedTwiceSearches({ config, remotes, store, clock, log }: Core): readonly Part[] {
  const books = config.bookings.length > 0;
  const carries = ofKind(config.mirrors, 'calendar').length > 0 || carryingMirrors(config).length > 0;
  if (!books && !carries) return [];
  const { problems, memory } = store;
  const search = new BookedTwiceSearch({
    ...{ problems, memory, clock, ...(books && { reader: remotes.platform.reader }) },
    redisRun: () => store.redisRun(),
  });
  return [every({ name: 'doubles', everyMs: BOOKED_TWICE_LOOK_EVERY_MS, log }, () => search.look())];
}

/** How soon a person's verdict about held rows is carried out. */
const HELD_LOOK_EVERY_MS = 5_000;

function openHeldRows({ store, queues, clock }: Pick<Core, 'store' | 'queues' | 'clock'>): HeldRows {
  const { memory, tally, problems, dirtyMarks, ledger: view } = store;
  return new HeldRows({ memory, tally, problems, view, dirtyMarks, queue: queues.objects, clock });
}

function heldRowsPart({ log }: Pick<Core, 'log'>, holds: HeldRows): Part {
  return every({ name: 'held rows', everyMs: HELD_LOOK_EVERY_MS, log }, () => holds.look());
}

/** How often the worker checks whether a status tab has to change. */
const STATUS_TABS_LOOK_EVERY_MS = 15_000;

/** Keeps the tab of `worker.status_tab` in every spreadsheet; empty without that setting. */
function statusTabs(
  core: Core,
  { zones, status }: { readonly zones: SheetZones; readonly status: StatusSource },
): readonly Part[] {
  const { config, store, remotes, mark, clock, log } = core;
  const { statusTab: title, language } = config.worker;
  if (title === undefined) return [];
  const places = [
    ...ofKind(config.mirrors, 'sheet').flatMap((mirror) => placesOf(mirror)),
    ...ofKind(config.bookings, 'sheet'),
  ];
  const named = [
    ...ofKind(config.mirrors, 'sheet').map((mirror) => ({ of: 'mirror' as const, ...mirror })),
    ...ofKind(config.bookings, 'sheet').map((entry) => ({ of: 'booking sheet' as const, ...entry })),
  ];
  const tabsOf = (spreadsheetId: string) => [
    ...new Set(places.flatMap((place) => (place.spreadsheetId === spreadsheetId ? [place.tab] : []))),
  ];
  const tabs = new StatusTabs({
    ...{ title, installation: config.redis.prefix, spreadsheets: spreadsheetsOf(config) },
    async read() {
      const report = await status.read();
      return (spreadsheetId, zone) =>
        statusText(report, { spreadsheetId, tabs: tabsOf(spreadsheetId), named, zone, language });
    },
    // All live work goes first, because it needs the budget more.
    api: remotes.sheetsFor('list'),
    ...{ zones, memory: store.memory, leases: store.leases, problems: store.problems, clock, log },
  });
  const look = async (signal: AbortSignal) => {
    // A worker with an outdated mapping may know other tabs.
    if (await mark.isCurrent()) await tabs.look(signal);
  };
  return [every({ name: 'status tabs', everyMs: STATUS_TABS_LOOK_EVERY_MS, log }, look)];
}

/** Extra time for the queues to abandon their handlers. A handler may be in a call to Google that takes minutes. */
const HANDLERS_LEFT_MS = 500;

/** The handlers of both queues. */
function startTurns(
  core: Core,
  parts: { readonly supervisor: Supervisor; readonly targets: Targets } & Pick<
    ReconcileParts,
    'handlers' | 'late' | 'editCarrier'
  >,
): void {
  const { config, store, remotes, queues, mark, clock, log, meter } = core;
  const { handlers, late, editCarrier } = parts;
  const breaker = openBreaker(core);
  const turn = {
    ...config.worker,
    ...{ work: store.work, marks: mark.hashes, history: store.history, reader: remotes.platform.reader },
    ...{ classes: openClassReader(core), editCarrier, handlers, late, clock, log, meter },
    breaker,
  };
  const flush = flushHandler({
    ...config.worker,
    ...{ leases: store.leases, flusher: parts.targets.flusher, log },
    ...{ clock: steadyClock, stopping: parts.supervisor.signal },
  });
  const reconcile = core.tracing?.turns(reconciler(turn)) ?? reconciler(turn);
  const work = { reconcile, flush, isCurrent: mark.isCurrent };
  const handling: Part = { name: 'handlers', run: (signal) => queues.work(work, signal) };
  parts.supervisor.start(handling, config.worker.shutdownMs + HANDLERS_LEFT_MS);
  parts.supervisor.start(
    every({ name: 'stopped mirrors', everyMs: STOPPED_LOOK_EVERY_MS, log }, () => breaker.tryWaiting()),
  );
}

/** How often the worker checks whether objects of a stopped mirror may try. */
const STOPPED_LOOK_EVERY_MS = 5_000;

function openBreaker({ config, store, queues, clock, log }: Core): MirrorBreaker {
  const placeOf = (path: readonly string[]) => {
    const line = config.lines?.lineOf(path);
    return line === undefined ? formatPath(path) : `${formatPath(path)}, line ${line}`;
  };
  const mirrors = config.mirrors.map(({ name }) => name);
  return new MirrorBreaker({
    ...{
      mirrors,
      placeOf,
      problems: store.problems,
      putOff: store.putOff,
      queue: queues.objects,
      clock,
      log,
    },
  });
}

/** Finds due work that no waker announced. */
function sweeps({ config, store, queues, clock, wasSetBack, log }: Core): Part {
  const { work, later, putOff, outbox } = store;
  const parts = {
    ...config.worker,
    ...{ work, later, putOff, outbox, queue: queues.objects, waker: queues.waker, clock, wasSetBack, log },
    promoteDelayed: () => queues.promoteDelayed(),
    delayedUntilMs: () => putOff.delayedUntilMs(queues.delayedKey),
  };
  return { name: 'sweep', run: (signal) => runSweep(parts, signal) };
}

/** Compares every spreadsheet with what the worker wrote, never during a flush. */
function sheetChecks(
  { config, store, mark, clock, log }: Core,
  { targets, wakeAll }: { readonly targets: Targets; readonly wakeAll: WakeAll },
): Part {
  const parts = {
    ...{ mirrors: config.mirrors, leases: store.leases, isCurrent: () => mark.isCurrent(), wakeAll },
    ...{ quotas: store.budget, clock, log },
    check: async (spreadsheetId: string, lease: Lease) => {
      await targets.lateDoubles.takeBack(spreadsheetId, lease);
      await targets.checker.check(spreadsheetId);
      await targets.blankRows.remove(spreadsheetId, lease);
    },
  };
  return { name: 'sheet checks', run: (signal) => watchSheets(parts, signal) };
}

type Targets = ReturnType<typeof createTargets>;

type TargetParts = Pick<
  Core,
  'config' | 'store' | 'remotes' | 'directory' | 'calendars' | 'clock' | 'log' | 'meter' | 'tracing'
> & {
  readonly guard: EditGuard;
  readonly waker: FlushWaker;
  readonly queue: WorkQueue;
  readonly customerOf: CustomerOf;
};

/** One target per mirror of the YAML, plus the flusher that all sheets share. */
export function createTargets(parts: TargetParts) {
  const { config, store, remotes, directory, calendars, waker, queue, guard, clock, log, meter } = parts;
  const rows = store.rowsWith(queue);
  const outbox: Outbox = parts.tracing?.outbox(rows.outbox) ?? rows.outbox;
  const { memory, problems } = store;
  const zones = new SheetZones({ api: remotes.sheets, memory, problems });
  const shared = { directory, clock, log, meter };
  const isNamed = isNamedIn(config);
  const calendarTargetOf =
    (rank: BudgetRank) =>
    (
      mirror: CalendarMirror,
      about: Pick<CalendarTargetParts, 'noteAbout' | 'takenBy' | 'moreGuests'> = {},
    ) => {
      const resolved = calendars.readerOf(mirror);
      const others = ofKind(config.mirrors, 'calendar').filter(({ name }) => name !== mirror.name);
      const elsewhere =
        others.length > 0 &&
        shownElsewhere(
          others.map((each) => ({ ...each, resolved: () => calendars.calendarsOf(each) })),
          { clock, directory },
        );
      const api = remotes.calendarFor(rank);
      const beforePutBack = (key: string, mark: string) => guard.assertNoLoop(key, mark);
      const { bookings } = config;
      const origins = eventOrigins({
        ...{ view: store.ledger, events: createCalendarEvents(api), bookings, mirror: mirror.name },
      });
      const { links, history } = store;
      const own = { mirror, api, links, history, resolved, isNamed, beforePutBack, origins, ...about };
      return createCalendarTarget({ ...shared, ...own, ...elsewhere });
    };
  const isHidden = isHiddenBy(config);
  const targetOf = (mirror: Mirror, rank: BudgetRank): MirrorTarget => {
    switch (mirror.kind) {
      case 'sheet':
        return createSheetTarget({ ...shared, mirror, outbox, waker, zones });
      case 'calendar':
        return withoutMembers(calendarTargetOf(rank)(mirror), memberParts(parts, mirror));
    }
  };
  const actualOf = (mirror: Mirror, { survey, former }: ActualParts): MirrorPlaces => {
    switch (mirror.kind) {
      case 'sheet':
        return sheetPlaces(mirror, { api: remotes.sheetsFor('list'), survey });
      case 'calendar':
        return calendarPlaces(mirror, remotes.calendarFor('list'), former);
    }
  };
  const mirrorsOf = (rank: BudgetRank): readonly MirrorTarget[] => {
    const objects = config.mirrors.map((mirror) => {
      const target = targetOf(mirror, rank);
      // Blocks are hidden first, which saves looking up the lifecycle of the contact they are booked for. A calendar mirror must know what
      // the other calendar mirrors show of the appointment.
      const asked = mirror.kind === 'calendar' ? ofKind(config.mirrors, 'calendar') : [mirror];
      const told = filtersByCustomer(asked) ? withCustomer(target, parts.customerOf) : target;
      return withoutBlocks(told, isHidden);
    });
    const classes = ofKind(config.mirrors, 'calendar').map((mirror) =>
      classTarget(parts, mirror, calendarTargetOf(rank)),
    );
    return [...objects, ...classes];
  };
  return {
    mirrors: mirrorsOf('live'),
    mirrorsOf,
    actualOf,
    outbox,
    zones,
    ...createSheetSide(parts, { ...rows, outbox, stored: rows.outbox, zones }),
    marked: markedEvents(remotes.calendarFor('list'), isNamed),
  };
}

/** Writes the tabs of all mirrors and bookings, and checks that they are still as written. */
function createSheetSide(
  parts: Pick<Core, 'config' | 'store' | 'remotes' | 'clock' | 'log' | 'meter' | 'tracing'>,
  of: Omit<ReturnType<Store['rowsWith']>, 'outbox'> & {
    readonly outbox: Outbox;
    /** The same without traces. */
    readonly stored: ReturnType<Store['rowsWith']>['outbox'];
    readonly zones: SheetZones;
  },
) {
  const { config, store, remotes, clock, log, meter } = parts;
  const { outbox, stored, sheetRows, rowMoves, rowEdits, zones } = of;
  const { problems } = store;
  const tabs = new RememberedTabs(store.memory);
  const survey = new TabSurvey({ api: remotes.sheets, memory: tabs, log });
  const sheetMirrors = ofKind(config.mirrors, 'sheet');
  const carried = new CarriedRows({
    ...{ api: remotes.sheets, mirrors: carryingMirrors(config), shown: sheetRows, edits: rowEdits },
    ...{ overWrites: store.overWrites, memory: store.memory, zones, problems, clock, log },
    forgotten: () => forgottenTime({ memory: store.memory, redisRun: () => store.redisRun(), clock }),
  });
  const plain = createSheetFlusher({
    api: remotes.sheets,
    outbox,
    mirrors: [...sheetMirrors.flatMap(placesOf), ...ofKind(config.bookings, 'sheet').map(answerTab)],
    moves: rowMoves,
    unkept: store.unkept,
    sent: store.sentRows,
    carried,
    ...{ tabs, survey },
    problems,
    clock,
    log,
    meter,
    onRefused: (row, error) => {
      const { code, message, advice } = error;
      const reason = { mirror: row.mirror, code, message, ...(advice === undefined ? {} : { advice }) };
      return stored.refuse(row, { key: row.key, atMs: clock.now(), attempts: 1, reasons: [reason] });
    },
    // The tab is empty now, so rows that were linked into it are gone.
    onTabBegun: (place) => stored.rewriteAll(place),
  });
  const flusher = parts.tracing?.flusher(plain, outbox) ?? plain;
  const checker = new SheetChecker({
    api: remotes.sheets,
    rows: sheetRows,
    unkept: store.unkept,
    mirrors: sheetMirrors,
    ...{ tabs, survey },
    zones,
    problems,
    carried,
    clock,
    log,
  });
  const lateDoubles = new LateDoubles({
    api: remotes.sheets,
    outbox,
    mirrors: sheetMirrors.flatMap(placesOf),
    sent: store.sentRows,
    rows: sheetRows,
    tabs,
    history: store.history,
    ...{ problems, clock, log, meter },
  });
  const blankRows = new BlankRows({
    ...{ api: remotes.sheets, mirrors: sheetMirrors, tabs, problems, clock, log },
    ...{ sent: store.sentRows, overWrites: store.overWrites },
  });
  return { flusher, checker, blankRows, lateDoubles };
}

/** How often the worker renews the expiry of the feeds in the YAML. */
const KEEP_EVERY_MS = 3_600_000;

function feedHandlers(core: Core, customerOf: CustomerOf): readonly Handler[] {
  const { config, store, directory, clock } = core;
  const classes = classRules(config);
  return config.feeds.flatMap((feed) => {
    const asks = filtersByCustomer([feed]);
    const parts = {
      ...{ feed, classes, store: store.feeds, directory, memory: store.memory, clock },
      ...(asks && { customerOf }),
    };
    return [feedWithoutBlocks(createFeedHandler(parts)), createClassFeedHandler(parts)];
  });
}

/** The route of all feeds; empty when the YAML has no feed. */
export function feedRoutes({ config, store }: Core) {
  if (config.feeds.length === 0) return [];
  const feeds = config.feeds.map(({ name }) => name);
  return [
    feedRoute({
      ...{ path: FEED_PATH, feeds, isSecret: isFeedSecret, isSameSecret },
      hashes: () => store.feedLinks.hashes(),
      write: async (feed) => icalendar(feed, await store.feeds.events(feed)),
      nowMs: () => steadyClock.now(),
    }),
  ];
}

function feedUpkeep({ config, store, log }: Core): Part {
  const names = config.feeds.map(({ name }) => name);
  return every({ name: 'feeds', everyMs: KEEP_EVERY_MS, log }, () => store.feeds.keep(names));
}
