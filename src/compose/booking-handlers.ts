import { createRowBell } from '../bookings/outside/row-bell.ts';
import { createBookingTarget } from '../bookings/outside/target.ts';
import type { BookingGuard } from '../bookings/outside/turn-parts.ts';
import type { Config } from '../config/config.ts';
import type { CalendarMirror } from '../domain/mirror.ts';
import type { BookingMapping, CalendarBookings, SheetBookings } from '../domain/outside-booking.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { createEventAnswers } from '../google/event-answers.ts';
import { createBookingTemplates } from '../mirrors/render/booking-templates.ts';
import type { AnswerPlace } from '../ports/answer-place.ts';
import type { BookingDesk } from '../ports/booking-desk.ts';
import type { Clock } from '../ports/clock.ts';
import type { FreshDirectory } from '../ports/directory-source.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { MirrorTarget } from '../ports/mirror-target.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { type OutsideEventsParts, watchOutsideEvents } from '../sources/calendar/outside-events.ts';
import { createSeriesInstances } from '../sources/calendar/series-instances.ts';
import type { ChangeListener } from '../sources/calendar/sync.ts';
import type { Mapping } from './mapping.ts';
import type { Outside } from './remotes.ts';
import type { Store } from './stores.ts';

interface OutsideBookingParts {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly directory: FreshDirectory;
  readonly mapping: Mapping;
  readonly desk: BookingDesk;
  readonly guard: BookingGuard;
  readonly intake: Intake;
  readonly queue: WorkQueue;
  /** Where rows are answered; absent: what a file says of intake sheets is not carried. */
  readonly rowAnswers?: (mapping: SheetBookings) => AnswerPlace;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** One target per entry of `bookings`, and one that has rows shown what becomes of their visits. */
export function openBookingTargets(parts: OutsideBookingParts): readonly MirrorTarget[] {
  const { config, store, outside, directory, mapping: mirrors, queue, rowAnswers, ...shared } = parts;
  const calendarMirrors = config.mirrors.filter(
    (mirror): mirror is CalendarMirror => mirror.kind === 'calendar',
  );
  const resourceAt = (calendarId: string): string | undefined => {
    for (const mirror of calendarMirrors) {
      for (const [resourceId, id] of mirrors.calendarsOf(mirror)) {
        if (id.toLowerCase() === calendarId.toLowerCase()) return resourceId;
      }
    }
    return undefined;
  };
  const placeOf = (mapping: BookingMapping): AnswerPlace | undefined =>
    mapping.kind === 'sheet'
      ? rowAnswers?.(mapping)
      : createEventAnswers(outside.calendarFor('live'), { refusedColorId: mapping.refusedColorId });
  const { clock, meter, intake } = parts;
  const events = createCalendarEvents(outside.calendarFor('live'));
  const instances = createSeriesInstances({
    api: outside.calendarFor('live'),
    ...{ mappings: config.bookings.filter(isOfCalendars), intake, view: store.ledger, clock },
    sight: { sightings: store.sightings, cursors: store.calendars, intake, queue, clock, meter },
  });
  const targets = config.bookings.flatMap((mapping) => {
    const place = placeOf(mapping);
    if (place === undefined) return [];
    const target = createBookingTarget({
      ...{ ...shared, mapping, directory, resourceAt, instances, events },
      templates: createBookingTemplates({
        region: mapping.region,
        serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
      }),
      place,
      reader: outside.platform.reader,
      view: store.ledger,
      links: store.links,
      history: store.history,
    });
    return [target];
  });
  const hasRows = rowAnswers !== undefined && config.bookings.some(({ kind }) => kind === 'sheet');
  const withInvitations = config.bookings.some((each) => isOfCalendars(each) && each.when.organizers);
  if (!hasRows && !withInvitations) return targets;
  return [...targets, createRowBell({ nudges: store.nudges, queue, withInvitations })];
}

/** Notices what people book in calendars; none when nobody may. */
export function outsideEvents(
  config: Config,
  parts: Omit<OutsideEventsParts, 'mappings'>,
): readonly ChangeListener[] {
  const mappings = config.bookings.filter(isOfCalendars);
  return mappings.length === 0 ? [] : [watchOutsideEvents({ ...parts, mappings })];
}

/** Calendars in which people book. */
export function bookedCalendars({ bookings }: Config): readonly string[] {
  const all = bookings.filter(isOfCalendars).flatMap(({ calendars }) => calendars);
  return [...new Set(all.map(({ calendarId }) => calendarId))];
}

function isOfCalendars(mapping: BookingMapping): mapping is CalendarBookings {
  return mapping.kind === 'calendar';
}
