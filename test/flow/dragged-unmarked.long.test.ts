/**
 * An event by which people booked is dragged to a colleague before the worker wrote into it: nothing but its id tells whose it is. Whatever
 * the platform does meanwhile, it becomes one appointment with one event, and nothing waits for good (P1, P2, P7, P8).
 */
import { afterAll, afterEach, expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import {
  ANNA,
  BORIS,
  CLARA,
  dyingAtAdoption,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  TUESDAY_10,
  TUESDAY_12,
} from '../stand/outside.ts';
import { combined, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const STATES = ['linked', 'not linked yet'] as const;

/** Booked, and no mirror has written into the event. Not linked: the worker died where it would have noted whose event it is. */
async function bookedUnmarked(
  world: OutsideWorld,
  state: (typeof STATES)[number] = 'linked',
): Promise<string> {
  const id = world.drop();
  await world.settle();
  world.clock.advance(STILL_MS + 1_000);
  await world.turn(world.keyAt(id), state === 'linked' ? world.ground : dyingAtAdoption(world));
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  return id;
}

async function turnAppointment(world: OutsideWorld): Promise<void> {
  await world.turn(`appointment/${String(world.appointments()[0]?.['id'])}`);
}

/** Ten minutes, or until nothing is left to do at any time, and a further minute has shown nothing more to read. */
async function toTheEnd(world: OutsideWorld): Promise<void> {
  for (let minutes = 0, rests = 0; minutes < 10 && rests < 2; minutes += 1) {
    await world.hear();
    await world.settle();
    world.clock.advance(60_000);
    rests = (await world.store.work.due(Number.MAX_SAFE_INTEGER, 1)).length === 0 ? rests + 1 : 0;
  }
}

async function atRest(world: OutsideWorld): Promise<void> {
  expect(await world.store.work.due(Number.MAX_SAFE_INTEGER, 100)).toEqual([]);
  expect(await world.letters()).toEqual([]);
}

/** Google does not answer whoever takes an event away. */
function withoutRemovals({ ground }: OutsideWorld): OutsideWorld['ground'] {
  const remove = async () => {
    throw new RetryableError('google-unavailable', 'no answer');
  };
  const api = new Proxy(ground.api, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === 'remove') return remove;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...ground, api };
}

async function turnAppointmentOn(world: OutsideWorld, ground: OutsideWorld['ground']): Promise<void> {
  await world.turn(`appointment/${String(world.appointments()[0]?.['id'])}`, ground);
}

/** The other one of the two who have it by now. */
const SIDES = [
  {
    to: CLARA,
    side: 'of the same mirror',
    clara: 'staff',
    name: 'Boris',
    at: BORIS,
    other: 'of another one',
  },
  {
    to: BORIS,
    side: 'of another mirror',
    clara: 'others',
    name: 'Clara',
    at: CLARA,
    other: 'of a third calendar there',
  },
] as const;

const DELETED = ['restore', 'cancel', 'ignore'] as const;
/** Which calendar is read before the mirrors write. */
const READ_FIRST = ['none', 'the one it left', 'the colleague’s'] as const;

async function readFirst(
  world: OutsideWorld,
  which: (typeof READ_FIRST)[number],
  colleague: string,
): Promise<void> {
  if (which !== 'none') await world.sync(which === 'the one it left' ? ANNA : colleague);
}

const DRAGS = combined(SIDES, STATES, DELETED, READ_FIRST).map(([sides, state, deleted, read]) => ({
  ...{ ...sides, state, deleted, read },
}));

test.each(rowsOf(DRAGS, 11))(
  'dragged to a colleague $side, while the platform gives it to one $other; $state, with deleted: $deleted, read first: $read',
  async ({ to, name, at, clara, state, deleted, read }) => {
    const world = await stands.start({}, {}, { split: true, clara, edits: { deleted } });
    const id = await bookedUnmarked(world, state);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to });
    const { borisId } = world.platform;
    const resourceId = name === 'Boris' ? borisId : String(world.claraId);
    world.dashboard.reschedule(String(world.appointments()[0]?.['id']), {
      ...{ startsAt: TUESDAY_12, resourceId, notify: false },
    });
    await readFirst(world, read, to);
    await world.hear();
    await turnAppointment(world);
    await toTheEnd(world);
    expect(world.appointments()).toHaveLength(1);
    expect(world.booked()).toEqual([`${TUESDAY_12} ${name}`]);
    expect(world.events()).toEqual([`${at} ${TUESDAY_12}`]);
    await atRest(world);
  },
);

test.each(rowsOf(combined(STATES, DELETED, READ_FIRST), 7))(
  'dragged to a colleague, while the platform cancels it: it is not booked again; %s, with deleted: %s, read first: %s',
  async (state, deleted, read) => {
    const world = await stands.start({}, {}, { split: true, edits: { deleted } });
    const id = await bookedUnmarked(world, state);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    world.dashboard.cancel(String(world.appointments()[0]?.['id']), { notify: false });
    await readFirst(world, read, BORIS);
    await world.hear();
    await turnAppointment(world);
    await toTheEnd(world);
    expect(world.appointments()).toHaveLength(1);
    expect(world.booked()).toEqual([]);
    expect(world.events()).toEqual([]);
    await atRest(world);
  },
);

const LATER = [
  ['given to them', 'Boris', BORIS],
  ['given back', 'Anna', ANNA],
  ['cancelled', undefined, undefined],
] as const;

test.each(rowsOf(combined(DELETED, LATER), 4))(
  'with deleted: %s, an event that was about to be taken away is dragged to a third colleague, and its appointment is $1.0',
  async (deleted, [, name, at]) => {
    const world = await stands.start({}, {}, { split: true, clara: 'staff', edits: { deleted } });
    const id = await bookedUnmarked(world);
    const appointmentId = String(world.appointments()[0]?.['id']);
    const { annaId, borisId } = world.platform;
    const give = (resourceId: string) =>
      world.dashboard.reschedule(appointmentId, { startsAt: TUESDAY_12, resourceId, notify: false });
    give(borisId);
    await world.hear();
    await turnAppointmentOn(world, withoutRemovals(world));
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: CLARA });
    if (name === 'Anna') give(annaId);
    if (name === undefined) world.dashboard.cancel(appointmentId, { notify: false });
    await world.hear();
    await turnAppointment(world);
    await toTheEnd(world);
    expect(world.appointments()).toHaveLength(1);
    expect(world.booked()).toEqual(name === undefined ? [] : [`${TUESDAY_12} ${name}`]);
    expect(world.events()).toEqual(at === undefined ? [] : [`${at} ${TUESDAY_12}`]);
    await atRest(world);
  },
);

const ENTRIES = ['another entry', 'the same entry'] as const;
const ENDS = ['fails', 'succeeds without an answer'] as const;

const startWith = (entry: (typeof ENTRIES)[number]) =>
  stands.start({}, {}, { split: true, apart: entry === 'another entry' });

test.each(combined(ENTRIES, ENDS))(
  'P2, P4: an event dragged to a colleague of %s while its request %s is booked once and shown there',
  async (entry, end) => {
    const world = await startWith(entry);
    const fault =
      end === 'fails' ? ({ kind: 'status', status: 503 } as const) : ({ kind: 'commit-then-reset' } as const);
    world.platform.sandbox.faults.add({ method: 'POST', path: /^\/v1\/appointments$/, fault });
    const id = world.drop();
    await world.settle();
    world.clock.advance(STILL_MS + 1_000);
    await world.turn(world.keyAt(id));
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await world.sync(BORIS);
    world.clock.advance(STILL_MS + 1_000);
    await world.turn(world.keyAt(id, BORIS));
    world.platform.sandbox.faults.clear();
    await toTheEnd(world);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    await atRest(world);
  },
);

test.each(combined(ENTRIES, STATES))(
  'P2, case 47: after a booked event is dragged to a colleague of %s, its appointment goes to that colleague; %s',
  async (entry, state) => {
    const world = await startWith(entry);
    const id = await bookedUnmarked(world, state);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await world.sync(BORIS);
    world.clock.advance(STILL_MS + 1_000);
    await world.turn(world.keyAt(id, BORIS));
    await toTheEnd(world);
    expect(world.appointments()).toHaveLength(1);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    await atRest(world);
  },
);

test.each(ENTRIES)(
  'P2: a booked event is dragged to a colleague of %s, and Redis is lost: its appointment has one event, and no other exists',
  async (entry) => {
    const world = await startWith(entry);
    const id = await bookedUnmarked(world, 'not linked yet');
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await world.loseRedis();
    await world.book();
    await toTheEnd(world);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toHaveLength(1);
    await atRest(world);
  },
);
