import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, writing } from '../stage/fact.ts';
import { rental } from '../stage/furnishing.ts';

const REFUSED = '422 validation';
const MINUTE_MS = 60_000;

const lengthMin = (appointment: { starts_at: string; ends_at: string }): number =>
  (Date.parse(appointment.ends_at) - Date.parse(appointment.starts_at)) / MINUTE_MS;

writing('[appointments.create.15] without a contact a phone is required', async (company) => {
  for (const customer_phone of [undefined, null, '']) {
    const answer = await company.book({ customer_phone });
    expect(verdict(answer)).toBe(REFUSED);
    expect(Object.keys(answer.body.errors ?? { customer_phone: [] })).toEqual(['customer_phone']);
  }
});

needing('company', '[appointments.create.16] a contact brings its name, phone and email', async (stage) => {
  const card = { name: 'Ann Lee', phone: '+79123456789', email: 'ann@example.com' };
  const { id } = (await stage.contact(card)).body;
  const { status, body } = await stage.book({ contact_id: id, customer_phone: undefined });
  expect([status, body.contact_id]).toEqual([201, id]);
  expect([body.customer_name, body.customer_phone, body.customer_email]).toEqual([
    card.name,
    card.phone,
    card.email,
  ]);
});

needing(
  'company',
  '[appointments.create.17] a name and an email given beside the contact stand in its place',
  async (stage) => {
    const { id } = (await stage.contact({ name: 'Ann', email: 'ann@example.com' })).body;
    const given = { customer_name: 'For Bob', customer_email: 'bob@example.com' };
    expect((await stage.book({ contact_id: id, ...given })).body).toMatchObject(given);
  },
);

writing('[appointments.create.18] a contact that does not exist is refused', async (company) => {
  expect(verdict(await company.book({ contact_id: UNKNOWN_ID }))).toBe('422 contact-not-found');
});

needing(
  'dashboard',
  '[appointments.create.19] a contact of another project than the service’s is refused',
  async (stage) => {
    const projectId = await stage.staff('createProject', { name: 'Other' });
    const contact_id = await stage.staff('createContact', { projectId, name: 'Ann' });
    expect(verdict(await stage.book({ contact_id }))).toBe('422 contact-not-found');
  },
);

needing('company', '[appointments.create.20] a phone in local notation is stored as E.164', async (stage) => {
  expect((await stage.book({ customer_phone: '8 (912) 345-67-89' })).body.customer_phone).toBe(
    '+79123456789',
  );
});

writing('[appointments.create.21] an email without @ is refused', async (company) => {
  expect(verdict(await company.book({ customer_email: 'nonsense' }))).toBe(REFUSED);
});

writing('[appointments.create.22] a booking is for one guest unless it says otherwise', async (company) => {
  expect((await company.book()).body.guests_count).toBe(1);
});

needing(
  'company',
  '[appointments.create.23] more guests than free seats are refused as a taken slot',
  async (stage) => {
    await stage.staff('changeResource', { id: stage.annaId, capacity: 3 });
    expect(verdict(await stage.book({ guests_count: 4 }))).toBe('409 slot-unavailable');
    expect((await stage.book({ guests_count: 3 })).body.guests_count).toBe(3);
  },
);

needing(
  'company',
  '[appointments.create.24] two parties share a table until its seats are taken',
  async (stage) => {
    await stage.staff('changeResource', { id: stage.annaId, capacity: 4 });
    expect(verdict(await stage.book({ guests_count: 2 }))).toBe('201');
    expect(verdict(await stage.book({ guests_count: 3 }))).toBe('409 slot-unavailable');
    expect(verdict(await stage.book({ guests_count: 2 }))).toBe('201');
  },
);

needing(
  'company',
  '[appointments.create.25] a rental for more guests than it allows is refused as such',
  async (stage) => {
    const wish = { service_id: await rental(stage), duration_min: 60 };
    expect(verdict(await stage.book({ ...wish, guests_count: 6 }))).toBe('422 too-many-guests');
    expect(verdict(await stage.book({ ...wish, guests_count: 5 }))).toBe('201');
  },
);

needing('company', '[appointments.create.26] a rental lasts as long as was asked', async (stage) => {
  const { body } = await stage.book({ service_id: await rental(stage), duration_min: 150 });
  expect(lengthMin(body)).toBe(150);
});

needing(
  'company',
  '[appointments.create.27] a rental too short, too long or off the step is refused, and the bounds are told',
  async (stage) => {
    const service_id = await rental(stage);
    for (const duration_min of [30, 270, 75]) {
      const answer = await stage.book({ service_id, duration_min });
      expect([duration_min, verdict(answer)]).toEqual([duration_min, '422 invalid-duration']);
      expect(answer.body.detail).toMatch(/60.*240/);
    }
  },
);

needing('company', '[appointments.create.28] an appointment lasts as long as its service', async (stage) => {
  expect(lengthMin((await stage.book()).body)).toBe(60);
});
