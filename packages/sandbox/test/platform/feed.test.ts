import { describe, expect, it } from 'vitest';
import { codeOf, DAY_MS, openStage, type Stage, UNKNOWN_ID } from './stage.ts';

/** A company with an endpoint that receives nothing: deliveries are kept back. */
async function subscribed(
  changes: Record<string, unknown> = {},
  options: Parameters<typeof openStage>[0] = {},
): Promise<Stage> {
  const stage = await openStage({ delivery: { hold: true }, ...options });
  expect((await stage.endpoint({ url: 'http://127.0.0.1:9009/', ...changes })).status).toBe(201);
  return stage;
}

describe('what happens and the event it makes', () => {
  it('contacts: created, updated, deleted', async () => {
    const stage = await subscribed();
    const { id } = (await stage.contact()).body;
    await stage.patch(`/contacts/${id}`, { name: 'Masha' });
    stage.sandbox.dashboard.deleteContact(id);
    const { data } = (await stage.get('/events')).body;
    expect(data.map((event: { type: string }) => event.type)).toEqual([
      'contact.deleted',
      'contact.updated',
      'contact.created',
    ]);
    expect(data[0].data.object).toEqual({ object: 'contact', id, deleted: true });
    expect(data[1].data.object.name).toBe('Masha');
  });

  it('appointments: created, rescheduled, updated, cancelled', async () => {
    const stage = await subscribed();
    const { id } = (await stage.book()).body;
    await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(12) });
    stage.sandbox.dashboard.markAppointment(id, 'arrived');
    await stage.post(`/appointments/${id}/cancel`, { reason: 'left' });
    const { data } = (await stage.get('/events')).body;
    expect(await stage.feedTypes()).toEqual([
      'appointment.cancelled',
      'appointment.updated',
      'appointment.rescheduled',
      'appointment.created',
    ]);
    expect(data[0].data.object).toMatchObject({
      resource_ids: [],
      cancelled_by: 'api',
      cancel_reason: 'left',
    });
    expect(data[1].data.object.status).toBe('arrived');
    expect(data[2].data.object.starts_at).toBe(stage.at(12));
    expect(data[3].data.object.starts_at).toBe(stage.at(10));
  });

  it('the snapshot is the object as GET showed it', async () => {
    const stage = await subscribed();
    const appointment = (await stage.book()).body;
    const [event] = (await stage.get('/events')).body.data;
    expect(event).toEqual({
      id: expect.any(String),
      object: 'event',
      type: 'appointment.created',
      created_at: expect.stringMatching(/Z$/),
      project_id: stage.projectId,
      test: false,
      data: { object: appointment },
    });
    expect((await stage.get(`/events/${event.id}`)).body).toEqual(event);
  });

  it('a waitlist place: held is created pending, then confirmed or declined', async () => {
    const stage = await subscribed();
    const { dashboard } = stage.sandbox;
    const first = dashboard.holdWaitlistPlace({
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      customerName: 'A',
    });
    const second = dashboard.holdWaitlistPlace({
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      customerName: 'B',
    });
    expect((await stage.get(`/appointments/${first}`)).body).toMatchObject({
      status: 'pending',
      source: 'waitlist',
    });
    dashboard.confirmWaitlistPlace(first);
    dashboard.declineWaitlistPlace(second);
    expect((await stage.get(`/appointments/${first}`)).body.status).toBe('confirmed');
    expect((await stage.get(`/appointments/${second}`)).body).toMatchObject({
      status: 'cancelled',
      cancelled_by: 'client',
      resource_ids: [],
    });
    expect(await stage.feedTypes()).toEqual([
      'appointment.cancelled',
      'appointment.updated',
      'appointment.created',
      'appointment.created',
    ]);
  });

  it('a waitlist place not confirmed in time is cancelled by the system', async () => {
    const stage = await subscribed();
    const id = stage.sandbox.dashboard.holdWaitlistPlace({
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      customerName: 'A',
      confirmWithinMs: 900_000,
    });
    stage.clock.advance(899_000);
    expect((await stage.get(`/appointments/${id}`)).body.status).toBe('pending');
    stage.clock.advance(2_000);
    expect((await stage.get(`/appointments/${id}`)).body).toMatchObject({
      status: 'cancelled',
      cancelled_by: 'system',
    });
    expect(await stage.feedTypes()).toEqual(['appointment.cancelled', 'appointment.created']);
  });

  it('a contact linked later gives appointment.updated', async () => {
    const stage = await subscribed({ enabled_events: ['appointment.updated'] });
    const { id } = (await stage.book()).body;
    const contactId = (await stage.contact()).body.id;
    stage.sandbox.dashboard.linkContact(id, contactId);
    expect(await stage.feedTypes()).toEqual(['appointment.updated']);
    expect((await stage.get(`/appointments/${id}`)).body.contact_id).toBe(contactId);
  });

  it('marking an appointment again with the same status makes an event only if the object has changed since', async () => {
    const stage = await subscribed({ enabled_events: ['appointment.updated'] });
    const { id } = (await stage.book()).body;
    const { dashboard } = stage.sandbox;
    dashboard.markAppointment(id, 'arrived');
    dashboard.markAppointment(id, 'arrived');
    expect(await stage.feedTypes()).toHaveLength(1);
    stage.clock.advance(1000);
    dashboard.touch(id);
    dashboard.markAppointment(id, 'arrived');
    expect(await stage.feedTypes()).toHaveLength(2);
  });

  it('what changes nothing makes no event: the same values, a repeated cancel, a move to the same place', async () => {
    const stage = await subscribed();
    const contact = (await stage.contact()).body;
    const { id } = (await stage.book()).body;
    await stage.patch(`/contacts/${contact.id}`, { name: 'Maria' });
    await stage.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(10) });
    await stage.post(`/appointments/${id}/cancel`, {});
    await stage.post(`/appointments/${id}/cancel`, {});
    expect(await stage.feedTypes()).toEqual([
      'appointment.cancelled',
      'appointment.created',
      'contact.created',
    ]);
  });

  it('updated_at may move without an event, be null, or stay the same', async () => {
    const stage = await subscribed();
    const { id, updated_at } = (await stage.contact()).body;
    const { dashboard } = stage.sandbox;
    const shown = async () => (await stage.get(`/contacts/${id}`)).body.updated_at;
    stage.clock.advance(1000);
    dashboard.touch(id);
    expect(await shown()).not.toBe(updated_at);
    expect(await stage.feedTypes()).toEqual(['contact.created']);
    dashboard.setUpdatedAt(id, 'same');
    const before = await shown();
    stage.clock.advance(1000);
    await stage.patch(`/contacts/${id}`, { name: 'Masha' });
    expect(await shown()).toBe(before);
    dashboard.setUpdatedAt(id, null);
    expect(await shown()).toBeNull();
  });

  it('an import makes no events', async () => {
    const stage = await subscribed();
    stage.sandbox.dashboard.importContacts([
      { projectId: stage.projectId, name: 'A' },
      { projectId: stage.projectId, name: 'B' },
    ]);
    expect(stage.sandbox.truth.contacts()).toHaveLength(2);
    expect(await stage.feedTypes()).toEqual([]);
  });

  it('a merge: deleted, updated only when the survivor changed, and the appointments that moved over', async () => {
    const stage = await subscribed();
    const { dashboard } = stage.sandbox;
    const ids = dashboard.importContacts(
      [1, 2, 3].map((n) => ({ projectId: stage.projectId, name: `C${n}`, phone: '+79123456789' })),
    );
    const [a = '', b = '', c = ''] = ids;
    dashboard.mergeContacts(a, b);
    expect(await stage.feedTypes()).toEqual(['contact.deleted']);
    const booked = dashboard.bookAs('widget', {
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      contactId: c,
    });
    dashboard.mergeContacts(a, c);
    expect(await stage.feedTypes()).toEqual([
      'appointment.updated',
      'contact.deleted',
      'appointment.created',
      'contact.deleted',
    ]);
    expect((await stage.get(`/appointments/${booked}`)).body.contact_id).toBe(a);
  });

  it('by the switch a merge leaves the appointment without contact and without event', async () => {
    const stage = await subscribed({}, { switches: { mergeAppointments: 'contact-null' } });
    const { dashboard } = stage.sandbox;
    const [a = '', b = ''] = dashboard.importContacts(
      [1, 2].map((n) => ({ projectId: stage.projectId, name: `C${n}` })),
    );
    const booked = dashboard.bookAs('widget', {
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      contactId: b,
    });
    dashboard.mergeContacts(a, b);
    expect(await stage.feedTypes()).toEqual(['contact.deleted', 'appointment.created']);
    expect((await stage.get(`/appointments/${booked}`)).body.contact_id).toBeNull();
  });
});

describe('the moment of an event', () => {
  it('the snapshot is taken after the delay and shows the object as it is then', async () => {
    const stage = await subscribed({}, { eventDelayMs: [1000, 3000] });
    stage.clock.freeze();
    const createdAt = new Date(stage.clock.now()).toISOString();
    const { id } = (await stage.contact()).body;
    stage.clock.advance(900);
    expect(await stage.feedTypes()).toEqual([]);
    await stage.patch(`/contacts/${id}`, { name: 'Later' });
    stage.clock.advance(5000);
    const { data } = (await stage.get('/events')).body;
    expect(data).toHaveLength(2);
    const created = data.find((event: { type: string }) => event.type === 'contact.created');
    expect(created).toMatchObject({ created_at: createdAt, data: { object: { name: 'Later' } } });
  });

  it('an object gone before its snapshot leaves only the deletion', async () => {
    const stage = await subscribed({}, { eventDelayMs: [1000, 1000] });
    const { id } = (await stage.contact()).body;
    stage.sandbox.dashboard.deleteContact(id);
    stage.clock.advance(2000);
    expect(await stage.feedTypes()).toEqual(['contact.deleted']);
  });

  it('the feed is in the order of sending, or of creation by the switch', async () => {
    const stage = await subscribed({}, { eventDelayMs: [1000, 3000], seed: 3 });
    stage.clock.freeze();
    for (let index = 0; index < 12; index += 1) {
      stage.sandbox.dashboard.createContact({ projectId: stage.projectId, name: `C${index}` });
      stage.clock.advance(50);
    }
    stage.clock.advance(5000);
    const order = async (): Promise<string[]> =>
      (await stage.get('/events')).body.data.map((event: { created_at: string }) => event.created_at);
    const bySending = await order();
    stage.sandbox.switches = { ...stage.sandbox.switches, feedOrder: 'created' };
    const byCreation = await order();
    expect(byCreation).toEqual([...bySending].sort().reverse());
    expect(bySending).not.toEqual(byCreation);
  });
});

describe('what the feed holds', () => {
  it('only what an endpoint subscribes to, by type and project', async () => {
    const stage = await openStage({ delivery: { hold: true } });
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    await stage.contact({ project_id: stage.projectId });
    expect(await stage.feedTypes()).toEqual([]);
    await stage.endpoint({
      url: 'http://127.0.0.1:9000/',
      enabled_events: ['contact.created'],
      project_ids: [stage.projectId],
    });
    await stage.contact({ project_id: stage.projectId });
    await stage.contact({ project_id: other });
    await stage.book();
    expect(await stage.feedTypes()).toEqual(['contact.created']);
  });

  it('nothing of the time when the endpoint was disabled, unless the switch records it', async () => {
    for (const [feedWhileDisabled, expected] of [
      ['skipped', 0],
      ['recorded', 1],
    ] as const) {
      const stage = await openStage({ switches: { feedWhileDisabled } });
      const { id } = (await stage.endpoint()).body;
      stage.sandbox.dashboard.disableEndpoint(id);
      await stage.contact();
      stage.sandbox.dashboard.enableEndpoint(id);
      expect(await stage.feedTypes()).toHaveLength(expected);
    }
  });

  it('what is subscribed today by the switch, whenever it happened', async () => {
    const stage = await openStage({
      delivery: { hold: true },
      switches: { feedFilter: 'todays-subscription' },
    });
    await stage.contact();
    expect(await stage.feedTypes()).toEqual([]);
    const { id } = (await stage.endpoint({ enabled_events: ['contact.created'] })).body;
    expect(await stage.feedTypes()).toEqual(['contact.created']);
    await stage.patch(`/webhook_endpoints/${id}`, { enabled_events: ['lead.created'] });
    expect(await stage.feedTypes()).toEqual([]);
  });

  it('30 days and no more', async () => {
    const stage = await subscribed();
    await stage.contact();
    const [event] = (await stage.get('/events')).body.data;
    stage.clock.advance(30 * DAY_MS - 60_000);
    expect(await stage.feedTypes()).toHaveLength(1);
    stage.clock.advance(120_000);
    expect(await stage.feedTypes()).toEqual([]);
    expect((await stage.get(`/events/${event.id}`)).status).toBe(404);
  });

  it('filters by exact type and project', async () => {
    const stage = await subscribed();
    await stage.contact();
    await stage.book();
    const count = async (query: string): Promise<number> =>
      (await stage.get(`/events?${query}`)).body.data.length;
    expect(await count('type=contact.created')).toBe(1);
    expect(await count('type=contact')).toBe(0);
    expect(await count('type=contact.exploded')).toBe(0);
    expect(await count(`project_id=${stage.projectId}`)).toBe(2);
  });

  it('pages by cursor, newest first', async () => {
    const stage = await subscribed();
    for (let index = 0; index < 5; index += 1) await stage.contact({ name: `C${index}` });
    const first = (await stage.get('/events?limit=2')).body;
    const second = (await stage.get(`/events?limit=100&starting_after=${first.data[1].id}`)).body;
    const names = [...first.data, ...second.data].map((event) => event.data.object.name);
    expect(names).toEqual(['C4', 'C3', 'C2', 'C1', 'C0']);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
  });

  it('an unknown event gives 404', async () => {
    const stage = await subscribed();
    expect((await stage.get(`/events/${UNKNOWN_ID}`)).status).toBe(404);
  });

  it('leaves out groups the key cannot read, refuses an explicit type of one, or refuses all by the switch', async () => {
    const stage = await subscribed();
    await stage.contact();
    await stage.book();
    const key = stage.keyWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    const { data } = (await stage.get('/events', { key })).body;
    expect(data.map((event: { type: string }) => event.type)).toEqual(['contact.created']);
    const refused = await stage.get('/events?type=appointment.created', { key });
    expect([refused.status, codeOf(refused)]).toEqual([403, 'forbidden']);
    const [hidden] = (await stage.get('/events?type=appointment.created')).body.data;
    expect((await stage.get(`/events/${hidden.id}`, { key })).status).toBe(404);
    stage.sandbox.switches = { ...stage.sandbox.switches, feedUnreadableGroups: 'forbidden' };
    expect((await stage.get('/events', { key })).status).toBe(403);
  });

  it('events of a project outside the key do not exist for it', async () => {
    const stage = await subscribed();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const key = stage.keyWith({ projectIds: [other] });
    await stage.contact({ project_id: stage.projectId });
    const [event] = (await stage.get('/events')).body.data;
    expect((await stage.get('/events', { key })).body.data).toEqual([]);
    expect((await stage.get(`/events/${event.id}`, { key })).status).toBe(404);
  });

  it('a body over 256 KB is reduced to object and id', async () => {
    const stage = await subscribed();
    const { id } = (await stage.book({ comment: 'ж'.repeat(140_000) })).body;
    const [event] = (await stage.get('/events')).body.data;
    expect(event.data.object).toEqual({ object: 'appointment', id });
    expect((await stage.get(`/appointments/${id}`)).body.comment).toHaveLength(140_000);
    await stage.book({ resource_id: stage.borisId, comment: 'ж'.repeat(100_000) });
    expect((await stage.get('/events')).body.data[0].data.object.comment).toHaveLength(100_000);
  });
});
