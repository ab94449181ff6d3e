import { createRowBell } from '../bookings/outside/row-bell.ts';
import { createBookingTarget } from '../bookings/outside/target.ts';
import type { BookingGuard } from '../bookings/outside/turn-parts.ts';
import { ofKind } from '../domain/mirror.ts';
import type { BookingSource } from '../domain/outside-booking.ts';
import { isResource } from '../domain/subject.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { createEventAnswers } from '../google/event-answers.ts';
import { createBookingTemplates } from '../mirrors/render/booking-templates.ts';
import { createRowAnswers } from '../mirrors/sheet/target/answers.ts';
import type { AnswerPlace, BookingSubmitter } from '../ports/bookings.ts';
import type { Handler } from '../ports/handler.ts';
import { createSeriesInstances } from '../sources/calendar/series-instances.ts';
import type { Core } from './core.ts';
import type { Targets } from './targets.ts';

interface BookingParts extends Pick<Targets, 'outbox' | 'zones'> {
  readonly submitter: BookingSubmitter;
  readonly guard: BookingGuard;
}

/** One handler per entry of `bookings`, plus one that gives a booking a turn when its appointment changes. */
export function openBookingHandlers(core: Core, parts: BookingParts): readonly Handler[] {
  const { config, store, remotes, directory, intake, queues, clock, log, meter } = core;
  const { submitter, guard } = parts;
  const api = remotes.calendarFor('live');
  const entries = ofKind(config.bookings, 'calendar');
  const instances = createSeriesInstances({
    ...{ api, mappings: entries, intake, view: store.ledger, clock },
    sight: {
      ...{ sightings: store.sightings, cursors: store.calendars },
      ...{ intake, queue: queues.objects, clock, meter },
    },
  });
  const placeOf = (mapping: BookingSource): AnswerPlace => {
    switch (mapping.kind) {
      case 'sheet':
        return createRowAnswers({ mapping, outbox: parts.outbox, bell: queues.bell, zones: parts.zones });
      case 'calendar':
        return createEventAnswers(api, { refusedColorId: mapping.refusedColorId });
    }
  };
  const handlers = config.bookings.map((mapping) =>
    createBookingTarget({
      ...{ mapping, entries, submitter, guard, directory, intake, instances, clock, log, meter },
      ...{ view: store.ledger, links: store.links, history: store.history },
      resourceAt: resourceAt(core),
      events: createCalendarEvents(api),
      templates: createBookingTemplates({
        region: mapping.region,
        serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
      }),
      place: placeOf(mapping),
      reader: remotes.platform.reader,
    }),
  );
  const withInvitations = entries.some(({ when }) => when.organizers);
  if (ofKind(config.bookings, 'sheet').length === 0 && !withInvitations) return handlers;
  return [
    ...handlers,
    createRowBell({ dirtyMarks: store.dirtyMarks, queue: queues.objects, withInvitations }),
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
