import { createBookingTarget } from '../bookings/outside/target.ts';
import type { BookingGuard } from '../bookings/outside/turn.ts';
import type { Config } from '../config/config.ts';
import type { CalendarMirror } from '../domain/mirror.ts';
import type { BookingMapping, CalendarBookings } from '../domain/outside-booking.ts';
import { createEventAnswers } from '../google/event-answers.ts';
import { createBookingTemplates } from '../mirrors/render/booking-templates.ts';
import type { BookingDesk } from '../ports/booking-desk.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectorySource } from '../ports/directory-source.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { MirrorTarget } from '../ports/mirror-target.ts';
import { type OutsideEventsParts, watchOutsideEvents } from '../sources/calendar/outside-events.ts';
import type { ChangeListener } from '../sources/calendar/sync.ts';
import type { Mapping } from './mapping.ts';
import type { Outside } from './outside.ts';
import type { Store } from './store.ts';

interface OutsideBookingParts {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly directory: DirectorySource;
  readonly mapping: Mapping;
  readonly desk: BookingDesk;
  readonly guard: BookingGuard;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** One target per entry of `bookings` that carries what people book in calendars. */
export function openBookingTargets(parts: OutsideBookingParts): readonly MirrorTarget[] {
  const { config, store, outside, directory, mapping: mirrors, ...shared } = parts;
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
  return config.bookings.filter(isOfCalendars).map((mapping) =>
    createBookingTarget({
      ...{ ...shared, mapping, directory, resourceAt },
      templates: createBookingTemplates({
        region: mapping.region,
        serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
      }),
      place: createEventAnswers(outside.calendarFor('live'), { refusedColorId: mapping.refusedColorId }),
      reader: outside.platform.reader,
      view: store.ledger,
      links: store.links,
      history: store.history,
    }),
  );
}

/** Notices what people book in calendars; none when nobody may. */
export function outsideEvents(
  config: Config,
  parts: Omit<OutsideEventsParts, 'mappings'>,
): readonly ChangeListener[] {
  const mappings = config.bookings.filter(isOfCalendars);
  return mappings.length === 0 ? [] : [watchOutsideEvents({ ...parts, mappings })];
}

function isOfCalendars(mapping: BookingMapping): mapping is CalendarBookings {
  return mapping.kind === 'calendar';
}
