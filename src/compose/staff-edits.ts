import { createAppointmentRules } from '../bookings/row-edits/rules.ts';
import { EditGuard } from '../bookings/staff-edits/guard.ts';
import { carriersInTurn, createEventCarrier } from '../bookings/staff-edits/in-turn.ts';
import { createBookingSubmitter } from '../bookings/submit/submitter.ts';
import { refusalText } from '../bookings/words/refusal-text.ts';
import { carryingMirrors, isNamedIn } from '../config/needs.ts';
import { ofKind } from '../domain/mirror.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { isCalendarDenied } from '../google/denials.ts';
import { createEditedMirrors } from '../mirrors/calendar/edited-mirrors.ts';
import type { CustomerOf } from '../mirrors/filter/customers.ts';
import { createRowEditCarrier } from '../mirrors/sheet/carry/carrier.ts';
import { createContactRules } from '../mirrors/sheet/carry/contact-rules.ts';
import { createUpcoming } from '../mirrors/sheet/carry/upcoming.ts';
import { createContactWriter, createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import type { BookingSubmitter, EditCarrier, RowEditRules } from '../ports/bookings.ts';
import type { DirectorySource } from '../ports/platform.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { bootId } from '../storage/core/process-identity.ts';
import { openClassReader } from './classes.ts';
import type { Core } from './core.ts';
import type { Remotes } from './remotes.ts';
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
  readonly customerOf: CustomerOf;
}

export function openEditCarrier(core: Core, parts: EventParts): EditCarrier {
  const { config, store, remotes, clock, log } = core;
  const carriers = (rules: RowEditRules) =>
    createRowEditCarrier({
      mirrors: new Map(carryingMirrors(config).map(({ name, carry }) => [name, carry])),
      ...{ rules, reader: remotes.platform.reader },
      ...{ work: store.work, edits: store.rowEdits, history: store.history, clock, log },
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
    events: createCalendarEvents(remotes.calendarFor('live')),
    reader: remotes.platform.reader,
    classes: openClassReader(core),
    ...{ work: store.work, links: store.links, history: store.history, memory: store.memory },
    erased: store.erasures,
    ...{ submitter, directory, guard, clock, log, meter },
    machine: bootId(),
    isNamed: isNamedIn(config),
    isCalendarDenied: isCalendarDenied,
  });
}
