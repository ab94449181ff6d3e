import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading, writing } from '../stage/fact.ts';

const REFUSED = '422 validation';
const LIFECYCLES = ['lead', 'mql', 'sql', 'customer', 'churned'];
const FIELDS = [
  'created_at',
  'email',
  'first_name',
  'id',
  'last_name',
  'lifecycle',
  'metadata',
  'name',
  'object',
  'phone',
  'position',
  'project_id',
  'source',
  'status',
  'type',
  'updated_at',
];

const mail = (length: number): string => `a@${'x'.repeat(length - 6)}.com`;

reading('[contacts.object.1] a contact has every field of the table, null or not', async (company) => {
  const contact = await company.one('/contacts');
  expect(Object.keys(contact)).toEqual(expect.arrayContaining(FIELDS));
  expect([contact.object, typeof contact.name]).toEqual(['contact', 'string']);
});

reading('[contacts.object.2] every contact is a person or a company', async (company) => {
  for (const { type } of await company.some('/contacts?limit=100'))
    expect(['person', 'b2b_company']).toContain(type);
});

reading('[contacts.object.3] every contact is active, archived or blocked', async (company) => {
  for (const { status } of await company.some('/contacts?limit=100'))
    expect(['active', 'archived', 'blocked']).toContain(status);
});

needing(
  'dashboard',
  '[contacts.object.4] a contact from a file keeps a lifecycle of its own',
  async (stage) => {
    const contacts = [{ projectId: stage.ownProjectId, name: 'Ann', lifecycle: 'VIP' }];
    const [id] = await stage.staff('importContacts', { contacts });
    expect((await stage.api.get(`/contacts/${id}`)).body.lifecycle).toBe('VIP');
  },
);

writing('[contacts.object.5] the source of a contact made here is api', async (company) => {
  expect((await company.contact()).body.source).toBe('api');
});

needing(
  'dashboard',
  '[contacts.object.6][contacts.object.7] a contact made by hand has source manual and no metadata',
  async (stage) => {
    const id = await stage.staff('createContact', { projectId: stage.ownProjectId, name: 'Ann' });
    const { body } = await stage.api.get(`/contacts/${id}`);
    expect([body.source, body.metadata]).toEqual(['manual', null]);
  },
);

needing('clock', '[contacts.object.8] times are UTC, and a change moves updated_at alone', async (stage) => {
  const { body } = await stage.contact();
  await stage.control.advance(5_000);
  const changed = (await stage.api.patch(`/contacts/${body.id}`, { name: 'Other' })).body;
  expect(changed.created_at).toBe(body.created_at);
  expect(body.created_at).toMatch(/Z$/);
  expect(Date.parse(changed.updated_at)).toBeGreaterThanOrEqual(Date.parse(body.updated_at) + 5_000);
});

reading('[contacts.list.1] the list is given without a filter', async ({ api }) => {
  expect((await api.get('/contacts')).status).toBe(200);
});

reading(
  '[contacts.list.2] searching by an email finds the contacts that have it, and no other',
  async (company) => {
    const { email } = await company.one('/contacts?limit=100', (one) => one.email !== null);
    const { body } = await company.api.get(`/contacts?email=${encodeURIComponent(email)}`);
    expect(new Set(body.data.map((one: { email: string }) => one.email.toLowerCase()))).toEqual(
      new Set([email.toLowerCase()]),
    );
    expect((await company.api.get(`/contacts?email=${encodeURIComponent(`x${email}`)}`)).body.data).toEqual(
      [],
    );
  },
);

needing(
  'company',
  '[contacts.list.3] a search by phone in local notation finds the E.164 number',
  async (stage) => {
    const { id } = (await stage.contact({ phone: '+79123456789' })).body;
    await stage.contact({ phone: '+79990000000' });
    for (const phone of ['+79123456789', '8 (912) 345-67-89', '+7 912 345 67 89']) {
      const { body } = await stage.api.get(`/contacts?phone=${encodeURIComponent(phone)}`);
      expect([phone, body.data.map((one: { id: string }) => one.id)]).toEqual([phone, [id]]);
    }
  },
);

reading('[contacts.list.4] filtering by a lifecycle shows that lifecycle', async ({ api }) => {
  for (const lifecycle of LIFECYCLES) {
    const { status, body } = await api.get(`/contacts?lifecycle=${lifecycle}`);
    expect(status).toBe(200);
    for (const one of body.data) expect(one.lifecycle).toBe(lifecycle);
  }
});

reading('[contacts.list.5] filtering by a lifecycle that is not listed is refused', async ({ api }) => {
  expect(verdict(await api.get('/contacts?lifecycle=vip'))).toBe(REFUSED);
});

needing('company', '[contacts.list.6] filters combine: all of them must hold', async (stage) => {
  const both = { email: 'a@example.com', lifecycle: 'customer' };
  const { id } = (await stage.contact(both)).body;
  await stage.contact({ ...both, lifecycle: 'lead' });
  await stage.contact({ ...both, email: 'b@example.com' });
  const { body } = await stage.api.get('/contacts?email=a%40example.com&lifecycle=customer');
  expect(body.data.map((one: { id: string }) => one.id)).toEqual([id]);
});

reading('[contacts.list.7] searching by an email of 256 characters is refused', async ({ api }) => {
  expect(verdict(await api.get(`/contacts?email=${mail(256)}`))).toBe(REFUSED);
});

reading('[contacts.list.8] searching by a phone of 33 characters is refused', async ({ api }) => {
  expect(verdict(await api.get(`/contacts?phone=${'1'.repeat(33)}`))).toBe(REFUSED);
});

writing('[contacts.get.1] a GET shows what creating answered', async (company) => {
  const { body } = await company.contact({ position: 'Clerk' });
  expect((await company.api.get(`/contacts/${body.id}`)).body).toEqual(body);
});

reading('[contacts.get.2] an unknown contact is not found', async ({ api }) => {
  expect(verdict(await api.get(`/contacts/${UNKNOWN_ID}`))).toBe('404 not-found');
});

needing(
  'dashboard',
  '[contacts.get.3] a deleted contact is not found, and gone from the list',
  async (stage) => {
    const { id } = (await stage.contact()).body;
    await stage.staff('deleteContact', { id });
    expect(verdict(await stage.api.get(`/contacts/${id}`))).toBe('404 not-found');
    expect((await stage.api.get('/contacts')).body.data).toEqual([]);
  },
);
