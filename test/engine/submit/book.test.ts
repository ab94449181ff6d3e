import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { IsFormer } from '../../../src/engine/carriers.ts';
import { appointmentOf, NOBODY, ORIGIN, PHONE, PushStands, refusalOf, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

describe('a booking', () => {
  test('becomes one appointment that names its origin, and mails nobody (case 38)', async () => {
    const world = await stands.start();
    const made = appointmentOf(
      await world.submitter().submit(ORIGIN, world.book({ comment: 'first time here' })),
    );
    expect(world.sandbox.truth.appointments()).toEqual([made]);
    expect(made).toMatchObject({
      resource_ids: [world.annaId],
      starts_at: '2026-03-03T07:00:00.000Z',
      comment: 'first time here',
      metadata: { slotbridge_origin: ORIGIN },
    });
    expect(world.sandbox.stats().customerMails).toBe(0);
  });

  test('mails its customer when the wish says so', async () => {
    const world = await stands.start();
    await world.submitter().submit(ORIGIN, world.book({ notifyCustomer: true }));
    expect(world.sandbox.truth.customerMails()).toHaveLength(1);
  });

  test('asked for again by somebody who forgot the answer is the same appointment, as it is now', async () => {
    const world = await stands.start();
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    world.dashboard.reschedule(made.id, { startsAt: TUESDAY_12 });
    const again = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    expect(again).toMatchObject({ id: made.id, starts_at: '2026-03-03T09:00:00.000Z' });
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
  });

  test('is found by its origin after Redis was lost, wherever it was moved meanwhile', async () => {
    const world = await stands.start();
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    world.dashboard.reschedule(made.id, { startsAt: TUESDAY_12 });
    await world.forgetAll();
    world.clock.advance(1_000);
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book())).id).toBe(made.id);
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
  });

  test('is found where it was booked when its customer was merged into another and Redis lost', async () => {
    const world = await stands.start({ switches: { mergeAppointments: 'contact-null' } });
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    const { projectId } = world;
    const survivor = world.dashboard.createContact({ projectId, name: 'Ivan', phone: PHONE });
    world.dashboard.mergeContacts(survivor, String(made['contact_id']));
    await world.forgetAll();
    world.clock.advance(1_000);
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book())).id).toBe(made.id);
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
  });

  test.each([PHONE, '+79995554433'])(
    'for %s after Redis was lost: those of other origins are shown, and whether the platform has them for this customer',
    async (phone) => {
      const world = await stands.start();
      const made = appointmentOf(await world.submitter().submit('row/former', world.book()));
      await world.forgetAll();
      world.clock.advance(1_000);
      const shown: unknown[] = [];
      const customer = { name: 'Somebody', phone, create: true };
      const isFormer: IsFormer = async (mark, { id }, isCustomers) => {
        shown.push([mark, id, isCustomers]);
        return false;
      };
      await world.submitter().submit(ORIGIN, world.book({ customer }), { isFormer });
      expect(shown).toEqual([['row/former', made.id, phone === PHONE]]);
    },
  );

  test('asked for again with another customer, at another time than it stands, is still the same appointment', async () => {
    const world = await stands.start();
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    world.dashboard.reschedule(made.id, { startsAt: TUESDAY_12 });
    world.clock.advance(1_000);
    const customer = { name: 'Olga', phone: '+79995554433', create: true };
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book({ customer }))).id).toBe(made.id);
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
    expect(await world.submitter().made(ORIGIN)).toBe(made.id);
  });

  test('whose appointment was cancelled is a new decision: it is booked anew, not answered from the old key', async () => {
    const world = await stands.start();
    const first = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    await world.submitter().submit(ORIGIN, world.cancel(first.id));
    const second = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    expect(second.id).not.toBe(first.id);
    expect(second).toMatchObject({ status: 'confirmed' });
    expect(world.live()).toHaveLength(1);
  });

  test('is booked anew after a cancellation and a loss of Redis, although its count begins again', async () => {
    const world = await stands.start();
    const first = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    await world.submitter().submit(ORIGIN, world.cancel(first.id));
    await world.forgetAll();
    world.clock.advance(1_000);
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book())).id).not.toBe(first.id);
    expect(world.live()).toHaveLength(1);
  });

  test('that was refused is tried again when somebody has made room (case 53)', async () => {
    const world = await stands.start();
    const other = world.dashboard.bookAs('lk', {
      serviceId: world.serviceId,
      startsAt: '2026-03-03T10:00:00+03:00',
      resourceId: world.annaId,
    });
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.book())).code).toBe('slot-unavailable');
    world.dashboard.cancel(other);
    appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    expect(world.live()).toHaveLength(1);
  });

  test('with an origin that is longer than metadata may be still carries a mark of it', async () => {
    const world = await stands.start();
    const long = `sheet ${'x'.repeat(600)}`;
    const made = appointmentOf(await world.submitter().submit(long, world.book()));
    await world.forgetAll();
    world.clock.advance(1_000);
    expect(appointmentOf(await world.submitter().submit(long, world.book())).id).toBe(made.id);
  });
});

test('when a request has ended, nothing personal of it stays in Redis, nor in a name of a key while it is open', async () => {
  const world = await stands.start();
  const personal = /Ivan|79990001122|clinic\.example|first time here/;
  const kept = async () => {
    const keys = await world.store.redis.keys('*');
    const intents = keys.filter((key) => key.includes(':intent:'));
    const values = await Promise.all(intents.map((key) => world.store.redis.hgetall(key)));
    return { keys: keys.join(' '), values: JSON.stringify(values) };
  };
  const remove = world.sandbox.faults.add({
    method: 'POST',
    path: /appointments$/,
    fault: { kind: 'reset' },
  });
  await expect(
    world.submitter().submit(ORIGIN, world.book({ comment: 'first time here' })),
  ).rejects.toThrow();
  expect((await kept()).values).toMatch(personal);
  expect((await kept()).keys).not.toMatch(personal);
  remove();
  appointmentOf(await world.submitter().submit(ORIGIN, world.book({ comment: 'first time here' })));
  expect((await kept()).values).toMatch(/"a":/);
  expect((await kept()).values).not.toMatch(personal);
});

describe('the customer', () => {
  test('is found by phone, and keeps the name and e-mail of the CRM (case 25)', async () => {
    const world = await stands.start({ switches: { customerFieldsBesideContact: 'overwrite-contact' } });
    const id = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Ivan Petrov',
      phone: PHONE,
      email: 'ivan@example.com',
    });
    const customer = { name: 'Vanya', phone: PHONE, email: 'other@example.com', create: true };
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book({ customer })));
    expect(made).toMatchObject({ contact_id: id, customer_name: 'Ivan Petrov' });
    expect(world.sandbox.truth.contacts()).toMatchObject([
      { name: 'Ivan Petrov', email: 'ivan@example.com' },
    ]);
  });

  test('is the contact whose id was given, before any phone', async () => {
    const world = await stands.start();
    const id = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Olga',
      phone: '+79995554433',
    });
    world.dashboard.createContact({ projectId: world.projectId, name: 'Ivan', phone: PHONE });
    const customer = { contactId: id, phone: PHONE, create: false };
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book({ customer })))).toMatchObject({
      contact_id: id,
    });
  });

  test.each([
    ['one that nobody has', NOBODY],
    ['one that is none', 'Ivan Petrov'],
  ])(
    'with an id that is %s is refused, and not looked for by the phone of somebody else',
    async (_, contactId) => {
      const world = await stands.start();
      world.dashboard.createContact({ projectId: world.projectId, name: 'Ivan', phone: PHONE });
      const customer = { contactId, phone: PHONE, create: true };
      const { code } = refusalOf(await world.submitter().submit(ORIGIN, world.book({ customer })));
      expect(code).toBe('contact-not-found');
      expect(world.sandbox.truth.appointments()).toEqual([]);
      expect(world.sandbox.truth.contacts()).toHaveLength(1);
    },
  );

  test('with the id of a contact of another project is refused', async () => {
    const world = await stands.start();
    const projectId = world.dashboard.createProject({ name: 'Spa' });
    const contactId = world.dashboard.createContact({ projectId, name: 'Ivan', phone: PHONE });
    const customer = { contactId, phone: PHONE, create: true };
    const { code } = refusalOf(await world.submitter().submit(ORIGIN, world.book({ customer })));
    expect(code).toBe('contact-not-found');
    expect(world.sandbox.truth.contacts()).toHaveLength(1);
  });

  test('is found by e-mail when no phone is known', async () => {
    const world = await stands.start();
    const id = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Ivan',
      email: 'ivan@example.com',
    });
    const customer = { phone: PHONE, email: 'ivan@example.com', create: true };
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book({ customer })))).toMatchObject({
      contact_id: id,
    });
  });

  test('of several with the same phone is the newest that is in use', async () => {
    const world = await stands.start();
    const { projectId } = world;
    world.dashboard.createContact({ projectId, name: 'Old', phone: PHONE });
    const used = world.dashboard.createContact({ projectId, name: 'New', phone: PHONE });
    const archived = world.dashboard.createContact({ projectId, name: 'Archived', phone: PHONE });
    await world.client().contacts.change(archived, { status: 'archived' });
    expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book()))).toMatchObject({
      contact_id: used,
    });
  });

  test('of another project is somebody else', async () => {
    const world = await stands.start();
    const other = world.dashboard.createProject({ name: 'Spa' });
    const stranger = world.dashboard.createContact({ projectId: other, name: 'Ivan', phone: PHONE });
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    expect(made['contact_id']).not.toBe(stranger);
    expect(world.sandbox.truth.contacts()).toHaveLength(2);
    expect(world.sandbox.truth.contacts()[1]).toMatchObject({ project_id: world.projectId, phone: PHONE });
  });

  test('whom nobody knows becomes one contact, however many bookings come at once (case 24)', async () => {
    const world = await stands.start({ switches: { workMs: 20 } });
    const starts = ['10', '12', '14'].map((hour) => `2026-03-03T${hour}:00:00+03:00`);
    const submit = async (startsAt: string): Promise<void> => {
      for (let tries = 0; tries < 200; tries += 1) {
        const ended = await world
          .submitter()
          .submit(`row ${startsAt}`, world.book({ startsAt }))
          .catch((error: unknown) => error);
        if (!(ended instanceof Error)) return;
        expect(ended).toMatchObject({ code: 'customer-busy' });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('never booked');
    };
    await Promise.all(starts.map(submit));
    expect(world.sandbox.truth.contacts()).toHaveLength(1);
    expect(world.live()).toHaveLength(3);
  });

  test('whose card somebody else made between the look and the lease is not made again', async () => {
    const world = await stands.start();
    const { cards } = world.ground;
    let looks = 0;
    const byPhone: typeof cards.byPhone = async (phone, projectId) => {
      const found = await cards.byPhone(phone, projectId);
      looks += 1;
      if (looks === 1)
        world.dashboard.createContact({ projectId: world.projectId, name: 'Ivan', phone: PHONE });
      return found;
    };
    const ground = {
      ...world.ground,
      cards: {
        byId: cards.byId.bind(cards),
        byEmail: cards.byEmail.bind(cards),
        create: cards.create.bind(cards),
        byPhone,
      },
    };
    appointmentOf(await world.submitter(ground).submit(ORIGIN, world.book()));
    expect(world.sandbox.truth.contacts()).toHaveLength(1);
  });

  test('is not made when the wish does not allow it: the booking carries name and phone itself', async () => {
    const world = await stands.start();
    const customer = { name: 'Ivan', phone: PHONE, create: false };
    const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book({ customer })));
    expect(made).toMatchObject({ contact_id: null, customer_name: 'Ivan', customer_phone: PHONE });
    expect(world.sandbox.truth.contacts()).toEqual([]);
  });

  test.each([
    ['without a phone', { name: 'Ivan', create: true }],
    ['with an e-mail that nobody has and no leave to be made', { email: 'ivan@example.com', create: false }],
  ])('%s is unknown, and nothing is sent', async (_, customer) => {
    const world = await stands.start();
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.book({ customer }))).code).toBe(
      'customer-unknown',
    );
    expect(world.sandbox.truth.appointments()).toEqual([]);
  });

  test('P4: whose card the platform refuses is told so, although free times cannot be read', async () => {
    const world = await stands.start();
    const body = JSON.stringify({ type: 'https://errors.example/contact-limit-reached', status: 409 });
    const contentType = 'application/problem+json';
    const fault = { kind: 'status', status: 409, body, contentType } as const;
    world.sandbox.faults.add({ method: 'POST', path: /\/v1\/contacts/, fault });
    world.sandbox.faults.add({ path: /\/v1\/slots/, fault: { kind: 'status', status: 503 } });
    const { code, slots } = refusalOf(await world.submitter().submit(ORIGIN, world.book()));
    expect([code, slots]).toEqual(['contact-limit-reached', []]);
  });

  test('whose e-mail is none is refused with the name of the field and not with what stood in it', async () => {
    const world = await stands.start();
    const customer = { name: 'Ivan', email: 'ivan at home', create: true };
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.book({ customer })))).toEqual({
      code: 'validation',
      slots: [],
      fields: ['email'],
    });
    const mended = { ...customer, email: 'ivan@example.com' };
    appointmentOf(await world.submitter().submit(ORIGIN, world.book({ customer: mended })));
  });
});
