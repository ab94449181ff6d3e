import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  appointmentOf,
  NOBODY,
  ORIGIN,
  PushStands,
  type PushWorld,
  refusalOf,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function booked(world: PushWorld): Promise<string> {
  return appointmentOf(await world.submitter().submit(ORIGIN, world.book())).id;
}

function changes(world: PushWorld): string[] {
  const { requestsByRoute } = world.sandbox.stats();
  return Object.keys(requestsByRoute)
    .filter((route) => /reschedule|cancel/.test(route))
    .flatMap((route) => Array(requestsByRoute[route] ?? 0).fill(route.replace(/.*\//, '')));
}

describe('a move', () => {
  test('carries the time and the resource, and says who is told', async () => {
    const world = await stands.start();
    const id = await booked(world);
    const wish = world.move(id, TUESDAY_12, { resourceId: world.borisId, notifyCustomer: true });
    expect(appointmentOf(await world.submitter().submit(ORIGIN, wish))).toMatchObject({
      starts_at: '2026-03-03T09:00:00.000Z',
      resource_ids: [world.borisId],
    });
    expect(world.sandbox.truth.customerMails()).toMatchObject([{ reason: 'rescheduled' }]);
  });

  test('to B, back to A and to B again is three decisions (case 54)', async () => {
    const world = await stands.start();
    const id = await booked(world);
    for (const startsAt of [TUESDAY_12, TUESDAY_10, TUESDAY_12]) {
      const moved = appointmentOf(await world.submitter().submit(ORIGIN, world.move(id, startsAt)));
      expect(Date.parse(String(moved['starts_at']))).toBe(Date.parse(startsAt));
    }
    expect(changes(world)).toEqual(['reschedule', 'reschedule', 'reschedule']);
  });

  test('to where it stands already sends nothing, whatever zone the time is written in (case 44)', async () => {
    const world = await stands.start();
    const id = await booked(world);
    appointmentOf(await world.submitter().submit(ORIGIN, world.move(id, '2026-03-03T09:00:00+02:00')));
    expect(changes(world)).toEqual([]);
  });

  test('whose answer was lost, while staff moved it elsewhere, does not take that back', async () => {
    const world = await stands.start();
    const id = await booked(world);
    world.sandbox.faults.add({ path: /reschedule/, times: 1, fault: { kind: 'commit-then-reset' } });
    const wish = world.move(id, TUESDAY_12);
    await expect(world.submitter().submit(ORIGIN, wish)).rejects.toMatchObject({
      code: 'platform-unreachable',
    });
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    // The platform forgets its keys after a day: sending it again would move it.
    world.clock.advance(1);
    world.sandbox.switches = { ...world.sandbox.switches, idempotencyHours: 0 };
    expect(refusalOf(await world.submitter().submit(ORIGIN, wish)).code).toBe('moved-meanwhile');
    expect(world.live()).toMatchObject([{ starts_at: '2026-03-03T11:00:00.000Z' }]);
    expect(await world.store.intents.read(ORIGIN)).toMatchObject({ open: undefined });
  });

  test('of an appointment that the platform does not show is refused', async () => {
    const world = await stands.start();
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.move(NOBODY, TUESDAY_12))).code).toBe(
      'not-found',
    );
  });

  test('into a taken hour is refused, and the appointment stays', async () => {
    const world = await stands.start();
    const id = await booked(world);
    world.dashboard.bookAs('lk', {
      serviceId: world.serviceId,
      startsAt: TUESDAY_12,
      resourceId: world.annaId,
    });
    const refusal = refusalOf(await world.submitter().submit(ORIGIN, world.move(id, TUESDAY_12)));
    expect(refusal).toMatchObject({ code: 'slot-unavailable', zone: 'Europe/Moscow' });
    expect(refusal.slots).toHaveLength(3);
    expect(refusal.slots.every((slot) => slot.resourceId === world.annaId)).toBe(true);
    expect(world.sandbox.truth.appointment(id)).toMatchObject({ starts_at: '2026-03-03T07:00:00.000Z' });
  });
});

describe('a cancellation', () => {
  test('releases the time, with its reason, and mails nobody', async () => {
    const world = await stands.start();
    const id = await booked(world);
    const cancelled = appointmentOf(
      await world.submitter().submit(ORIGIN, world.cancel(id, { reason: 'deleted in the calendar' })),
    );
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      resource_ids: [],
      cancel_reason: 'deleted in the calendar',
    });
    expect(world.sandbox.stats().customerMails).toBe(0);
  });

  test('of what is cancelled already sends nothing', async () => {
    const world = await stands.start();
    const id = await booked(world);
    world.dashboard.cancel(id);
    appointmentOf(await world.submitter().submit(ORIGIN, world.cancel(id)));
    expect(changes(world)).toEqual([]);
  });

  test('of a completed appointment is refused, and the appointment stays (case 48)', async () => {
    const world = await stands.start();
    const id = await booked(world);
    world.dashboard.markAppointment(id, 'completed');
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.cancel(id)))).toEqual({
      code: 'appointment-not-cancellable',
      slots: [],
    });
    expect(world.sandbox.truth.appointment(id)).toMatchObject({ status: 'completed' });
  });
});
