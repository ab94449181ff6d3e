import { createEditedMirrors } from '../calendar/edited-mirrors.ts';
import { carriersInTurn, createEventCarrier } from '../calendar/edits/staff-edits.ts';
import { ofKind } from '../engine/domain/mirror.ts';
import { EditGuard } from '../engine/edits/guard.ts';
import type { BookingSubmitter, EditCarrier, RowEditRules } from '../engine/ports/bookings.ts';
import type { RowHolds } from '../engine/ports/held-rows.ts';
import type { DirectorySource } from '../engine/ports/platform.ts';
import type { Clock, Log } from '../engine/ports/runtime.ts';
import { bootId } from '../engine/redis/process-identity.ts';
import { createBookingSubmitter } from '../engine/submit/submitter.ts';
import { refusalText } from '../engine/words/refusal-text.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { isCalendarDenied } from '../google/denials.ts';
import type { CustomerOf } from '../mapping/filter/customers.ts';
import { carryingMirrors, isNamedIn } from '../mapping/needs.ts';
import { createContactWriter, createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import { createRowEditCarrier } from '../sheet/cells/carrier.ts';
import { createContactRules } from '../sheet/cells/contact-rules.ts';
import { createAppointmentRules } from '../sheet/cells/rules.ts';
import { createUpcoming } from '../sheet/cells/upcoming.ts';
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
  readonly holds: RowHolds;
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
