import type { EditGuard } from '../bookings/staff-edits/guard.ts';
import type { Config } from '../config/config.ts';
import { isNamedIn } from '../config/needs.ts';
import type { SheetMirror } from '../domain/mirror.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { markedEvents } from '../mirrors/calendar/marked.ts';
import { rankedTarget } from '../mirrors/calendar/ranked-target.ts';
import { createCalendarTarget } from '../mirrors/calendar/target.ts';
import { BlankRows } from '../mirrors/sheet/check/blank-rows.ts';
import { SheetChecker } from '../mirrors/sheet/check/check.ts';
import { LateDoubles } from '../mirrors/sheet/check/late-doubles.ts';
import { createSheetFlusher } from '../mirrors/sheet/flush/flush.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import { RememberedTabs } from '../mirrors/sheet/tab/tab-memory.ts';
import { answerTab } from '../mirrors/sheet/target/answers.ts';
import { RememberedZones } from '../mirrors/sheet/target/sheet-zones.ts';
import { createSheetTarget } from '../mirrors/sheet/target/target.ts';
import type { BudgetRank } from '../ports/budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectorySource } from '../ports/directory-source.ts';
import type { FlushBell } from '../ports/flush-bell.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { MirrorTarget } from '../ports/mirror-target.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { sheetBookings } from '../sources/booking-sheet/poll-loop.ts';
import { eventOrigins } from './event-origins.ts';
import type { Mapping } from './mapping.ts';
import type { Outside } from './remotes.ts';
import type { Store } from './stores.ts';

/** One target per mirror of the YAML, and the flusher that all sheets share. */
export function createTargets(parts: {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly directory: DirectorySource;
  readonly mapping: Mapping;
  readonly bell: FlushBell;
  readonly queue: WorkQueue;
  readonly guard: EditGuard;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}) {
  const { config, store, outside, directory, mapping, bell, queue, guard, clock, log, meter } = parts;
  const outbox = store.nudgingOutbox(queue);
  const zones = new RememberedZones({
    api: outside.sheets,
    memory: store.memory,
    problems: store.problems,
  });
  const shared = { directory, clock, log, meter };
  const isNamed = isNamedIn(config);
  const mirrors = config.mirrors.map((mirror): MirrorTarget => {
    if (mirror.kind === 'sheet') return createSheetTarget({ ...shared, mirror, outbox, bell, zones });
    const resolved = () => mapping.calendarsOf(mirror);
    const targetFor = (rank: BudgetRank) => {
      const api = outside.calendarFor(rank);
      const beforePutBack = (key: string, mark: string) => guard.assertNoLoop(key, mark);
      const events = createCalendarEvents(api);
      const origins = eventOrigins(config, { view: store.ledger, events }, mirror.name);
      const own = { mirror, api, links: store.links, resolved, isNamed, beforePutBack, origins };
      return createCalendarTarget({ ...shared, ...own });
    };
    return rankedTarget(targetFor, clock);
  });
  const sheetMirrors = config.mirrors.filter((mirror): mirror is SheetMirror => mirror.kind === 'sheet');
  const flusher = createSheetFlusher({
    api: outside.sheets,
    outbox,
    mirrors: [...sheetMirrors.flatMap(placesOf), ...sheetBookings(config).map(answerTab)],
    moves: store.rowMoves(queue),
    unkept: store.unkept,
    sent: store.sentRows,
    tabs: new RememberedTabs(store.memory),
    problems: store.problems,
    clock,
    log,
    meter,
    onRefused: (row, error) => {
      const { code, message, advice } = error;
      const reason = { mirror: row.mirror, code, message, ...(advice === undefined ? {} : { advice }) };
      return outbox.refuse(row, { key: row.key, atMs: clock.now(), attempts: 1, reasons: [reason] });
    },
    // Rows that were linked into a tab that is empty now are not there any more.
    onTabBegun: (place) => outbox.rewriteAll(place),
  });
  const checker = new SheetChecker({
    api: outside.sheets,
    rows: store.sheetRows(queue),
    unkept: store.unkept,
    mirrors: sheetMirrors,
    tabs: new RememberedTabs(store.memory),
    zones,
    problems: store.problems,
    clock,
    log,
  });
  const lateDoubles = new LateDoubles({
    api: outside.sheets,
    outbox,
    mirrors: sheetMirrors.flatMap(placesOf),
    sent: store.sentRows,
    rows: store.sheetRows(queue),
    tabs: new RememberedTabs(store.memory),
    history: store.history,
    ...{ clock, log, meter },
  });
  const blankRows = new BlankRows({
    ...{ api: outside.sheets, mirrors: sheetMirrors, tabs: new RememberedTabs(store.memory), log },
  });
  return {
    mirrors,
    outbox,
    zones,
    flusher,
    checker,
    blankRows,
    lateDoubles,
    marked: markedEvents(outside.calendarFor('list'), isNamed),
  };
}
