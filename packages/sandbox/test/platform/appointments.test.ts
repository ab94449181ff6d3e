import { describe, expect, it } from 'vitest';
import { codeOf, openStage, UNKNOWN_ID } from './stage.ts';

describe('creating an appointment', () => {
  it('answers 201 with a confirmed appointment at the price of the service', async () => {
    const stage = await openStage();
    const answer = await stage.book({
      customer_name: 'Maria',
      customer_email: 'm@example.com',
      comment: 'first',
      metadata: { row: '7' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      object: 'appointment',
      id: expect.any(String),
      project_id: stage.projectId,
      branch_id: stage.branchId,
      service_id: stage.haircutId,
      service_name: 'Haircut',
      resource_id: stage.annaId,
      resource_ids: [stage.annaId],
      status: 'confirmed',
      source: 'api',
      starts_at: stage.at(10),
      ends_at: stage.at(11),
      timezone: 'Europe/Moscow',
      guests_count: 1,
      contact_id: null,
      customer_name: 'Maria',
      customer_phone: '+79123456789',
      customer_email: 'm@example.com',
      conversation_id: null,
      price_amount: 150_000,
      price_currency: 'RUB',
      comment: 'first',
      cancel_reason: null,
      cancelled_by: null,
      metadata: { row: '7' },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await stage.get(`/appointments/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it('takes a start with any offset and answers in UTC', async () => {
    const stage = await openStage();
    const local = `${stage.at(10).slice(0, 10)}T15:00:00+08:00`;
    expect((await stage.book({ starts_at: local })).body.starts_at).toBe(stage.at(10));
  });

  it('chooses a free resource when none is named, and refuses when none is left', async () => {
    const stage = await openStage();
    const taken = [];
    for (const _ of [1, 2]) taken.push((await stage.book({ resource_id: null })).body.resource_id);
    expect(taken.sort()).toEqual([stage.annaId, stage.borisId].sort());
    const third = await stage.book({ resource_id: undefined });
    expect([third.status, codeOf(third), third.body.code]).toEqual([
      409,
      'slot-unavailable',
      'slot_unavailable',
    ]);
  });

  it('two bookings at once of one place: one is made, one refused', async () => {
    const stage = await openStage();
    const answers = await Promise.all([stage.book(), stage.book()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(stage.sandbox.truth.appointments()).toHaveLength(1);
  });

  it('overlapping by a minute is taken, following at once is free', async () => {
    const stage = await openStage();
    await stage.book();
    const overlapping = stage.at(10).replace(':00:00', ':59:00');
    expect(codeOf(await stage.book({ starts_at: overlapping }))).toBe('slot-unavailable');
    expect((await stage.book({ starts_at: stage.at(11) })).status).toBe(201);
  });

  it('buffers keep the time around an appointment free', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.changeService(stage.haircutId, { bufferAfterMin: 30 });
    await stage.book();
    expect(codeOf(await stage.book({ starts_at: stage.at(11) }))).toBe('slot-unavailable');
    expect((await stage.book({ starts_at: stage.at(11.5) })).status).toBe(201);
  });

  it('outside the schedule of the branch or of the resource gives outside-working-hours', async () => {
    const stage = await openStage();
    expect(codeOf(await stage.book({ starts_at: stage.at(8) }))).toBe('outside-working-hours');
    expect(codeOf(await stage.book({ starts_at: stage.at(20.5) }))).toBe('outside-working-hours');
    const day = stage.at(10).slice(0, 10);
    stage.sandbox.dashboard.changeResource(stage.annaId, { daysOff: [day] });
    expect(codeOf(await stage.book())).toBe('outside-working-hours');
    expect((await stage.book({ resource_id: stage.borisId })).status).toBe(201);
  });

  it('the schedule follows the zone of the branch across the change of the clocks', async () => {
    const stage = await openStage();
    const { dashboard } = stage.sandbox;
    const branchId = dashboard.createBranch({
      projectId: stage.projectId,
      name: 'London',
      timezone: 'Europe/London',
    });
    const carolId = dashboard.createResource({ branchId, name: 'Carol' });
    dashboard.changeService(stage.haircutId, { resourceIds: [carolId] });
    const year = new Date(stage.clock.now()).getUTCFullYear() + 1;
    const at = (utc: string) => stage.book({ resource_id: carolId, starts_at: `${year}-${utc}Z` });
    expect(codeOf(await at('01-15T08:30:00'))).toBe('outside-working-hours');
    expect((await at('07-15T08:30:00')).status).toBe(201);
  });

  it('a past start gives starts-at-in-past, a start at this moment is allowed', async () => {
    const stage = await openStage();
    stage.clock.freeze(Date.parse(stage.at(10)));
    const now = new Date(stage.clock.now()).toISOString();
    const before = new Date(stage.clock.now() - 1000).toISOString();
    expect(codeOf(await stage.book({ starts_at: before }))).toBe('starts-at-in-past');
    expect((await stage.book({ starts_at: now })).status).toBe(201);
  });

  it.each([
    ['service_id', undefined],
    ['service_id', 'x'],
    ['starts_at', undefined],
    ['starts_at', 'tomorrow'],
    ['starts_at', '2030-01-01T10:00:00'],
    ['starts_at', '2030-02-30T10:00:00Z'],
    ['customer_phone', undefined],
    ['customer_phone', null],
    ['customer_phone', 'no number'],
    ['customer_email', 'no'],
    ['guests_count', 0],
    ['guests_count', '2'],
    ['notify_customer', 'yes'],
    ['metadata', { a: [] }],
  ])('refuses %s = %j as validation', async (field, value) => {
    const stage = await openStage();
    const answer = await stage.book({ [field]: value });
    expect([answer.status, codeOf(answer), Object.keys(answer.body.errors)]).toEqual([
      422,
      'validation',
      [field],
    ]);
  });

  it('duration_min is refused for a fixed service, or ignored by the switch', async () => {
    const stage = await openStage();
    expect(codeOf(await stage.book({ duration_min: 30 }))).toBe('validation');
    stage.sandbox.switches = { ...stage.sandbox.switches, durationOnFixed: 'ignored' };
    expect((await stage.book({ duration_min: 30 })).body.ends_at).toBe(stage.at(11));
  });

  it('an unknown or switched-off service, or one of another project, gives service-not-found', async () => {
    const stage = await openStage();
    expect(codeOf(await stage.book({ service_id: UNKNOWN_ID }))).toBe('service-not-found');
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const key = stage.keyWith({ projectIds: [other] });
    expect(codeOf(await stage.book({}, { key }))).toBe('service-not-found');
    stage.sandbox.dashboard.switchOffService(stage.haircutId);
    expect(codeOf(await stage.book())).toBe('service-not-found');
  });

  it('the branch: named, else of the resource, else the only one; several need a name', async () => {
    const stage = await openStage();
    expect((await stage.book({ resource_id: null })).body.branch_id).toBe(stage.branchId);
    const second = stage.sandbox.dashboard.createBranch({ projectId: stage.projectId, name: 'Second' });
    expect(codeOf(await stage.book({ resource_id: null, starts_at: stage.at(12) }))).toBe(
      'branch-id-required',
    );
    expect((await stage.book({ starts_at: stage.at(12) })).body.branch_id).toBe(stage.branchId);
    expect(codeOf(await stage.book({ branch_id: UNKNOWN_ID }))).toBe('branch-not-found');
    expect(codeOf(await stage.book({ branch_id: second }))).toBe('resource-not-eligible');
    const empty = await stage.book({ branch_id: second, resource_id: null });
    expect([empty.status, codeOf(empty)]).toEqual([409, 'no-resources']);
  });

  it('no active branch gives branch-not-found', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.changeBranch(stage.branchId, { active: false });
    expect(codeOf(await stage.book({ resource_id: null }))).toBe('branch-not-found');
  });

  it('a resource that does not serve the service gives resource-not-eligible', async () => {
    const stage = await openStage();
    const room = stage.sandbox.dashboard.createResource({
      branchId: stage.branchId,
      name: 'Room',
      kind: 'place',
    });
    expect(codeOf(await stage.book({ resource_id: room }))).toBe('resource-not-eligible');
    expect(codeOf(await stage.book({ resource_id: UNKNOWN_ID }))).toBe('resource-not-eligible');
  });

  it('guests of fixed services share the capacity of the resource', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.changeResource(stage.annaId, { capacity: 5 });
    expect((await stage.book({ guests_count: 3 })).status).toBe(201);
    expect(codeOf(await stage.book({ guests_count: 3 }))).toBe('slot-unavailable');
    expect((await stage.book({ guests_count: 2 })).status).toBe(201);
    expect(codeOf(await stage.book({ guests_count: 1 }))).toBe('slot-unavailable');
    expect(codeOf(await stage.book({ guests_count: 6, starts_at: stage.at(15) }))).toBe('slot-unavailable');
  });

  it('consecutive appointments do not count twice against one that overlaps both', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.changeResource(stage.annaId, { capacity: 5 });
    await stage.book({ guests_count: 3 });
    await stage.book({ guests_count: 3, starts_at: stage.at(11) });
    expect((await stage.book({ guests_count: 2, starts_at: stage.at(10.5) })).status).toBe(201);
    expect(codeOf(await stage.book({ guests_count: 1, starts_at: stage.at(10.5) }))).toBe('slot-unavailable');
  });

  it('a service that needs a room occupies both, and is refused when no room is free', async () => {
    const stage = await openStage();
    const { dashboard } = stage.sandbox;
    const room = dashboard.createResource({ branchId: stage.branchId, name: 'Room', kind: 'place' });
    dashboard.changeService(stage.haircutId, { secondResourceIds: [room] });
    expect((await stage.book()).body.resource_ids).toEqual([stage.annaId, room]);
    expect(codeOf(await stage.book({ resource_id: stage.borisId }))).toBe('slot-unavailable');
  });

  it('takes the customer from the contact, and what is given replaces it in the appointment', async () => {
    const stage = await openStage();
    const contact = (await stage.contact({ phone: '+79990001122', email: 'm@example.com' })).body;
    const plain = await stage.book({ customer_phone: undefined, contact_id: contact.id });
    expect(plain.body).toMatchObject({
      contact_id: contact.id,
      customer_name: 'Maria',
      customer_phone: '+79990001122',
      customer_email: 'm@example.com',
    });
    const named = await stage.book({
      customer_phone: undefined,
      contact_id: contact.id,
      customer_name: 'Masha',
      starts_at: stage.at(12),
    });
    expect(named.body.customer_name).toBe('Masha');
    expect((await stage.get(`/contacts/${contact.id}`)).body.name).toBe('Maria');
  });

  it('by the switch the given name also overwrites the contact', async () => {
    const stage = await openStage({ switches: { customerFieldsBesideContact: 'overwrite-contact' } });
    const contact = (await stage.contact()).body;
    await stage.book({ contact_id: contact.id, customer_name: 'Masha' });
    expect((await stage.get(`/contacts/${contact.id}`)).body.name).toBe('Masha');
  });

  it('a contact of nowhere or of another project gives contact-not-found', async () => {
    const stage = await openStage();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const stranger = stage.sandbox.dashboard.createContact({ projectId: other, name: 'Stranger' });
    expect(codeOf(await stage.book({ contact_id: UNKNOWN_ID }))).toBe('contact-not-found');
    expect(codeOf(await stage.book({ contact_id: stranger }))).toBe('contact-not-found');
  });

  it('mails the customer unless notify_customer is false', async () => {
    const stage = await openStage();
    const quiet = (await stage.book({ notify_customer: false })).body;
    expect(stage.sandbox.truth.customerMails()).toEqual([]);
    await stage.post(`/appointments/${quiet.id}/reschedule`, {
      starts_at: stage.at(12),
      notify_customer: false,
    });
    await stage.post(`/appointments/${quiet.id}/cancel`, { notify_customer: false });
    expect(stage.sandbox.truth.customerMails()).toEqual([]);
    const loud = (await stage.book()).body;
    await stage.post(`/appointments/${loud.id}/reschedule`, { starts_at: stage.at(13) });
    await stage.post(`/appointments/${loud.id}/cancel`, { notify_customer: null });
    expect(stage.sandbox.truth.customerMails().map(({ reason }) => reason)).toEqual([
      'created',
      'rescheduled',
      'cancelled',
    ]);
  });
});

describe('interval services', () => {
  const rental = async () => {
    const stage = await openStage();
    const roomId = stage.sandbox.dashboard.createResource({
      branchId: stage.branchId,
      name: 'Hall',
      kind: 'place',
    });
    const serviceId = stage.sandbox.dashboard.createService({
      projectId: stage.projectId,
      name: 'Hall rental',
      bookingMode: 'interval',
      minDurationMin: 60,
      maxDurationMin: 180,
      durationStepMin: 30,
      maxGuests: 10,
      priceAmount: 100_000,
      resourceIds: [roomId],
    });
    return { stage, wish: { service_id: serviceId, resource_id: roomId } };
  };

  it('take a duration within bounds and step, priced per unit', async () => {
    const { stage, wish } = await rental();
    const answer = await stage.book({ ...wish, duration_min: 90, guests_count: 10 });
    expect(answer.body).toMatchObject({ ends_at: stage.at(11.5), price_amount: 150_000, guests_count: 10 });
  });

  it('take the minimum when no duration is given, or 422 by the switch', async () => {
    const { stage, wish } = await rental();
    expect((await stage.book(wish)).body.ends_at).toBe(stage.at(11));
    stage.sandbox.switches = { ...stage.sandbox.switches, durationAbsentOnInterval: 'validation' };
    expect(codeOf(await stage.book({ ...wish, starts_at: stage.at(12) }))).toBe('validation');
  });

  it.each([30, 75, 210])(
    'refuse %i minutes as invalid-duration, with the bounds in detail',
    async (minutes) => {
      const { stage, wish } = await rental();
      const answer = await stage.book({ ...wish, duration_min: minutes });
      expect([answer.status, codeOf(answer)]).toEqual([422, 'invalid-duration']);
      expect(answer.body.detail).toMatch(/60.*180.*30/);
    },
  );

  it('refuse more than max_guests, and a taken hall whatever its guests', async () => {
    const { stage, wish } = await rental();
    const crowded = await stage.book({ ...wish, guests_count: 11 });
    expect([crowded.status, codeOf(crowded)]).toEqual([422, 'too-many-guests']);
    await stage.book(wish);
    expect(codeOf(await stage.book(wish))).toBe('slot-unavailable');
  });
});

describe('rescheduling', () => {
  it('moves the appointment, keeps duration, status and resource', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    const answer = await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(14) });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id,
      status: 'confirmed',
      starts_at: stage.at(14),
      ends_at: stage.at(15),
      resource_id: stage.annaId,
    });
    expect((await stage.book()).status).toBe(201);
  });

  it('may move over its own old time', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    expect((await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(10.5) })).status).toBe(
      200,
    );
  });

  it('stays with its resource: the new time must be free for that one', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    await stage.book({ starts_at: stage.at(12) });
    const refused = await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(12) });
    expect([refused.status, codeOf(refused)]).toEqual([409, 'slot-unavailable']);
    const moved = await stage.post(`/appointments/${id}/reschedule`, {
      starts_at: stage.at(12),
      resource_id: stage.borisId,
    });
    expect(moved.body).toMatchObject({ resource_id: stage.borisId, resource_ids: [stage.borisId] });
  });

  it('takes another resource of the same branch only', async () => {
    const stage = await openStage();
    const { dashboard } = stage.sandbox;
    const { id } = (await stage.book()).body;
    const far = dashboard.createResource({
      branchId: dashboard.createBranch({ projectId: stage.projectId, name: 'Far' }),
      name: 'Carol',
    });
    dashboard.changeService(stage.haircutId, { resourceIds: [stage.annaId, far] });
    const answer = await stage.post(`/appointments/${id}/reschedule`, {
      starts_at: stage.at(12),
      resource_id: far,
    });
    expect([answer.status, codeOf(answer)]).toEqual([422, 'resource-not-eligible']);
  });

  it('a pending place can be moved and stays pending', async () => {
    const stage = await openStage();
    const id = stage.sandbox.dashboard.holdWaitlistPlace({
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      customerName: 'W',
    });
    const answer = await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(12) });
    expect([answer.status, answer.body.status]).toEqual([200, 'pending']);
  });

  it.each(['arrived', 'completed', 'no_show'] as const)(
    'an appointment that is %s cannot be moved',
    async (status) => {
      const stage = await openStage();
      const { id } = (await stage.book()).body;
      stage.sandbox.dashboard.markAppointment(id, status);
      const answer = await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(12) });
      expect([answer.status, codeOf(answer)]).toEqual([409, 'appointment-not-reschedulable']);
    },
  );

  it('a cancelled one cannot be moved, nor one whose service was switched off', async () => {
    const stage = await openStage();
    const cancelled = (await stage.book()).body.id;
    await stage.post(`/appointments/${cancelled}/cancel`, {});
    expect(
      codeOf(await stage.post(`/appointments/${cancelled}/reschedule`, { starts_at: stage.at(12) })),
    ).toBe('appointment-not-reschedulable');
    const orphan = (await stage.book()).body.id;
    stage.sandbox.dashboard.switchOffService(stage.haircutId);
    expect(codeOf(await stage.post(`/appointments/${orphan}/reschedule`, { starts_at: stage.at(12) }))).toBe(
      'service-inactive',
    );
    expect((await stage.get(`/appointments/${orphan}`)).status).toBe(200);
    expect((await stage.post(`/appointments/${orphan}/cancel`, {})).body.status).toBe('cancelled');
  });

  it('refuses the past, other hours and a missing start', async () => {
    const stage = await openStage();
    const path = `/appointments/${(await stage.book()).body.id}/reschedule`;
    expect(codeOf(await stage.post(path, { starts_at: stage.at(10, -1) }))).toBe('starts-at-in-past');
    expect(codeOf(await stage.post(path, { starts_at: stage.at(22) }))).toBe('outside-working-hours');
    expect(codeOf(await stage.post(path, {}))).toBe('validation');
    expect(
      (await stage.post(`/appointments/${UNKNOWN_ID}/reschedule`, { starts_at: stage.at(12) })).status,
    ).toBe(404);
  });
});

describe('cancelling', () => {
  it('releases the time, and says who and why', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    const answer = await stage.post(`/appointments/${id}/cancel`, { reason: 'ill' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'cancelled',
      resource_ids: [],
      cancelled_by: 'api',
      cancel_reason: 'ill',
    });
    expect((await stage.book()).status).toBe(201);
  });

  it('again gives 200 with the same record', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    const first = await stage.post(`/appointments/${id}/cancel`, { reason: 'ill' });
    stage.clock.advance(1000);
    const second = await stage.post(`/appointments/${id}/cancel`, { reason: 'other' });
    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  it('works without a body', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    const answer = await stage.post(`/appointments/${id}/cancel`);
    expect(answer.body).toMatchObject({ status: 'cancelled', cancel_reason: null });
  });

  it('a completed appointment gives 409, arrived and no_show can be cancelled', async () => {
    const stage = await openStage();
    for (const [status, expected] of [
      ['completed', 409],
      ['arrived', 200],
      ['no_show', 200],
    ] as const) {
      const { id } = (await stage.book({ resource_id: null })).body;
      stage.sandbox.dashboard.markAppointment(id, status);
      const answer = await stage.post(`/appointments/${id}/cancel`, {});
      expect([status, answer.status]).toEqual([status, expected]);
      if (expected === 409) expect(codeOf(answer)).toBe('appointment-not-cancellable');
    }
  });
});

describe('listing appointments', () => {
  it('filters by status, branch, service, contact, resource, phone and start', async () => {
    const stage = await openStage();
    const contact = (await stage.contact()).body.id;
    const ten = (await stage.book({ contact_id: contact })).body.id;
    const noon = (
      await stage.book({
        starts_at: stage.at(12),
        resource_id: stage.borisId,
        customer_phone: '+44 7911 123456',
      })
    ).body.id;
    const gone = (await stage.book({ starts_at: stage.at(14) })).body.id;
    await stage.post(`/appointments/${gone}/cancel`, {});
    const found = async (query: string): Promise<string[]> =>
      (await stage.get(`/appointments?${query}`)).body.data.map((one: { id: string }) => one.id);
    const at = (hour: number): string => encodeURIComponent(stage.at(hour));
    expect(await found('status=confirmed')).toEqual([noon, ten]);
    expect(await found(`branch_id=${stage.branchId}`)).toEqual([gone, noon, ten]);
    expect(await found(`branch_id=${UNKNOWN_ID}`)).toEqual([]);
    expect(await found(`service_id=${stage.haircutId}&status=cancelled`)).toEqual([gone]);
    expect(await found(`contact_id=${contact}`)).toEqual([ten]);
    expect(await found(`resource_id=${stage.annaId}`)).toEqual([ten]);
    expect(await found('customer_phone=447911123456')).toEqual([]);
    expect(await found(`customer_phone=${encodeURIComponent('+44 (7911) 123-456')}`)).toEqual([noon]);
    expect(await found(`starts_at[gte]=${at(12)}`)).toEqual([gone, noon]);
    expect(await found(`starts_at[lt]=${at(12)}`)).toEqual([ten]);
    expect(await found(`starts_at%5Bgte%5D=${at(12)}&starts_at%5Blt%5D=${at(14)}`)).toEqual([noon]);
  });

  it.each([
    'status=unknown',
    'branch_id=1',
    'resource_id=x',
    'starts_at[gte]=2030-01-01',
    'starts_at[lt]=2030-01-01T10:00:00',
  ])('%s gives 422', async (query) => {
    const stage = await openStage();
    expect((await stage.get(`/appointments?${query}`)).status).toBe(422);
  });

  it('an unencoded + in a date-time is a space and gives 422, or is accepted by the switch', async () => {
    const stage = await openStage();
    const path = '/appointments?starts_at[gte]=2020-01-01T10:00:00+03:00';
    expect((await stage.get(path)).status).toBe(422);
    expect((await stage.get(path.replace('+', '%2B'))).status).toBe(200);
    stage.sandbox.switches = { ...stage.sandbox.switches, plusInQueryTime: 'accepted' };
    expect((await stage.get(path)).status).toBe(200);
  });
});
