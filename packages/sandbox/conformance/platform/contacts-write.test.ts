import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { NOBODYS_PHONE, UNKNOWN_ID } from '../stage/company.ts';
import { needing, writing } from '../stage/fact.ts';

const REFUSED = '422 validation';
const LIFECYCLES = ['lead', 'mql', 'sql', 'customer', 'churned'];

const text = (length: number): string => 'x'.repeat(length);
const mail = (length: number): string => `a@${'x'.repeat(length - 6)}.com`;

writing('[contacts.create.1] a name is enough for a contact', async (company) => {
  const { status, body } = await company.contact({ name: 'Ann' });
  expect([status, body.object, body.name, body.status]).toEqual([201, 'contact', 'Ann', 'active']);
});

writing('[contacts.create.2] a contact without a name is refused, with the field named', async (company) => {
  for (const name of [undefined, null, '']) {
    const answer = await company.contact({ name });
    expect([verdict(answer), Object.keys(answer.body.errors ?? { name: [] })]).toEqual([REFUSED, ['name']]);
  }
});

writing('[contacts.create.3] a name of 255 characters is taken, of 256 refused', async (company) => {
  expect(verdict(await company.contact({ name: text(255) }))).toBe('201');
  expect(verdict(await company.contact({ name: text(256) }))).toBe(REFUSED);
});

writing(
  '[contacts.create.4] first and last names of 128 characters are taken, of 129 refused',
  async (company) => {
    for (const field of ['first_name', 'last_name']) {
      expect(verdict(await company.contact({ [field]: text(128) }))).toBe('201');
      expect(verdict(await company.contact({ [field]: text(129) }))).toBe(REFUSED);
    }
  },
);

writing('[contacts.create.5] a position of 128 characters is taken, of 129 refused', async (company) => {
  expect(verdict(await company.contact({ position: text(128) }))).toBe('201');
  expect(verdict(await company.contact({ position: text(129) }))).toBe(REFUSED);
});

writing('[contacts.create.6] an email without @ is refused', async (company) => {
  expect(verdict(await company.contact({ email: 'ann.example.com' }))).toBe(REFUSED);
});

writing('[contacts.create.7] an email of 256 characters is refused', async (company) => {
  expect(verdict(await company.contact({ email: mail(256) }))).toBe(REFUSED);
});

writing('[contacts.create.8] a phone of 33 characters is refused', async (company) => {
  expect(verdict(await company.contact({ phone: '1'.repeat(33) }))).toBe(REFUSED);
});

writing('[contacts.create.9] a contact is a person unless it is said to be a company', async (company) => {
  expect((await company.contact()).body.type).toBe('person');
  expect((await company.contact({ type: 'b2b_company' })).body.type).toBe('b2b_company');
});

writing('[contacts.create.10] a contact of another type is refused', async (company) => {
  expect(verdict(await company.contact({ type: 'robot' }))).toBe(REFUSED);
});

needing(
  'company',
  '[contacts.create.11] a new contact is a lead unless its lifecycle is given',
  async (stage) => {
    expect((await stage.contact()).body.lifecycle).toBe('lead');
    for (const lifecycle of LIFECYCLES)
      expect((await stage.contact({ lifecycle })).body.lifecycle).toBe(lifecycle);
  },
);

writing('[contacts.create.12] a new contact of another lifecycle is refused', async (company) => {
  expect(verdict(await company.contact({ lifecycle: 'vip' }))).toBe(REFUSED);
});

writing('[contacts.create.13] null is as good as absent for every optional field', async (company) => {
  const nothing = Object.fromEntries(
    ['type', 'first_name', 'last_name', 'email', 'phone', 'position', 'lifecycle', 'metadata'].map((name) => [
      name,
      null,
    ]),
  );
  const { status, body } = await company.contact(nothing);
  expect([status, body.type, body.email, body.phone, body.position]).toEqual([
    201,
    'person',
    null,
    null,
    null,
  ]);
});

writing('[contacts.create.14] every field that was given is stored', async (company) => {
  const given = {
    name: 'Ann Lee',
    first_name: 'Ann',
    last_name: 'Lee',
    email: 'ann.lee@example.com',
    phone: NOBODYS_PHONE,
    position: 'Director',
    lifecycle: 'customer',
    metadata: { crm: '10' },
  };
  expect((await company.contact(given)).body).toMatchObject(given);
});

writing('[contacts.create.15] the same phone and email make another contact', async (company) => {
  const twin = { phone: NOBODYS_PHONE, email: 'twin@example.com' };
  const first = await company.contact(twin);
  const second = await company.contact(twin);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.id).not.toBe(first.body.id);
});

needing(
  'dashboard',
  '[contacts.create.16] a distribution rule changes an absent or lead lifecycle, and the answer shows it',
  async (stage) => {
    await stage.staff('setDistributionLifecycle', { lifecycle: 'mql' });
    expect((await stage.contact()).body.lifecycle).toBe('mql');
    expect((await stage.contact({ lifecycle: 'lead' })).body.lifecycle).toBe('mql');
  },
);

needing(
  'dashboard',
  '[contacts.create.17] a distribution rule leaves any other lifecycle as it was given',
  async (stage) => {
    await stage.staff('setDistributionLifecycle', { lifecycle: 'mql' });
    expect((await stage.contact({ lifecycle: 'customer' })).body.lifecycle).toBe('customer');
  },
);

writing(
  '[contacts.create.19] a new contact is found by its id and at the top of a search',
  async (company) => {
    const email = `find.${Date.now()}@example.com`;
    const { id } = (await company.contact({ email })).body;
    expect((await company.api.get(`/contacts/${id}`)).body.id).toBe(id);
    expect((await company.api.get(`/contacts?email=${encodeURIComponent(email)}`)).body.data[0].id).toBe(id);
  },
);

needing('company', '[contacts.create.20] a refused creation leaves nothing behind', async (stage) => {
  await stage.contact({ email: 'nonsense' });
  expect((await stage.api.get('/contacts')).body.data).toEqual([]);
});

writing('[contacts.change.1] a change touches the given fields and no other', async (company) => {
  const { body } = await company.contact({ first_name: 'Ann', position: 'Clerk' });
  const { status, body: changed } = await company.api.patch(`/contacts/${body.id}`, { position: 'Director' });
  expect(status).toBe(200);
  expect(changed).toEqual({ ...body, position: 'Director', updated_at: changed.updated_at });
});

writing('[contacts.change.2] null clears an optional field', async (company) => {
  const full = {
    first_name: 'A',
    last_name: 'B',
    email: 'a@example.com',
    phone: NOBODYS_PHONE,
    position: 'C',
  };
  const { id } = (await company.contact(full)).body;
  const cleared = Object.fromEntries(Object.keys(full).map((name) => [name, null]));
  expect((await company.api.patch(`/contacts/${id}`, cleared)).body).toMatchObject(cleared);
});

writing('[contacts.change.3] a contact can be archived and made active again', async (company) => {
  const { id } = (await company.contact()).body;
  for (const status of ['archived', 'active'])
    expect((await company.api.patch(`/contacts/${id}`, { status })).body.status).toBe(status);
});

writing('[contacts.change.4] blocked cannot be set through the API', async (company) => {
  const { id } = (await company.contact()).body;
  expect(verdict(await company.api.patch(`/contacts/${id}`, { status: 'blocked' }))).toBe(REFUSED);
  expect((await company.api.get(`/contacts/${id}`)).body.status).toBe('active');
});

needing(
  'dashboard',
  '[contacts.change.5] a blocked contact can be archived and made active',
  async (stage) => {
    const { id } = (await stage.contact()).body;
    for (const status of ['archived', 'active']) {
      await stage.staff('blockContact', { id });
      expect((await stage.api.get(`/contacts/${id}`)).body.status).toBe('blocked');
      expect((await stage.api.patch(`/contacts/${id}`, { status })).body.status).toBe(status);
    }
  },
);

writing('[contacts.change.6] every listed lifecycle can be set', async (company) => {
  const { id } = (await company.contact()).body;
  for (const lifecycle of LIFECYCLES)
    expect((await company.api.patch(`/contacts/${id}`, { lifecycle })).body.lifecycle).toBe(lifecycle);
});

writing('[contacts.change.7] another lifecycle cannot be set', async (company) => {
  const { id } = (await company.contact()).body;
  expect(verdict(await company.api.patch(`/contacts/${id}`, { lifecycle: 'vip' }))).toBe(REFUSED);
});

writing('[contacts.change.8] what is too long to create is too long to change to', async (company) => {
  const { id } = (await company.contact()).body;
  const tooLong = { name: 256, first_name: 129, last_name: 129, position: 129, phone: 33 };
  for (const [field, length] of Object.entries(tooLong))
    expect([field, verdict(await company.api.patch(`/contacts/${id}`, { [field]: text(length) }))]).toEqual([
      field,
      REFUSED,
    ]);
});

writing('[contacts.change.9] an unknown contact cannot be changed', async ({ api }) => {
  expect(verdict(await api.patch(`/contacts/${UNKNOWN_ID}`, { name: 'X' }))).toBe('404 not-found');
});

writing('[contacts.change.10] a phone that is changed is stored as E.164', async (company) => {
  const { id } = (await company.contact()).body;
  const { body } = await company.api.patch(`/contacts/${id}`, { phone: '+44 7700 900 123' });
  expect(body.phone).toBe(NOBODYS_PHONE);
});

writing('[contacts.change.11] an email that is changed must be one', async (company) => {
  const { id } = (await company.contact()).body;
  expect(verdict(await company.api.patch(`/contacts/${id}`, { email: 'nonsense' }))).toBe(REFUSED);
});

writing('[contacts.change.12] of a refused change nothing is kept', async (company) => {
  const { body } = await company.contact({ position: 'Clerk' });
  await company.api.patch(`/contacts/${body.id}`, { position: 'Director', email: 'nonsense' });
  expect((await company.api.get(`/contacts/${body.id}`)).body).toEqual(body);
});
