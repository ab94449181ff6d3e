/** What people may wish, in each of the five places where the worker takes it from, over the real parts of that place. */

import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { calendarOrigin, rowOrigin } from '../../../src/engine/ids.ts';
import type { IntentStore, OpenRequest } from '../../../src/engine/intent.ts';
import type { PlatformClient } from '../../../src/platform/client.ts';
import { createContactWriter } from '../../../src/platform/client.ts';
import { BlockStands, PRIVATE, tuesday } from '../../stand/blocks.ts';
import { CarriedStands, type CarriedWorld } from '../../stand/carried-sheet.ts';
import { ClassStands } from '../../stand/class-moves.ts';
import { type Around, withCalls } from '../../stand/doom.ts';
import { ANNA, BORIS, EditStands, type EditWorld } from '../../stand/edits.ts';
import { IntakeStands, type IntakeWorld } from '../../stand/intake-sheet.ts';
import { OutsideStands } from '../../stand/outside.ts';
import type { OwnClock } from '../../stand/own-clock.ts';
import { alone, type Closing, sharing } from './worlds.ts';

const PHONE = '+74950001101';
const TUESDAY_10 = '2026-03-03T07:00:00.000Z';
const TUESDAY_12 = '2026-03-03T09:00:00.000Z';
const TUESDAY_14 = '2026-03-03T11:00:00.000Z';
const MINUTE_MS = 60_000;
/** Longer than a deletion waits, and than an unanswered request may be under way. */
const SETTLED_AFTER_MINUTES = 4;

/** The hands of people at one wish, and the worker that is to carry it. */
export interface Hands {
  readonly clock: OwnClock;
  readonly platform: { readonly sandbox: PlatformSandbox; client(): PlatformClient };
  /** People do it, and the worker has read it: in the next turn its request leaves. */
  wish(): Promise<void>;
  /** They wish something else instead. */
  replace(): Promise<void>;
  takeBack(): Promise<void>;
  /** The first wish once more, after another. Absent: nobody can. */
  again?(): Promise<void>;
  turn(around?: Around): Promise<unknown>;
  /** What was told before is told once more. Then the worker does what is due, for some minutes. */
  settle(): Promise<void>;
  /** The clock was put back, and the worker's sweep recalls what was put off. Absent: nothing needs it. */
  recall?(): Promise<unknown>;
  loseRedis(): Promise<void>;
  /** Requests without a verdict. */
  open(): Promise<readonly OpenRequest[]>;
  /** An unanswered request takes effect after all. Absent: as the open request says. */
  arrive?(): Promise<void>;
  /** What the platform has, and what people see. */
  shows(): unknown;
  /** What people read about their wish, where words tell them. */
  answer?(): string;
  /** What the worker keeps of requests beside those that are open. */
  marks(): Promise<readonly unknown[]>;
}

export interface Source extends Closing {
  readonly name: string;
  begin(): Promise<Hands>;
  /** What `shows` returns in the end. */
  readonly ends: { readonly untouched: unknown; readonly wished: unknown; readonly replaced: unknown };
  /** What customers are mailed about the wish. */
  readonly mails: readonly string[];
  /**
   * Once it is carried, it can no longer be taken back there: nobody undoes a cancellation, a row says what was carried, and the event of a
   * class that has moved is about to go.
   */
  readonly isFinal?: true;
  /** Its requests have no other record: they may stay open once their effect is seen. */
  readonly areLevel?: true;
}

async function openOf(intents: IntentStore, origins: readonly string[]): Promise<readonly OpenRequest[]> {
  const known = await Promise.all(origins.map((origin) => intents.read(origin)));
  return known.flatMap((record) => record?.open ?? []);
}

/** Some minutes pass, and the worker goes on whenever something is due. */
async function forMinutes(clock: OwnClock, work: () => Promise<unknown>): Promise<void> {
  for (let minutes = 0; minutes < SETTLED_AFTER_MINUTES; minutes += 1) {
    await work();
    clock.advance(MINUTE_MS);
  }
  await work();
}

/** An event that says the same as its appointment, and nothing besides. */
const eventAt = (startsAt: string) => [`confirmed ${startsAt}`, `${ANNA} ${startsAt}`, PHONE];

/** An event of an appointment on Tuesday at ten. */
async function editedEvent(world: EditWorld): Promise<Hands & { readonly id: string }> {
  await world.clear();
  const id = await world.bookWithEvent();
  const drag = async (start: string) => {
    world.staff.move({ ...world.at(id), start });
    await world.sight(id);
  };
  return {
    ...{ id, clock: world.clock, platform: world.platform },
    wish: () => drag(TUESDAY_12),
    replace: () => drag(TUESDAY_14),
    takeBack: () => drag(TUESDAY_10),
    again: () => drag(TUESDAY_12),
    turn: (around) => world.turn(id, around && withCalls(world.ground, around)),
    async settle() {
      await world.hear(id);
      await world.sight(id);
      await world.sight(id, BORIS);
      await forMinutes(world.clock, () => world.settle(id));
    },
    async loseRedis() {
      await world.store.redis.flushall();
      await world.adopt('another run');
    },
    open: () => openOf(world.store.intents, [`appointment/${id}`]),
    shows: () => {
      const { status, starts_at: startsAt } = world.appointment(id) ?? {};
      const events = world.events();
      const texts = events.length === 0 ? [] : [world.description(id)];
      return [`${String(status)} ${String(startsAt)}`, ...events, ...texts];
    },
    async marks() {
      const links = (await world.store.ledger.peek({ kind: 'appointment', id }))?.links['staff']?.calendars;
      return (links ?? []).flatMap(({ edit }) => (edit.is === 'settled' ? [] : [edit]));
    },
  };
}

function movedEvents(): Source {
  const stands = new EditStands();
  const { world, ...closing } = sharing(stands, () =>
    stands.start({ moved: 'reschedule', deleted: 'cancel', notifyCustomer: true }),
  );
  return {
    name: 'an event that is moved',
    begin: async () => editedEvent(await world()),
    ends: { untouched: eventAt(TUESDAY_10), wished: eventAt(TUESDAY_12), replaced: eventAt(TUESDAY_14) },
    mails: ['rescheduled'],
    ...closing,
  };
}

function deletedEvents(): Source {
  const stands = new EditStands();
  const { world: shared, ...closing } = sharing(stands, () =>
    stands.start({ moved: 'reschedule', deleted: 'cancel', notifyCustomer: true }),
  );
  return {
    name: 'an event that is deleted',
    async begin() {
      const world = await shared();
      const { again: _, ...hands } = await editedEvent(world);
      const { id } = hands;
      const restore = () => {
        if (world.event(id)?.['status'] === 'cancelled') world.staff.restore(world.at(id));
      };
      return {
        ...hands,
        async wish() {
          world.staff.remove(world.at(id));
          await world.sight(id);
          await world.settle(id);
          world.clock.advance(2 * MINUTE_MS);
        },
        async replace() {
          restore();
          await hands.replace();
        },
        async takeBack() {
          restore();
          await world.sight(id);
        },
      };
    },
    ends: {
      untouched: eventAt(TUESDAY_10),
      wished: [`cancelled ${TUESDAY_10}`],
      replaced: eventAt(TUESDAY_14),
    },
    mails: ['cancelled'],
    isFinal: true,
    ...closing,
  };
}

const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
/** What Google makes of a typed date with an hour. */
const typed = (text: string) => (Date.parse(`${text.replace(' ', 'T')}:00Z`) - DAY_ZERO_MS) / 86_400_000;

async function mirroredRow(world: CarriedWorld, id: string, column: string) {
  const key = { kind: world.mirror.from, id };
  const put = async (value: string | number | boolean, of = column) => {
    world.put(id, of, value);
    await world.look();
  };
  await world.settle(1);
  return {
    ...{ put, clock: world.clock, platform: world.platform },
    turn: (around?: Around) =>
      around === undefined ? world.work(1) : world.calls.during(around, () => world.work(1)),
    async settle() {
      await forMinutes(world.clock, () => world.settle(1));
    },
    async loseRedis() {
      await world.loseRedis();
    },
    open: () => openOf(world.store.intents, [`appointment/${id}`]),
    answer: () => String(world.row(id)['Answer']),
    async marks() {
      const notes = Object.values((await world.store.ledger.peek(key))?.rowNotes ?? {});
      return notes.flatMap(({ sent, held = [] }) => [...sent, ...held]);
    },
  };
}

function appointmentRow(world: CarriedWorld) {
  const id = world.book('Vera Orlova', TUESDAY_10);
  const shownStart = () =>
    new Date(DAY_ZERO_MS + Math.round(Number(world.row(id)['Start']) * 1_440) * MINUTE_MS);
  const shows = () => [
    `${String(world.appointment(id)?.['status'])} ${world.startOf(id)}`,
    shownStart().toISOString().slice(0, 16).replace('T', ' '),
  ];
  return { id, shows };
}

function typedStarts(): Source {
  const stands = new CarriedStands();
  const { world: begun, ...closing } = alone(stands, () =>
    stands.start({ kind: 'appointment', notifyCustomer: true }),
  );
  return {
    name: 'a start that is typed into the row of an appointment',
    async begin() {
      const world = await begun();
      const { id, shows } = appointmentRow(world);
      const hands = await mirroredRow(world, id, 'Start');
      return {
        ...hands,
        wish: () => hands.put(typed('2026-03-03 12:00')),
        replace: () => hands.put(typed('2026-03-03 14:00')),
        takeBack: () => hands.put(typed('2026-03-03 10:00')),
        again: () => hands.put(typed('2026-03-03 12:00')),
        shows,
      };
    },
    ends: {
      untouched: ['confirmed 2026-03-03 10:00', '2026-03-03 10:00'],
      wished: ['confirmed 2026-03-03 12:00', '2026-03-03 12:00'],
      replaced: ['confirmed 2026-03-03 14:00', '2026-03-03 14:00'],
    },
    mails: ['rescheduled'],
    isFinal: true,
    ...closing,
  };
}

function tickedRows(): Source {
  const stands = new CarriedStands();
  const { world: begun, ...closing } = alone(stands, () =>
    stands.start({ kind: 'appointment', notifyCustomer: true }),
  );
  return {
    name: 'a tick in the row of an appointment',
    async begin() {
      const world = await begun();
      const { id, shows } = appointmentRow(world);
      const hands = await mirroredRow(world, id, 'Cancel');
      return {
        ...hands,
        wish: () => hands.put(true),
        async replace() {
          await hands.put(false);
          await hands.put(typed('2026-03-03 14:00'), 'Start');
        },
        takeBack: () => hands.put(false),
        shows,
      };
    },
    ends: {
      untouched: ['confirmed 2026-03-03 10:00', '2026-03-03 10:00'],
      wished: ['cancelled 2026-03-03 10:00', '2026-03-03 10:00'],
      replaced: ['confirmed 2026-03-03 14:00', '2026-03-03 14:00'],
    },
    mails: ['cancelled'],
    isFinal: true,
    ...closing,
  };
}

function contactCells(): Source {
  const stands = new CarriedStands();
  const { world: begun, ...closing } = alone(stands, () => stands.start());
  return {
    name: 'a name that is typed into the row of a contact',
    async begin() {
      const world = await begun();
      const id = world.create('Ada', '+74950001101');
      const hands = await mirroredRow(world, id, 'Name');
      return {
        ...hands,
        wish: () => hands.put('Bea'),
        replace: () => hands.put('Cleo'),
        takeBack: () => hands.put('Ada'),
        again: () => hands.put('Bea'),
        async arrive() {
          await createContactWriter(world.platform.client()).change(id, { name: 'Bea' });
        },
        shows: () => [world.contact(id)?.['name'], world.row(id)['Name'], world.contact(id)?.['phone']],
      };
    },
    ends: {
      untouched: ['Ada', 'Ada', '+74950001101'],
      wished: ['Bea', 'Bea', '+74950001101'],
      replaced: ['Cleo', 'Cleo', '+74950001101'],
    },
    mails: [],
    isFinal: true,
    ...closing,
  };
}

/** Room for the next appointment at the same hour. */
async function emptied(world: IntakeWorld): Promise<void> {
  for (const each of world.platform.sandbox.truth.appointments())
    if (each['status'] !== 'cancelled') world.dashboard.cancel(String(each['id']), { notify: false });
  await world.hear();
  await world.work();
  await world.flush();
}

function bookedEvents(): Source {
  const stands = new OutsideStands();
  const { world: shared, ...closing } = sharing(stands, () => stands.start({ notifyCustomer: true }));
  const at = (startsAt: string) => [`${startsAt} Anna`, `${ANNA} ${startsAt}`, 'Haircut, Vera Orlova', PHONE];
  return {
    name: 'an event that books',
    async begin() {
      const world = await shared();
      await world.clear();
      const held = { id: '' };
      const origin = () => calendarOrigin('anna@clinic.example', held.id);
      const event = () => ({ calendarId: 'anna@clinic.example', eventId: held.id });
      const drag = async (start: string) => {
        world.staff.move({ ...event(), start });
        await world.sync();
      };
      return {
        ...{ clock: world.clock, platform: world.platform },
        async wish() {
          held.id = world.drop();
          await world.sync();
          world.clock.advance(MINUTE_MS);
        },
        replace: () => drag(TUESDAY_14),
        async takeBack() {
          world.staff.remove(event());
          await world.sync();
        },
        again: () => drag(TUESDAY_10),
        turn: (around) => world.turn(world.keyAt(held.id), around && withCalls(world.ground, around)),
        // The platform's answer has marked the appointment dirty at the wrong hour.
        recall: () => world.store.putOff.recall(world.clock.now(), world.clock.now()),
        async settle() {
          await world.hear();
          await forMinutes(world.clock, () => world.settle());
        },
        async loseRedis() {
          await world.loseRedis();
          await world.sync();
          world.clock.advance(MINUTE_MS);
        },
        open: () => openOf(world.store.intents, [origin()]),
        shows: () => {
          const [events, { summary, description }] = [world.events(), world.event(held.id) ?? {}];
          return [...world.booked(), ...events, ...(events.length === 0 ? [] : [summary, description])];
        },
        async marks() {
          const record = await world.record(held.id);
          // The event of an appointment that was deleted is a matter of staff edits, and its booking has no more turn.
          const asked = record?.asked === undefined || record.state === 'booked' ? [] : [record.asked];
          return [...asked, ...(await world.letters())];
        },
      };
    },
    ends: { untouched: [], wished: at(TUESDAY_10), replaced: at(TUESDAY_14) },
    mails: ['created'],
    ...closing,
  };
}

async function bookingRow(world: IntakeWorld) {
  await emptied(world);
  world.clock.advance(3_600_000);
  const row = world.type({ Ready: false });
  const put = async (column: string, value: string | boolean) => {
    world.put(row, column, value);
    await world.poll();
  };
  const id = () => String(world.row(row)['ID']);
  return {
    ...{ row, put, clock: world.clock, platform: world.platform },
    turn: (around?: Around) =>
      around === undefined ? world.work(1) : world.calls.during(around, () => world.work(1)),
    async settle() {
      await world.hear();
      await forMinutes(world.clock, () => world.settle());
    },
    async loseRedis() {
      await world.loseRedis();
      world.forget();
    },
    open: () => openOf(world.store.intents, [rowOrigin(id())]),
    shows: () => {
      const booked = world.booked();
      return booked.length === 0 ? [] : [...booked, String(world.row(row)['Status']).split(' ')[0]];
    },
    async marks() {
      const record = await world.record(id());
      return record?.asked === undefined ? [] : [record.asked];
    },
  };
}

function bookedRows(): Source {
  const stands = new IntakeStands();
  const { world: shared, ...closing } = sharing(stands, () => stands.start({ notifyCustomer: true }));
  return {
    name: 'a row that books',
    async begin() {
      const hands = await bookingRow(await shared());
      return {
        ...hands,
        wish: () => hands.put('Ready', true),
        replace: () => hands.put('Start', '03.03.2026 14:00'),
        takeBack: () => hands.put('Cancel', true),
        again: () => hands.put('Start', '03.03.2026 10:00'),
      };
    },
    ends: {
      untouched: [],
      wished: [`${TUESDAY_10} Anna Vera Orlova`, 'Booked.'],
      replaced: [`${TUESDAY_14} Anna Vera Orlova`, 'Booked.'],
    },
    mails: ['created'],
    ...closing,
  };
}

function movedRows(): Source {
  const stands = new IntakeStands();
  const { world: shared, ...closing } = sharing(stands, () => stands.start({ notifyCustomer: true }));
  return {
    name: 'a booked row with another start',
    async begin() {
      const world = await shared();
      const hands = await bookingRow(world);
      await hands.put('Ready', true);
      await hands.settle();
      return {
        ...hands,
        wish: () => hands.put('Start', '03.03.2026 12:00'),
        replace: () => hands.put('Start', '03.03.2026 14:00'),
        takeBack: () => hands.put('Start', '03.03.2026 10:00'),
        again: () => hands.put('Start', '03.03.2026 12:00'),
      };
    },
    ends: {
      untouched: [`${TUESDAY_10} Anna Vera Orlova`, 'Booked.'],
      wished: [`${TUESDAY_12} Anna Vera Orlova`, 'Booked.'],
      replaced: [`${TUESDAY_14} Anna Vera Orlova`, 'Booked.'],
    },
    mails: ['rescheduled'],
    ...closing,
  };
}

function blocks(): Source {
  const stands = new BlockStands();
  const { world: begun, ...closing } = alone(stands, () => stands.start());
  return {
    name: 'private time',
    async begin() {
      const world = await begun();
      const event = { calendarId: PRIVATE, eventId: '' };
      await world.poll();
      return {
        ...{ clock: world.clock, platform: world.platform },
        async wish() {
          event.eventId = world.busy(tuesday('10:00'), tuesday('11:00'));
          await world.poll();
        },
        async replace() {
          world.staff.move({ ...event, start: tuesday('14:00') });
          await world.poll();
        },
        async takeBack() {
          world.staff.remove(event);
          await world.poll();
        },
        async again() {
          world.staff.move({ ...event, start: tuesday('10:00') });
          await world.poll();
        },
        turn: (around) => world.turn(around && withCalls(world.ground, around)),
        async settle() {
          for (const { id } of world.all()) await world.hear(String(id));
          await forMinutes(world.clock, () => world.settle());
        },
        async loseRedis() {
          await world.store.redis.flushall();
        },
        open: () =>
          openOf(
            world.store.intents,
            ['10:00', '14:00'].map(
              (time) => `block/${world.annaId}/${new Date(tuesday(time)).toISOString()}`,
            ),
          ),
        shows: () => world.blocks(),
        marks: async () => [],
      };
    },
    ends: { untouched: [], wished: ['03T10:00-11:00'], replaced: ['03T14:00-15:00'] },
    mails: [],
    areLevel: true,
    ...closing,
  };
}

function classes(): Source {
  const stands = new ClassStands();
  const { world: begun, ...closing } = alone(stands, () => stands.start());
  return {
    name: 'a class whose event is moved',
    async begin() {
      const world = await begun();
      const one = await world.class(3);
      const drag = async (startsAt: string) => {
        if (one.event()?.['status'] === 'confirmed') one.drag(startsAt);
        await one.sight();
      };
      return {
        ...{ clock: world.clock, platform: world.platform },
        wish: () => drag(one.to),
        replace: () => drag(one.later),
        takeBack: () => drag(one.from),
        turn: (around) => one.turn(around && withCalls(world.ground, around)),
        async settle() {
          for (const startsAt of [one.from, one.to, one.later]) await one.wake(startsAt);
          await one.sight();
          await forMinutes(world.clock, () => one.settle());
        },
        async loseRedis() {
          await world.store.redis.flushall();
          await one.wake();
        },
        open: () =>
          openOf(
            world.store.intents,
            one.ids.map((id) => `appointment/${id}`),
          ),
        shows: () => [...one.ids.map(one.startOf), ...one.shown()],
        async marks() {
          return (await one.isSettled()) ? [] : ['an edit'];
        },
      };
    },
    ends: (() => {
      const at = (hour: number) => `2026-03-03T${String(hour).padStart(2, '0')}:00:00.000Z`;
      const all = (hour: number) => [at(hour), at(hour), at(hour), `Yoga 3 ${at(hour)}`];
      return { untouched: all(7), wished: all(11), replaced: all(14) };
    })(),
    mails: ['rescheduled', 'rescheduled', 'rescheduled'],
    isFinal: true,
    ...closing,
  };
}

export const SOURCES: readonly (() => Source)[] = [
  movedEvents,
  deletedEvents,
  typedStarts,
  tickedRows,
  contactCells,
  bookedEvents,
  bookedRows,
  movedRows,
  blocks,
  classes,
];
