import { randomUUID } from 'node:crypto';
import { entryOf } from '../bookings/outside/origin.ts';
import { createAppointmentRules } from '../bookings/row-edits/rules.ts';
import { EditGuard } from '../bookings/staff-edits/guard.ts';
import { createEditCarrier } from '../bookings/staff-edits/staff-edits.ts';
import { NOTE_WORDS } from '../bookings/staff-edits/words.ts';
import { createBookingSubmitter } from '../bookings/submit/submitter.ts';
import { refusalText } from '../bookings/words/refusal-text.ts';
import { calendarMirrors, carryingMirrors, isNamedIn } from '../config/needs.ts';
import type { Refusal } from '../domain/booking.ts';
import { asksForCustomers, type CalendarMirror, calendarIdsOf } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { createCalendarEvents } from '../google/calendar-events.ts';
import { isClosed } from '../google/denials.ts';
import { classEdits, showsClass, takenBy } from '../mirrors/classes/class-target.ts';
import { classOf } from '../mirrors/classes/membership.ts';
import type { CustomerOf } from '../mirrors/filter/customers.ts';
import { isInTime, takesAppointment } from '../mirrors/route.ts';
import { createRowEditCarrier } from '../mirrors/sheet/carry/carrier.ts';
import { upcomingRows } from '../mirrors/sheet/carry/cells.ts';
import { createContactRules } from '../mirrors/sheet/carry/contact-rules.ts';
import { createContactWriter, createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import type { BookingSubmitter, EditCarrier, RowEditRules } from '../ports/bookings.ts';
import type { DirectorySource } from '../ports/platform.ts';
import type { Clock, Log } from '../ports/runtime.ts';
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

/** The way back to the platform: of contacts from the rows of their mirrors, of appointments from the calendars and from rows. */
export function openEditCarrier(core: Core, parts: Parameters<typeof openEventCarrier>[1]): EditCarrier {
  const { config, store, remotes, clock, log } = core;
  const carriers = (rules: RowEditRules) =>
    createRowEditCarrier({
      mirrors: new Map(carryingMirrors(config).map(({ name, carry }) => [name, carry])),
      ...{ rules, reader: remotes.platform.reader },
      ...{ work: store.work, edits: store.rowEdits, history: store.history, clock, log },
    });
  const ofContacts = carriers(createContactRules(createContactWriter(remotes.platform)));
  const ofAppointments = carriers(openAppointmentRules(core, parts));
  const ofEvents = openEventCarrier(core, parts);
  return {
    async carry(claim) {
      if (claim.key.kind === 'contact') return ofContacts.carry(claim);
      // One after the other: each judges by what the other has left on the platform.
      const after = await ofEvents.carry(claim);
      const { claim: last, failures } = await ofAppointments.carry(after.claim);
      return { claim: last, failures: [...after.failures, ...failures] };
    },
  };
}

function openAppointmentRules(
  { config, store, directory, clock }: Core,
  { submitter, guard }: { readonly submitter: BookingSubmitter; readonly guard: EditGuard },
): RowEditRules {
  const told = {
    language: config.worker.language,
    zone: 'UTC',
    resourceName: (id: string) => directory.current().resources.get(id)?.name,
  };
  return createAppointmentRules({
    ...{ submitter, guard },
    refusalText: (refusal) => refusalText(refusal, told),
    async upcoming(name) {
      const mirror = carryingMirrors(config).find((each) => each.name === name);
      if (mirror === undefined) return 0;
      const { spreadsheetId, tab } = mirror;
      const rows = await store.sheetRows.shown({ mirror: name, spreadsheetId, tab });
      return upcomingRows(mirror.carry, rows.values(), clock.now());
    },
  });
}

/** Over all calendar mirrors of the file. */
function openEventCarrier(
  core: Core,
  parts: {
    readonly submitter: BookingSubmitter;
    readonly guard: EditGuard;
    readonly customerOf: CustomerOf;
  },
): EditCarrier {
  const { config, store, remotes, directory, calendars, clock, log, meter } = core;
  const mirrors = calendarMirrors(config);
  const resourceName = (id: string) => directory.current().resources.get(id)?.name;
  const { submitter, guard, customerOf } = parts;
  const asksForCustomer = asksForCustomers(mirrors);
  const shared = {
    events: createCalendarEvents(remotes.calendarFor('live')),
    reader: remotes.platform.reader,
    classes: openClassReader(core),
    ...{ work: store.work, links: store.links, history: store.history, memory: store.memory },
    erased: store.erasures,
    ...{ submitter, directory, guard, clock, log, meter },
    process: randomUUID(),
    isNamed: isNamedIn(config),
    isClosed,
  };
  return {
    // Who booked in a calendar may have other rules there, and another language, than the rest of its events.
    async carry(claim) {
      const booking = claim.snapshot && entryOf(config.bookings, claim.snapshot);
      const language = booking?.language ?? config.worker.language;
      const customer = asksForCustomer && claim.snapshot ? await customerOf(claim.snapshot) : undefined;
      const around = (linked: boolean) => {
        return { nowMs: clock.now(), linked, directory: directory.current(), customer };
      };
      const isClass = claim.key.kind === 'class';
      const keeps = (mirror: CalendarMirror, snapshot: Snapshot) =>
        takesAppointment(mirror.where, snapshot, around(true)) &&
        classOf([mirror.classes], { ...claim, snapshot }, directory.current()) === undefined;
      const editCarrier = createEditCarrier({
        ...shared,
        mirrors: mirrors.map((mirror) => ({
          name: mirror.name,
          staffEdits: isClass ? classEdits(mirror) : (booking?.staffEdits[mirror.name] ?? mirror.staffEdits),
          resolved: () => calendars.calendarsOf(mirror),
          calendars: calendarIdsOf(mirror),
          takes: (snapshot) => takesAppointment(mirror.where, snapshot, around(false)),
          showsAll: async (members, startMs) => {
            const there = members.map((member) => ({
              ...member,
              starts_at: new Date(startMs).toISOString(),
            }));
            if (!there.every((member) => isInTime(mirror.where, member, around(false)))) return false;
            const parts = { mirror, directory, ...(asksForCustomer && { customerOf }) };
            return (await takenBy(parts, members, true)).length === members.length;
          },
          keeps: (snapshot) => (isClass ? showsClass(mirror, claim, directory) : keeps(mirror, snapshot)),
        })),
        words: NOTE_WORDS[language],
        refusalText: (refusal: Refusal) => refusalText(refusal, { language, zone: 'UTC', resourceName }),
      });
      return editCarrier.carry(claim);
    },
  };
}
