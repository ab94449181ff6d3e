/** An event that is dragged to a colleague gives them the appointment and stands once, whichever calendar is read first (P1, P2, P7). */

import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { linkTo } from '../../src/engine/link.ts';
import type { CalendarBookings } from '../../src/engine/outside-booking.ts';
import {
  ANNA,
  BORIS,
  GRACE_MS,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  TUESDAY_10,
} from '../stand/outside.ts';
import { combined, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

type Deleted = CalendarBookings['staffEdits'][string]['deleted'];

async function start(split: boolean, deleted: Deleted, moved: 'reschedule' | 'revert' = 'reschedule') {
  return stands.start({}, {}, { split, edits: { moved, deleted } });
}

/** People's own event, by which they booked, with the marks of the worker in it; its id. */
async function bookedByEvent(world: OutsideWorld): Promise<string> {
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
  return id;
}

/** An event that the worker has made; its id. */
async function madeByWorker(world: OutsideWorld): Promise<string> {
  const { serviceId, annaId: resourceId } = world.platform;
  const customer = { customerName: 'Vera Orlova', customerPhone: '+74950001101' };
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, ...customer, notify: false });
  await world.hear();
  await world.settle();
  return String(world.google.truth.events(ANNA)[0]?.['id']);
}

async function turnAll(world: OutsideWorld): Promise<void> {
  for (const key of await world.store.work.due(world.clock.now(), 100)) await world.turn(key);
}

/** One calendar is read, and all that follows is handled, for a while. */
async function readOnly(world: OutsideWorld, calendarId: string): Promise<void> {
  for (let look = 0; look < 3; look += 1) {
    await world.sync(calendarId);
    await turnAll(world);
    world.clock.advance(look === 0 ? 500 : STILL_MS);
  }
}

/** Three graces, or until nothing is left to do at any time, and a further round has shown nothing more to read. */
async function toTheEnd(world: OutsideWorld): Promise<void> {
  for (let round = 0, rests = 0; round < 6 && rests < 2; round += 1) {
    await world.hear();
    await world.settle();
    world.clock.advance(GRACE_MS / 2 + 1_000);
    rests = (await world.store.work.due(Number.MAX_SAFE_INTEGER, 1)).length === 0 ? rests + 1 : 0;
  }
  await world.settle();
}

const READ = {
  'the colleague’s calendar is read first': (world: OutsideWorld) => readOnly(world, BORIS),
  'the calendar it left is read first': (world: OutsideWorld) => readOnly(world, ANNA),
  'the worker is down meanwhile': async (world: OutsideWorld) => world.clock.advance(3_600_000),
  'the calendar it left is not shared meanwhile': async (world: OutsideWorld) => {
    world.google.revokeAccess(ANNA);
    await readOnly(world, BORIS);
    world.google.grantAccess(ANNA);
  },
} as const;

const EVENTS = { 'an event that booked': bookedByEvent, 'an event of the worker’s': madeByWorker } as const;

const DRAGS = combined(
  ['cancel', 'restore'] as const,
  ['of the same mirror', 'of another mirror'] as const,
  Object.keys(EVENTS) as (keyof typeof EVENTS)[],
  Object.keys(READ) as (keyof typeof READ)[],
).map(([deleted, colleague, event, read]) => ({ deleted, colleague, event, read }));

test.each(rowsOf(DRAGS, 7))(
  'with deleted: $deleted, dragged to a colleague $colleague, $event goes to them when $read',
  async ({ deleted, colleague, event, read }) => {
    const world = await start(colleague === 'of another mirror', deleted);
    const id = await EVENTS[event](world);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await READ[read](world);
    await toTheEnd(world);
    expect(world.appointments()).toHaveLength(1);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.event(id, BORIS)).toMatchObject({
      summary: 'Haircut, Vera Orlova',
      status: 'confirmed',
    });
    expect(await world.letters()).toEqual([]);
  },
);

describe.each([
  ['of the same mirror', false],
  ['of another mirror', true],
])('dragged to a colleague %s whose calendar does not answer', (_, split) => {
  test.each(rowsOf(Object.keys(EVENTS) as (keyof typeof EVENTS)[], 2))(
    '%s is restored after a while, and stands once in the end',
    async (event) => {
      const world = await start(split, 'restore');
      const id = await EVENTS[event](world);
      world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
      world.google.revokeAccess(BORIS);
      await readOnly(world, ANNA);
      expect(world.google.truth.events(ANNA)).toHaveLength(0);
      for (let minutes = 0; minutes < 3; minutes += 1) await readOnly(world, ANNA);
      expect(world.google.truth.events(ANNA)).toHaveLength(1);
      world.google.grantAccess(BORIS);
      await toTheEnd(world);
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    },
  );
});

test.each(rowsOf([BORIS, ANNA], 2))(
  'with moved: revert it goes back, also when %s is read first',
  async (first) => {
    const world = await start(true, 'restore', 'revert');
    const id = await bookedByEvent(world);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await readOnly(world, first);
    await toTheEnd(world);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  },
);

test.each(rowsOf(['a tombstone', 'nothing'], 2))(
  'one that was deleted and leaves %s comes back',
  async (left) => {
    const world = await start(true, 'restore');
    const id = await bookedByEvent(world);
    world.staff.remove({ calendarId: ANNA, eventId: id });
    await world.sync(ANNA);
    if (left === 'nothing') world.staff.purgeTombstones({ calendarId: ANNA });
    await toTheEnd(world);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(await world.store.work.due(Number.MAX_SAFE_INTEGER, 100)).toEqual([]);
    expect(await world.letters()).toEqual([]);
  },
);

test('a copy in the colleague’s calendar bears the marks, and means nothing', async () => {
  const world = await start(true, 'restore');
  const id = await bookedByEvent(world);
  const { summary, start: from, end, extendedProperties } = world.event(id) ?? {};
  const copy = { summary, start: from, end, extendedProperties } as Parameters<
    typeof world.staff.add
  >[0]['event'];
  world.staff.add({ calendarId: BORIS, event: copy });
  await toTheEnd(world);
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await toTheEnd(world);
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${BORIS} ${TUESDAY_10}`]);
});

test('a mark that names no known appointment is not looked up', async () => {
  const world = await start(false, 'restore');
  const marks = { slotbridge: '1', slotbridge_appointment: 'nobody-knows-it' };
  world.drop({ summary: 'Lunch', extendedProperties: { private: marks } });
  await world.settle();
  expect(await world.store.ledger.peek({ kind: 'appointment', id: 'nobody-knows-it' })).toBeUndefined();
});

test.each(
  rowsOf(
    [
      ['of the same mirror', false],
      ['of another mirror', true],
    ],
    2,
  ),
)(
  'P1: an event that booked goes when the platform gave its appointment to a colleague %s while Redis was lost',
  async (_, split) => {
    const world = await start(split, 'cancel');
    const id = await bookedByEvent(world);
    const [appointment] = world.appointments();
    await world.loseRedis();
    const resourceId = world.platform.borisId;
    world.dashboard.reschedule(String(appointment?.['id']), {
      startsAt: TUESDAY_10,
      resourceId,
      notify: false,
    });
    // As a start on a blank Redis does: the calendars tell which events are the worker's.
    const marks = (world.event(id)?.['etag'] ?? '') as string;
    const link = linkTo({ calendarId: ANNA, eventId: id }, { etag: marks });
    await world.store.links.adopt(`appointment/${String(appointment?.['id'])}`, 'staff', link);
    await toTheEnd(world);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  },
);
