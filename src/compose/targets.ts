import { isHiddenBy, withoutBlocks } from '../blocks/hidden.ts';
import { entryOf, originLink } from '../bookings/outside/origin.ts';
import type { EditGuard } from '../bookings/staff-edits/guard.ts';
import { isNamedIn } from '../config/needs.ts';
import { type CalendarMirror, filtersByCustomer, type Mirror, ofKind } from '../domain/mirror.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { calendarPlaces } from '../mirrors/calendar/actual.ts';
import { markedEvents } from '../mirrors/calendar/marked.ts';
import { rankedTarget } from '../mirrors/calendar/ranked-target.ts';
import {
  type CalendarTargetParts,
  createCalendarTarget,
  type EventOrigins,
} from '../mirrors/calendar/target.ts';
import { withoutMembers } from '../mirrors/classes/member.ts';
import { type CustomerOf, withCustomer } from '../mirrors/filter/customers.ts';
import { shownElsewhere } from '../mirrors/route.ts';
import { sheetPlaces } from '../mirrors/sheet/target/actual.ts';
import { RememberedZones } from '../mirrors/sheet/target/sheet-zones.ts';
import { createSheetTarget } from '../mirrors/sheet/target/target.ts';
import type { ActualParts } from '../operator/audit.ts';
import type { MirrorTarget } from '../ports/handler.ts';
import type { MirrorPlaces } from '../ports/operator.ts';
import type { BudgetRank } from '../ports/quotas.ts';
import type { FlushBell } from '../ports/rows.ts';
import type { WorkQueue } from '../ports/work.ts';
import { classTarget, memberParts } from './classes.ts';
import type { Core } from './core.ts';
import { createSheetSide } from './sheet-side.ts';

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
      const own = { mirror, api, links: store.links, resolved, isNamed, beforePutBack, origins, ...about };
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
