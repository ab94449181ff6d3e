import { randomUUID } from 'node:crypto';
import { entryOf } from '../bookings/outside/origin.ts';
import { EditGuard } from '../bookings/staff-edits/guard.ts';
import { createWayBack } from '../bookings/staff-edits/staff-edits.ts';
import { NOTE_WORDS } from '../bookings/staff-edits/words.ts';
import { refusalText } from '../bookings/words/refusal-text.ts';
import type { Config } from '../config/config.ts';
import { isNamedIn } from '../config/needs.ts';
import type { Refusal } from '../domain/booking.ts';
import type { CalendarMirror } from '../domain/mirror.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { isClosed } from '../google/denials.ts';
import { takesAppointment } from '../mirrors/route.ts';
import type { BookingDesk } from '../ports/booking-desk.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectorySource } from '../ports/directory-source.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { WayBack } from '../ports/way-back.ts';
import type { Mapping } from './mapping.ts';
import type { Outside } from './remotes.ts';
import type { Store } from './stores.ts';

interface EditParts {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly directory: DirectorySource;
  readonly mapping: Mapping;
  readonly desk: BookingDesk;
  readonly guard: EditGuard;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

export function openEditGuard({
  store,
  outside,
  clock,
}: Pick<EditParts, 'store' | 'outside' | 'clock'>): EditGuard {
  const { tally, memory } = store;
  return new EditGuard({ tally, memory, events: createCalendarEvents(outside.calendarFor('live')), clock });
}

/** The way from the calendars back to the platform, over all calendar mirrors of the file. */
export function openWayBack(parts: EditParts): WayBack {
  const { config, store, outside, directory, mapping, desk, guard, clock, log, meter } = parts;
  const mirrors = config.mirrors.filter((mirror): mirror is CalendarMirror => mirror.kind === 'calendar');
  const resourceName = (id: string) => directory.current().resources.get(id)?.name;
  const shared = {
    events: createCalendarEvents(outside.calendarFor('live')),
    reader: outside.platform.reader,
    work: store.work,
    links: store.links,
    history: store.history,
    ...{ desk, directory, guard, clock, log, meter },
    process: randomUUID(),
    isNamed: isNamedIn(config),
    isClosed,
  };
  return {
    // Who booked in a calendar may have other rules there, and another language, than the rest of its events.
    async carry(claim) {
      const { snapshot } = claim;
      const booking = snapshot && entryOf(config.bookings, snapshot);
      const language = booking?.language ?? config.worker.language;
      const wayBack = createWayBack({
        ...shared,
        mirrors: mirrors.map((mirror) => ({
          name: mirror.name,
          staffEdits: booking?.staffEdits[mirror.name] ?? mirror.staffEdits,
          resources: () => mapping.calendarsOf(mirror),
          calendars: mirror.calendars.map(({ calendarId }) => calendarId),
          takes: (snapshot) =>
            takesAppointment(mirror.where, snapshot, clock.now(), false, directory.current()),
          keeps: (snapshot) =>
            takesAppointment(mirror.where, snapshot, clock.now(), true, directory.current()),
        })),
        words: NOTE_WORDS[language],
        refusalText: (refusal: Refusal) => refusalText(refusal, { language, zone: 'UTC', resourceName }),
      });
      return wayBack.carry(claim);
    },
  };
}
