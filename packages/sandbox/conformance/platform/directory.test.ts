import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading } from '../stage/fact.ts';
import { rental } from '../stage/furnishing.ts';
import type { Stage } from '../stage/stage.ts';

const KINDS = ['person', 'place', 'item'];

async function ids(stage: Stage, path: string): Promise<string[]> {
  return (await stage.api.get(path)).body.data.map((one: { id: string }) => one.id);
}

reading('[directory.services.1] a service has every field of the table', async (company) => {
  const service = await company.one('/services');
  const words = ['object', 'id', 'project_id', 'name', 'description', 'booking_mode', 'online_bookable'];
  const numbers = ['duration_min', 'min_duration_min', 'max_duration_min', 'duration_step_min', 'max_guests'];
  const rest = ['price_amount', 'price_currency', 'price_unit', 'created_at', 'updated_at'];
  expect(Object.keys(service)).toEqual(expect.arrayContaining([...words, ...numbers, ...rest]));
  expect([service.object, typeof service.online_bookable]).toEqual(['service', 'boolean']);
});

reading('[directory.services.2] every service is fixed or by interval', async (company) => {
  for (const { booking_mode } of await company.some('/services?limit=100'))
    expect(['fixed', 'interval']).toContain(booking_mode);
});

needing('dashboard', '[directory.services.3] a service that is switched off is not listed', async (stage) => {
  expect(await ids(stage, '/services')).toEqual([stage.haircutId]);
  await stage.staff('switchOffService', { id: stage.haircutId });
  expect(await ids(stage, '/services')).toEqual([]);
});

needing(
  'dashboard',
  '[directory.services.4] a fixed service has a duration, a rental has bounds and a limit of guests',
  async (stage) => {
    await rental(stage);
    const [studio, haircut] = (await stage.api.get('/services')).body.data;
    const told = (it: Record<string, unknown>) =>
      ['duration_min', 'min_duration_min', 'max_duration_min', 'duration_step_min', 'max_guests'].map(
        (name) => it[name],
      );
    expect(told(studio)).toEqual([null, 60, 240, 30, 5]);
    expect(told(haircut)).toEqual([60, null, null, null, null]);
  },
);

reading(
  '[directory.services.5] a price is a whole number of minor units in a currency of three letters',
  async (company) => {
    for (const { price_amount, price_currency } of await company.some('/services?limit=100')) {
      if (price_amount === null) continue;
      expect(Number.isInteger(price_amount)).toBe(true);
      expect(price_currency).toMatch(/^[A-Z]{3}$/);
    }
  },
);

reading('[directory.resources.1] a resource has every field of the table', async (company) => {
  const resource = await company.one('/resources');
  const words = ['object', 'id', 'project_id', 'branch_id', 'kind', 'name', 'position_title'];
  expect(Object.keys(resource)).toEqual(
    expect.arrayContaining([...words, 'capacity', 'timezone', 'created_at', 'updated_at']),
  );
  expect(resource.object).toBe('resource');
});

reading('[directory.resources.2] every resource is a person, a place or an item', async (company) => {
  for (const { kind } of await company.some('/resources?limit=100')) expect(KINDS).toContain(kind);
});

needing(
  'dashboard',
  '[directory.resources.3] a resource that is switched off is not listed',
  async (stage) => {
    await stage.staff('changeResource', { id: stage.borisId, active: false });
    expect(await ids(stage, '/resources')).toEqual([stage.annaId]);
  },
);

reading('[directory.resources.4] with a branch only its resources are shown', async (company) => {
  const { branch_id } = await company.one('/resources');
  for (const one of await company.some(`/resources?branch_id=${branch_id}`))
    expect(one.branch_id).toBe(branch_id);
});

needing('dashboard', '[directory.resources.5] with a kind only that kind is shown', async (stage) => {
  const room = await stage.staff('createResource', { branchId: stage.branchId, name: 'Room', kind: 'place' });
  expect(await ids(stage, '/resources?kind=place')).toEqual([room]);
  expect(await ids(stage, '/resources?kind=person')).toEqual([stage.borisId, stage.annaId]);
  expect(await ids(stage, '/resources?kind=item')).toEqual([]);
});

reading('[directory.resources.5] a kind that is not listed is refused', async ({ api }) => {
  expect(verdict(await api.get('/resources?kind=robot'))).toBe('422 validation');
});

needing(
  'dashboard',
  '[directory.resources.6] with a service only those who can serve it are shown',
  async (stage) => {
    await stage.staff('changeService', { id: stage.haircutId, resourceIds: [stage.borisId] });
    expect(await ids(stage, `/resources?service_id=${stage.haircutId}`)).toEqual([stage.borisId]);
  },
);

reading(
  '[directory.resources.7] resources of a service that does not exist cannot be listed',
  async ({ api }) => {
    expect(verdict(await api.get(`/resources?service_id=${UNKNOWN_ID}`))).toBe('422 service-not-found');
  },
);

reading('[directory.resources.8] a filter by an id that is none is refused', async ({ api }) => {
  for (const name of ['branch_id', 'service_id'])
    expect(verdict(await api.get(`/resources?${name}=abc`))).toBe('422 validation');
});

needing('dashboard', '[directory.resources.9] branch, kind and service combine', async (stage) => {
  await stage.staff('createResource', { branchId: stage.branchId, name: 'Room', kind: 'place' });
  const query = `branch_id=${stage.branchId}&kind=person&service_id=${stage.haircutId}`;
  expect(await ids(stage, `/resources?${query}`)).toEqual([stage.borisId, stage.annaId]);
});

reading('[directory.resources.10] the capacity of a resource is a whole number', async (company) => {
  for (const { capacity } of await company.some('/resources?limit=100'))
    expect(Number.isInteger(capacity)).toBe(true);
});

reading('[directory.branches.1] a branch has every field of the table', async (company) => {
  const branch = await company.one('/branches');
  const fields = [
    'object',
    'id',
    'project_id',
    'name',
    'address',
    'phone',
    'timezone',
    'created_at',
    'updated_at',
  ];
  expect(Object.keys(branch)).toEqual(expect.arrayContaining(fields));
  expect(branch.object).toBe('branch');
});

needing(
  'dashboard',
  '[directory.branches.2] a branch that is closed for good is not listed',
  async (stage) => {
    await stage.staff('changeBranch', { id: stage.branchId, active: false });
    expect(await ids(stage, '/branches')).toEqual([]);
  },
);

reading('[directory.branches.3] the zone of a branch is one that a calendar knows', async (company) => {
  for (const { timezone } of await company.some('/branches'))
    expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
});
