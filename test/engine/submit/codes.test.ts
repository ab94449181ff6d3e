import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { BEHAVIOURS, behaviourOf } from '../../../src/engine/carry-write.ts';
import { TerminalError } from '../../../src/engine/errors.ts';
import { appointmentOf, NOBODY, ORIGIN, PushStands, type PushWorld, refusalOf, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Platform API, Errors, Appointment codes. */
const APPOINTMENT_CODES = [
  'slot-unavailable',
  'outside-working-hours',
  'no-resources',
  'appointment-not-reschedulable',
  'appointment-not-cancellable',
  'service-inactive',
  'invalid-duration',
  'too-many-guests',
  'starts-at-in-past',
  'service-not-found',
  'branch-not-found',
  'branch-id-required',
  'resource-not-eligible',
  'contact-not-found',
];

test('all fourteen appointment codes have a behaviour', () => {
  expect(Object.keys(BEHAVIOURS)).toEqual(expect.arrayContaining(APPOINTMENT_CODES));
  expect(APPOINTMENT_CODES).toHaveLength(14);
});

/** The same document, what create, reschedule and cancel may answer, and General codes that any operation may. */
const BY_OPERATION = {
  create: [
    ...['bad-request', 'idempotency-key-required', 'idempotency-key-invalid', 'forbidden'],
    ...['idempotency-conflict', 'slot-unavailable', 'outside-working-hours', 'no-resources', 'conflict'],
    ...['validation', 'starts-at-in-past', 'service-not-found', 'branch-not-found', 'branch-id-required'],
    ...['resource-not-eligible', 'contact-not-found', 'invalid-duration', 'too-many-guests'],
  ],
  reschedule: [
    ...['idempotency-key-invalid', 'not-found', 'idempotency-conflict', 'appointment-not-reschedulable'],
    ...['service-inactive', 'slot-unavailable', 'outside-working-hours', 'no-resources', 'validation'],
    ...['starts-at-in-past', 'resource-not-eligible'],
  ],
  cancel: [
    ...['idempotency-key-invalid', 'not-found', 'idempotency-conflict', 'appointment-not-cancellable'],
    'validation',
  ],
};

test.each(Object.entries(BY_OPERATION))(
  'every refusal that %s lists has a behaviour of its own',
  (_, codes) => {
    expect(Object.keys(BEHAVIOURS)).toEqual(expect.arrayContaining(codes));
  },
);

test.each(['idempotency-key-required', 'idempotency-key-invalid'])(
  '%s is about the key: the booking is made under another one, and never refused for it',
  async (code) => {
    const world = await stands.start();
    const body = JSON.stringify({ type: `https://errors.example/${code}`, status: 400 });
    const refuse = (times?: number) =>
      world.sandbox.faults.add({
        ...{ method: 'POST', path: /appointments$/, fault: { kind: 'status', status: 400, body } },
        ...(times !== undefined && { times }),
      });
    refuse(1);
    appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
    refuse();
    await expect(
      world.submitter().submit('other', world.book({ startsAt: TUESDAY_12 })),
    ).rejects.toMatchObject({
      family: 'retryable',
      code: 'intent-keys-spent',
    });
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
  },
);

test.each([
  ['slot-held', 409, 'offer'],
  ['payment-required-first', 422, 'refuse'],
  ['http', 405, 'refuse'],
  ['toString', 422, 'refuse'],
])('the unknown code %s is judged by its status %i: %s', (code, status, behaviour) => {
  expect(behaviourOf(new TerminalError(code, 'refused', { status }))).toBe(behaviour);
});

describe('the platform itself says', () => {
  test('outside-working-hours, with times inside them', async () => {
    const world = await stands.start();
    const refusal = await refusedBooking(world, { startsAt: '2026-03-03T07:30:00+03:00' });
    expect(refusal.code).toBe('outside-working-hours');
    expect(refusal.slots.map(({ startsAt }) => startsAt)).toContain('2026-03-03T06:00:00.000Z');
  });

  test('starts-at-in-past, with the next times from now', async () => {
    const world = await stands.start();
    const refusal = await refusedBooking(world, { startsAt: '2026-03-01T10:00:00+03:00' });
    expect(refusal.code).toBe('starts-at-in-past');
    expect(refusal.slots.map(({ startsAt }) => startsAt)).toEqual([
      '2026-03-02T09:00:00.000Z',
      '2026-03-02T09:30:00.000Z',
      '2026-03-02T10:00:00.000Z',
    ]);
  });

  test('service-not-found, also of a service that only the platform could know', async () => {
    const world = await stands.start();
    expect(await refusedBooking(world, { serviceId: NOBODY })).toEqual({
      code: 'service-not-found',
      slots: [],
    });
    expect(world.sandbox.truth.contacts()).toEqual([]);
  });

  test('nothing against a service that is newer than the directory', async () => {
    const world = await stands.start();
    const { projectId, annaId } = world;
    const serviceId = world.dashboard.createService({ projectId, name: 'New', resourceIds: [annaId] });
    appointmentOf(await world.submitter().submit(ORIGIN, world.book({ serviceId })));
    expect(world.sandbox.truth.contacts()).toMatchObject([{ project_id: projectId }]);
  });

  test('branch-not-found, branch-id-required, no-resources and resource-not-eligible', async () => {
    const world = await stands.start();
    const { projectId, serviceId } = world;
    const customer = world.book().customer;
    const anywhere = {
      op: 'book' as const,
      serviceId,
      startsAt: TUESDAY_12,
      customer,
      notifyCustomer: false,
    };
    const north = world.dashboard.createBranch({ projectId, name: 'North' });
    const code = async (more: object) =>
      refusalOf(await world.submitter().submit(JSON.stringify(more), { ...anywhere, ...more })).code;
    expect(await code({ branchId: NOBODY })).toBe('branch-not-found');
    expect(await code({})).toBe('branch-id-required');
    expect(await code({ branchId: north })).toBe('no-resources');
    expect(await code({ resourceId: NOBODY })).toBe('resource-not-eligible');
  });

  test('invalid-duration and too-many-guests of a rental; without a length none is sent', async () => {
    const world = await stands.start();
    const { projectId, annaId } = world;
    const serviceId = world.dashboard.createService({
      projectId,
      name: 'Hall',
      bookingMode: 'interval',
      maxGuests: 4,
      resourceIds: [annaId],
    });
    await world.readDirectory();
    expect((await refusedBooking(world, { serviceId, durationMin: 61 })).code).toBe('invalid-duration');
    expect((await refusedBooking(world, { serviceId, durationMin: 60, guests: 5 })).code).toBe(
      'too-many-guests',
    );
    const before = world.sandbox.stats().requests;
    expect((await refusedBooking(world, { serviceId })).code).toBe('invalid-duration');
    expect(world.sandbox.stats().requests).toBe(before);
    appointmentOf(await world.submitter().submit(ORIGIN, world.book({ serviceId, durationMin: 90 })));
  });

  test('contact-not-found when the contact went between the look and the booking', async () => {
    const world = await stands.start();
    const { cards } = world.ground;
    const id = world.dashboard.createContact({ projectId: world.projectId, name: 'Ivan' });
    const byId: typeof cards.byId = async (contactId) => {
      const found = await cards.byId(contactId);
      world.dashboard.deleteContact(id);
      return found;
    };
    const ground = { ...world.ground, cards: { ...bound(cards), byId } };
    const wish = world.book({ customer: { contactId: id, create: false } });
    expect(refusalOf(await world.submitter(ground).submit(ORIGIN, wish))).toEqual({
      code: 'contact-not-found',
      slots: [],
    });
  });

  test('service-inactive and appointment-not-reschedulable of a move', async () => {
    const world = await stands.start();
    const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    world.dashboard.switchOffService(world.serviceId);
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.move(id, TUESDAY_12)))).toEqual({
      code: 'service-inactive',
      slots: [],
    });
    world.dashboard.markAppointment(id, 'arrived');
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.move(id, TUESDAY_12)))).toEqual({
      code: 'appointment-not-reschedulable',
      slots: [],
    });
  });

  test('validation, with the names of the fields only', async () => {
    const world = await stands.start();
    expect(await refusedBooking(world, { startsAt: 'tomorrow at ten' })).toEqual({
      code: 'validation',
      slots: [],
      fields: ['starts_at'],
    });
  });

  test('a code that nobody has heard of', async () => {
    const world = await stands.start();
    const body = JSON.stringify({ type: 'https://errors.example/deposit-required', status: 409 });
    world.sandbox.faults.add({
      method: 'POST',
      path: /appointments$/,
      fault: { kind: 'status', status: 409, body },
    });
    const refusal = await refusedBooking(world, {});
    expect(refusal).toMatchObject({ code: 'deposit-required' });
    expect(refusal.slots).toHaveLength(3);
  });
});

async function refusedBooking(world: PushWorld, more: Parameters<PushWorld['book']>[0]) {
  const refusal = refusalOf(await world.submitter().submit(ORIGIN, world.book(more)));
  expect((await world.store.intents.read(ORIGIN))?.open).toBeUndefined();
  return refusal;
}

function bound(cards: PushWorld['ground']['cards']): PushWorld['ground']['cards'] {
  return {
    byId: (id) => cards.byId(id),
    byPhone: (phone, projectId) => cards.byPhone(phone, projectId),
    byEmail: (email, projectId) => cards.byEmail(email, projectId),
    create: (request) => cards.create(request),
  };
}
