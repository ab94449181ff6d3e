/** An event that was booked leaves its calendar, and nobody has deleted it: no appointment is cancelled by that. */

import { afterAll, afterEach, expect, test } from 'vitest';
import { decide } from '../../../src/engine/decide-booking.ts';
import { bookedAs, NEW_BOOKING, withOwn } from '../../../src/engine/outside-booking.ts';
import { double } from '../../stand/double.ts';
import {
  ANNA,
  BORIS,
  GRACE_MS,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/outside.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Booked, and the mirror of its appointment. The ids of the event and of the appointment. */
async function booked(
  world: OutsideWorld,
): Promise<{ readonly event: string; readonly appointment: string }> {
  const event = world.drop();
  await world.book();
  return { event, appointment: String(world.appointments()[0]?.['id']) };
}

async function pastTheGrace(world: OutsideWorld): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    await world.settle();
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle();
}

test('when the platform gives a booked appointment to a colleague, the worker takes the event away, and the appointment stays', async () => {
  const world = await stands.start();
  const { appointment } = await booked(world);
  world.dashboard.reschedule(appointment, {
    startsAt: TUESDAY_12,
    resourceId: world.platform.borisId,
    notify: false,
  });
  await world.hear();
  await pastTheGrace(world);
  expect(world.booked()).toEqual([`${TUESDAY_12} Boris`]);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
});

test('case 47: people move a booked event to a colleague: its place in the first calendar cancels nothing', async () => {
  const world = await stands.start();
  const { event } = await booked(world);
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: event, to: BORIS });
  await pastTheGrace(world);
  expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});

test('case 47: an event that leaves its calendar right before it is booked is booked once, where it went', async () => {
  const world = await stands.start();
  const event = world.drop();
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: event, to: BORIS });
  await world.turn(world.keyAt(event));
  expect(world.booked()).toEqual([]);
  await pastTheGrace(world);
  expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
});

test('a former mirror event that is gone cancels nothing, wherever the appointment is shown now', () => {
  const nowMs = Date.parse('2026-03-02T09:00:00Z');
  const gone = {
    place: 'calendar',
    ...{ isLive: false, isChanged: true, saysWhenReady: false, stillSinceMs: 0, nowMs },
    extracted: { as: 'none', code: 'empty' },
    appointment: { status: 'confirmed', startsAt: TUESDAY_10, isMirrored: false },
    rules: { stillForMs: 0 },
  } as const;
  const wished = { startsAt: TUESDAY_10, rest: '' };
  const record = bookedAs(NEW_BOOKING, { id: 'a', wished });
  expect(decide({ ...gone, record })).toEqual({ type: 'hand-over' });
  expect(decide({ ...gone, record: withOwn(record, { mirrored: true }) })).toEqual({ type: 'nothing' });
});

test('a deletion that was taken back before the event became the mirror is not counted with the others', async () => {
  const world = await stands.start();
  const event = world.drop();
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  // The process dies with the verdict in its hands.
  const adopt = () => Promise.reject(new Error('killed'));
  const write = world.ground.links.write.bind(world.ground.links);
  await world.turn(world.keyAt(event), { ...world.ground, links: double({ write, adopt }) });
  world.clock.advance(60_000);
  world.staff.remove({ calendarId: ANNA, eventId: event });
  await world.sync();
  await world.turn(world.keyAt(event));
  expect(await world.record(event)).toMatchObject({ own: { mirrored: true } });
  await world.settle();
  expect(await world.store.tally.count(`deleting:${ANNA}`, 'x', 1_000)).toBe(2);
  await world.store.tally.forget(`deleting:${ANNA}`, 'x');
  world.staff.restore({ calendarId: ANNA, eventId: event });
  await world.sync();
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  const others = ['deleted', 'deleting'].map((list) =>
    world.store.tally.count(`${list}:${ANNA}`, 'x', 1_000),
  );
  expect(await Promise.all(others)).toEqual([1, 1]);
});

test('deleting an event before it became the mirror cancels its appointment after the grace, by the same rule (P7)', async () => {
  const world = await stands.start();
  const event = world.drop();
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  const adopt = () => Promise.reject(new Error('killed'));
  const write = world.ground.links.write.bind(world.ground.links);
  await world.turn(world.keyAt(event), { ...world.ground, links: double({ write, adopt }) });
  world.staff.remove({ calendarId: ANNA, eventId: event });
  await world.sync();
  const reads = new RegExp(`calendars/${BORIS}/events/.`);
  const lift = world.google.faults.add({ path: reads, fault: { kind: 'status', status: 503 } });
  await pastTheGrace(world);
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  lift();
  world.clock.advance(300_000);
  await pastTheGrace(world);
  expect(world.booked()).toEqual([]);
});

test.each(['Boris', 'nobody with a calendar'])(
  'P7: before its booking was recorded, the platform gives the appointment to %s and back, and nobody has deleted the event',
  async (to) => {
    const world = await stands.start();
    const event = world.drop();
    await world.sync();
    world.clock.advance(STILL_MS + 1_000);
    const adopt = () => Promise.reject(new Error('killed'));
    const write = world.ground.links.write.bind(world.ground.links);
    await world.turn(world.keyAt(event), { ...world.ground, links: double({ write, adopt }) });
    const appointment = String(world.appointments()[0]?.['id']);
    const hearAndTurn = async () => {
      await world.hear();
      await world.turn(`appointment/${appointment}`);
      await world.sync();
      await world.turn(`appointment/${appointment}`);
    };
    await hearAndTurn();
    const { annaId, borisId, branchId, serviceId } = world.platform;
    const dora = world.dashboard.createResource({ branchId, name: 'Dora' });
    world.dashboard.changeService(serviceId, { resourceIds: [annaId, borisId, dora] });
    await world.learn();
    const resourceId = to === 'Boris' ? borisId : dora;
    world.dashboard.reschedule(appointment, { startsAt: TUESDAY_12, resourceId, notify: false });
    await hearAndTurn();
    world.dashboard.reschedule(appointment, { startsAt: TUESDAY_10, resourceId: annaId, notify: false });
    await hearAndTurn();
    await pastTheGrace(world);
    await pastTheGrace(world);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  },
);

const ADDED = {
  attendees: [{ email: 'colleague@clinic.example' }],
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
  visibility: 'private',
};

test('P6, P2: the event by which people booked moves to the colleague as it is, also where Redis is lost afterwards, and back', async () => {
  const world = await stands.start();
  const { event, appointment } = await booked(world);
  world.staff.edit({ calendarId: ANNA, eventId: event, patch: ADDED });
  await world.settle();
  const give = async (resourceId: string) => {
    world.dashboard.reschedule(appointment, { startsAt: TUESDAY_12, resourceId, notify: false });
    await world.hear();
    await pastTheGrace(world);
  };
  const moved = { ...ADDED, attendees: [expect.objectContaining(ADDED.attendees[0])], status: 'confirmed' };
  await give(world.platform.borisId);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
  expect(world.event(event, BORIS)).toMatchObject(moved);
  await world.loseRedis();
  await world.hear();
  await pastTheGrace(world);
  expect(world.booked()).toEqual([`${TUESDAY_12} Boris`]);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
  await give(world.platform.annaId);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  expect(world.event(event)).toMatchObject(moved);
  expect(world.booked()).toEqual([`${TUESDAY_12} Anna`]);
  expect(world.google.stats().mailsSent).toBe(0);
});

test.each([
  ['the answer to the move is lost', { kind: 'commit-then-reset' }],
  ['the move does not arrive', { kind: 'reset' }],
  [
    'Google refuses the move',
    {
      kind: 'status',
      ...{ status: 400, contentType: 'application/json' },
      body: '{"error":{"code":400,"message":"No.","errors":[{"reason":"eventTypeRestriction"}]}}',
    },
  ],
] as const)('P6, P2: %s: one event, with what people added', async (_, fault) => {
  const world = await stands.start();
  const { event, appointment } = await booked(world);
  world.staff.edit({ calendarId: ANNA, eventId: event, patch: ADDED });
  await world.settle();
  world.google.faults.add({ path: /\/move\b/, times: 1, fault });
  world.dashboard.reschedule(appointment, {
    startsAt: TUESDAY_12,
    resourceId: world.platform.borisId,
    notify: false,
  });
  await world.hear();
  await pastTheGrace(world);
  expect(world.booked()).toEqual([`${TUESDAY_12} Boris`]);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
  // A service account without delegation cannot invite the guest once more.
  const { attendees, ...copied } = ADDED;
  const isMoved = world.event(event, BORIS)?.['status'] === 'confirmed';
  expect(isMoved).toBe(fault.kind !== 'status');
  const kept = isMoved ? { ...ADDED, attendees: [expect.objectContaining(attendees[0])] } : copied;
  expect(world.google.truth.events(BORIS)).toMatchObject([kept]);
});
