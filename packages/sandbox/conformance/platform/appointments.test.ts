import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading, writing } from '../stage/fact.ts';
import { rental, secondBranch } from '../stage/furnishing.ts';

const REFUSED = '422 validation';
const STATUSES = ['pending', 'confirmed', 'arrived', 'completed', 'cancelled', 'no_show'];

async function found(company: Company, query: Record<string, string>): Promise<string[]> {
  const { body } = await company.api.get(`/appointments?${new URLSearchParams({ limit: '100', ...query })}`);
  return body.data.map((one: { id: string }) => one.id);
}

reading('[appointments.object.1] an appointment has every field of the table', async (company) => {
  const appointment = await company.one('/appointments');
  const ids = [
    'object',
    'id',
    'project_id',
    'branch_id',
    'service_id',
    'resource_id',
    'resource_ids',
    'contact_id',
  ];
  const words = ['service_name', 'status', 'source', 'timezone', 'guests_count', 'comment', 'metadata'];
  const customer = ['customer_name', 'customer_phone', 'customer_email', 'conversation_id'];
  const rest = ['price_amount', 'price_currency', 'cancel_reason', 'cancelled_by'];
  const times = ['starts_at', 'ends_at', 'created_at', 'updated_at'];
  expect(Object.keys(appointment)).toEqual(
    expect.arrayContaining([...ids, ...words, ...customer, ...rest, ...times]),
  );
  expect(appointment.object).toBe('appointment');
});

reading('[appointments.object.2] every appointment has a status of the list', async (company) => {
  for (const { status } of await company.some('/appointments?limit=100')) expect(STATUSES).toContain(status);
});

needing(
  'company',
  '[appointments.object.3] an appointment with a person and a room occupies both',
  async (stage) => {
    const room = await stage.staff('createResource', {
      branchId: stage.branchId,
      name: 'Room',
      kind: 'place',
    });
    const massage = await stage.staff('createService', {
      projectId: stage.ownProjectId,
      name: 'Massage',
      resourceIds: [stage.annaId],
      secondResourceIds: [room],
    });
    const { body } = await stage.book({ service_id: massage });
    expect(body.resource_id).toBe(stage.annaId);
    expect(new Set(body.resource_ids)).toEqual(new Set([stage.annaId, room]));
  },
);

reading('[appointments.object.4] a cancelled appointment occupies no resource', async (company) => {
  for (const one of await company.some('/appointments?status=cancelled'))
    expect(one.resource_ids).toEqual([]);
});

needing(
  'dashboard',
  '[appointments.object.5] the source tells the API from the widget and from staff',
  async (stage) => {
    expect((await stage.book()).body.source).toBe('api');
    for (const [index, source] of ['widget', 'lk', 'neuro_chat'].entries()) {
      const id = await stage.staff('bookAs', {
        source,
        serviceId: stage.haircutId,
        startsAt: stage.at(12 + index),
      });
      expect((await stage.api.get(`/appointments/${id}`)).body.source).toBe(source);
    }
  },
);

needing(
  'company',
  '[appointments.object.6] the zone is that of the branch, the times are UTC',
  async (stage) => {
    const { body } = await stage.book({
      starts_at: stage.at(10).replace('T07:00:00.000Z', 'T10:00:00+03:00'),
    });
    expect([body.timezone, Date.parse(body.starts_at)]).toEqual(['Europe/Moscow', Date.parse(stage.at(10))]);
    for (const moment of [body.starts_at, body.ends_at, body.created_at, body.updated_at])
      expect(moment).toMatch(/Z$/);
  },
);

needing(
  'dashboard',
  '[appointments.object.7] an appointment booked in a chat names the conversation, another none',
  async (stage) => {
    const { conversationId } = await stage.staff('customerWrites', { text: 'Tomorrow?' });
    const wish = { source: 'neuro_chat', serviceId: stage.haircutId, startsAt: stage.at(12), conversationId };
    const id = await stage.staff('bookAs', wish);
    expect((await stage.api.get(`/appointments/${id}`)).body.conversation_id).toBe(conversationId);
    expect((await stage.book()).body.conversation_id).toBeNull();
  },
);

needing(
  'dashboard',
  '[appointments.object.8] an appointment that staff booked has no metadata',
  async (stage) => {
    const id = await stage.staff('bookAs', {
      source: 'lk',
      serviceId: stage.haircutId,
      startsAt: stage.at(12),
    });
    expect((await stage.api.get(`/appointments/${id}`)).body.metadata).toBeNull();
  },
);

reading(
  '[appointments.object.9] an appointment that stands was cancelled by nobody for no reason',
  async (company) => {
    for (const one of await company.some('/appointments?status=confirmed'))
      expect([one.cancelled_by, one.cancel_reason]).toEqual([null, null]);
  },
);

reading('[appointments.list.1] filtering by a status shows that status', async ({ api }) => {
  for (const status of STATUSES)
    for (const one of (await api.get(`/appointments?status=${status}`)).body.data)
      expect(one.status).toBe(status);
});

reading('[appointments.list.2] filtering by a status that is not listed is refused', async ({ api }) => {
  expect(verdict(await api.get('/appointments?status=gone'))).toBe(REFUSED);
});

needing('company', '[appointments.list.3] branch_id finds the appointments of one branch', async (stage) => {
  const branchId = await secondBranch(stage);
  const eve = await stage.staff('createResource', { branchId, name: 'Eve' });
  await stage.staff('changeService', { id: stage.haircutId, resourceIds: [stage.annaId, eve] });
  await stage.book();
  const { id } = (await stage.book({ resource_id: eve, starts_at: stage.at(14) })).body;
  expect(await found(stage, { branch_id: branchId })).toEqual([id]);
});

needing(
  'company',
  '[appointments.list.4] service_id finds the appointments for one service',
  async (stage) => {
    const service_id = await rental(stage);
    await stage.book();
    const { id } = (await stage.book({ service_id, duration_min: 60, starts_at: stage.at(14) })).body;
    expect(await found(stage, { service_id })).toEqual([id]);
  },
);

needing(
  'company',
  '[appointments.list.5] contact_id finds the appointments of one customer',
  async (stage) => {
    const contact = (await stage.contact()).body.id;
    await stage.book();
    const { id } = (await stage.book({ contact_id: contact, starts_at: stage.at(14) })).body;
    expect(await found(stage, { contact_id: contact })).toEqual([id]);
  },
);

needing(
  'company',
  '[appointments.list.6] resource_id finds an appointment by its second resource too, and no cancelled one',
  async (stage) => {
    const room = await stage.staff('createResource', {
      branchId: stage.branchId,
      name: 'Room',
      kind: 'place',
    });
    await stage.staff('changeService', { id: stage.haircutId, secondResourceIds: [room] });
    const { id } = (await stage.book()).body;
    const gone = (await stage.book({ starts_at: stage.at(14) })).body.id;
    await stage.api.post(`/appointments/${gone}/cancel`, {});
    expect(await found(stage, { resource_id: room })).toEqual([id]);
    expect(await found(stage, { resource_id: stage.borisId })).toEqual([]);
  },
);

needing(
  'company',
  '[appointments.list.7] a phone in local notation finds the appointments of its E.164 number',
  async (stage) => {
    const { id } = (await stage.book({ customer_phone: '+79123456789' })).body;
    await stage.book({ starts_at: stage.at(14) });
    expect(await found(stage, { customer_phone: '8 (912) 345-67-89' })).toEqual([id]);
  },
);

needing(
  'company',
  '[appointments.list.8][appointments.list.9] the lower bound of the start is inclusive, the upper is not',
  async (stage) => {
    const ten = (await stage.book()).body.id;
    const twelve = (await stage.book({ starts_at: stage.at(12) })).body.id;
    expect(await found(stage, { 'starts_at[gte]': stage.at(12) })).toEqual([twelve]);
    expect(await found(stage, { 'starts_at[lt]': stage.at(12) })).toEqual([ten]);
    expect(await found(stage, { 'starts_at[gte]': stage.at(10), 'starts_at[lt]': stage.at(12.5) })).toEqual([
      twelve,
      ten,
    ]);
  },
);

reading('[appointments.list.10] a bound without a zone or without a time is refused', async ({ api }) => {
  for (const bound of ['gte', 'lt'])
    for (const moment of ['soon', '2026-01-01', '2026-01-01T00:00:00'])
      expect(verdict(await api.get(`/appointments?starts_at[${bound}]=${moment}`))).toBe(REFUSED);
});

reading('[appointments.list.11] a filter by an id that is none is refused', async ({ api }) => {
  for (const name of ['branch_id', 'service_id', 'contact_id', 'resource_id'])
    expect([name, verdict(await api.get(`/appointments?${name}=abc`))]).toEqual([name, REFUSED]);
});

needing('company', '[appointments.list.12] filters combine: all of them must hold', async (stage) => {
  const { id } = (await stage.book()).body;
  await stage.book({ resource_id: stage.borisId });
  const cancelled = (await stage.book({ starts_at: stage.at(14) })).body.id;
  await stage.api.post(`/appointments/${cancelled}/cancel`, {});
  expect(await found(stage, { resource_id: stage.annaId, status: 'confirmed' })).toEqual([id]);
});

writing('[appointments.get.1] a GET shows what creating answered', async (company) => {
  const { body } = await company.book();
  expect((await company.api.get(`/appointments/${body.id}`)).body).toEqual(body);
});

reading('[appointments.get.2] an unknown appointment is not found', async ({ api }) => {
  expect(verdict(await api.get(`/appointments/${UNKNOWN_ID}`))).toBe('404 not-found');
});
