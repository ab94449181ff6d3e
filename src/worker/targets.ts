import { calendarPlaces } from '../calendar/actual.ts';
import { isHiddenBy, withoutBlocks } from '../calendar/blocks/hidden.ts';
import { withoutMembers } from '../calendar/classes/member.ts';
import { markedEvents } from '../calendar/marks.ts';
import { rankedTarget } from '../calendar/ranked-target.ts';
import { type CalendarTargetParts, createCalendarTarget, type EventOrigins } from '../calendar/target.ts';
import { type CalendarMirror, filtersByCustomer, type Mirror, ofKind } from '../engine/domain/mirror.ts';
import type { EditGuard } from '../engine/edits/guard.ts';
import { entryOf, originLink } from '../engine/outside/origin.ts';
import type { MirrorTarget } from '../engine/ports/handler.ts';
import type { MirrorPlaces } from '../engine/ports/operator.ts';
import type { BudgetRank } from '../engine/ports/quotas.ts';
import type { FlushBell } from '../engine/ports/rows.ts';
import type { WorkQueue } from '../engine/ports/work.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { type CustomerOf, withCustomer } from '../mapping/filter/customers.ts';
import { carryingMirrors, isNamedIn } from '../mapping/needs.ts';
import { shownElsewhere } from '../mapping/route.ts';
import type { ActualParts } from '../operate/audit.ts';
import { CarriedRows } from '../sheet/cells/carried-rows.ts';
import { BlankRows } from '../sheet/check/blank-rows.ts';
import { SheetChecker } from '../sheet/check/check.ts';
import { LateDoubles } from '../sheet/check/late-doubles.ts';
import { createSheetFlusher } from '../sheet/flush/flush.ts';
import { placesOf } from '../sheet/tab/places.ts';
import { RememberedTabs } from '../sheet/tab/tab-memory.ts';
import { sheetPlaces } from '../sheet/target/actual.ts';
import { answerTab } from '../sheet/target/answers.ts';
import { RememberedZones } from '../sheet/target/sheet-zones.ts';
import { createSheetTarget } from '../sheet/target/target.ts';
import { classTarget, memberParts } from './classes.ts';
import type { Core } from './core.ts';
import type { Store } from './stores.ts';

export type Targets = ReturnType<typeof createTargets>;

type TargetParts = Pick<
  Core,
  'config' | 'store' | 'remotes' | 'directory' | 'calendars' | 'clock' | 'log' | 'meter'
> & {
  readonly guard: EditGuard;
  readonly bell: FlushBell;
  readonly queue: WorkQueue;
  readonly customerOf: CustomerOf;
};

/** One target per mirror of the YAML, plus the flusher that all sheets share. */
export function createTargets(parts: TargetParts) {
  const { config, store, remotes, directory, calendars, bell, queue, guard, clock, log, meter } = parts;
  const rows = store.rowsWith(queue);
  const { outbox } = rows;
  const { memory, problems } = store;
  const zones = new RememberedZones({ api: remotes.sheets, memory, problems });
  const shared = { directory, clock, log, meter };
  const isNamed = isNamedIn(config);
  const calendarTarget = (
    mirror: CalendarMirror,
    about: Pick<CalendarTargetParts, 'noteAbout' | 'takenBy' | 'moreGuests'> = {},
  ) => {
    const resolved = () => calendars.calendarsOf(mirror);
    const others = ofKind(config.mirrors, 'calendar').filter(({ name }) => name !== mirror.name);
    const elsewhere = shownElsewhere(
      others.map((each) => ({ ...each, resolved: () => calendars.calendarsOf(each) })),
      { clock, directory },
    );
    const targetFor = (rank: BudgetRank) => {
      const api = remotes.calendarFor(rank);
      const beforePutBack = (key: string, mark: string) => guard.assertNoLoop(key, mark);
      const from = { view: store.ledger, events: createCalendarEvents(api) };
      const origins: EventOrigins = {
        // Needed even when no entry of `bookings` is left in the YAML: the appointment was still booked by that event.
        bookedBy: (snapshot, calendarId, isShown) => originLink(from, snapshot, { calendarId, isShown }),
        editsFor: (snapshot) => entryOf(config.bookings, snapshot)?.staffEdits[mirror.name],
      };
      const { links, history } = store;
      const own = { mirror, api, links, history, resolved, isNamed, beforePutBack, origins, ...about };
      return createCalendarTarget({ ...shared, ...own, ...elsewhere });
    };
    return rankedTarget(targetFor, clock);
  };
  const isHidden = isHiddenBy(config);
  const targetOf = (mirror: Mirror): MirrorTarget => {
    switch (mirror.kind) {
      case 'sheet':
        return createSheetTarget({ ...shared, mirror, outbox, bell, zones });
      case 'calendar':
        return withoutMembers(calendarTarget(mirror), memberParts(parts, mirror));
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
  const objects = config.mirrors.map((mirror) => {
    const target = targetOf(mirror);
    // Blocks are hidden first, which saves looking up the lifecycle of the contact they are booked for. A calendar mirror must know what
    // the other calendar mirrors show of the appointment.
    const asked = mirror.kind === 'calendar' ? ofKind(config.mirrors, 'calendar') : [mirror];
    const told = filtersByCustomer(asked) ? withCustomer(target, parts.customerOf) : target;
    return withoutBlocks(told, isHidden);
  });
  const classes = ofKind(config.mirrors, 'calendar').map((mirror) =>
    classTarget(parts, mirror, calendarTarget),
  );
  return {
    mirrors: [...objects, ...classes],
    actualOf,
    outbox,
    zones,
    ...createSheetSide(parts, { ...rows, zones }),
    marked: markedEvents(remotes.calendarFor('list'), isNamed),
  };
}

/** Writes the tabs of all mirrors and bookings, and checks that they are still as written. */
function createSheetSide(
  parts: Pick<Core, 'config' | 'store' | 'remotes' | 'clock' | 'log' | 'meter'>,
  of: ReturnType<Store['rowsWith']> & { readonly zones: RememberedZones },
) {
  const { config, store, remotes, clock, log, meter } = parts;
  const { outbox, sheetRows, rowMoves, rowEdits, zones } = of;
  const { problems } = store;
  const tabs = new RememberedTabs(store.memory);
  const sheetMirrors = ofKind(config.mirrors, 'sheet');
  const carried = new CarriedRows({
    ...{ api: remotes.sheets, mirrors: carryingMirrors(config), shown: sheetRows, edits: rowEdits },
    ...{ overWrites: store.overWrites, memory: store.memory, zones, problems, clock, log },
  });
  const flusher = createSheetFlusher({
    api: remotes.sheets,
    outbox,
    mirrors: [...sheetMirrors.flatMap(placesOf), ...ofKind(config.bookings, 'sheet').map(answerTab)],
    moves: rowMoves,
    unkept: store.unkept,
    sent: store.sentRows,
    carried,
    tabs,
    problems,
    clock,
    log,
    meter,
    onRefused: (row, error) => {
      const { code, message, advice } = error;
      const reason = { mirror: row.mirror, code, message, ...(advice === undefined ? {} : { advice }) };
      return outbox.refuse(row, { key: row.key, atMs: clock.now(), attempts: 1, reasons: [reason] });
    },
    // The tab is empty now, so rows that were linked into it are gone.
    onTabBegun: (place) => outbox.rewriteAll(place),
  });
  const checker = new SheetChecker({
    api: remotes.sheets,
    rows: sheetRows,
    unkept: store.unkept,
    mirrors: sheetMirrors,
    tabs,
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
    ...{ api: remotes.sheets, mirrors: sheetMirrors, tabs, log },
  });
  return { flusher, checker, blankRows, lateDoubles };
}
