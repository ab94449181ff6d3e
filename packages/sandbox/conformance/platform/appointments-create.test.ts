import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { NOBODYS_PHONE, UNKNOWN_ID } from '../stage/company.ts';
import { needing, writing } from '../stage/fact.ts';
import { secondBranch } from '../stage/furnishing.ts';

const REFUSED = '422 validation';

needing(
  'company',
  '[appointments.create.1] service, start and phone are enough where there is one branch',
  async (stage) => {
    const body = { service_id: stage.haircutId, starts_at: stage.at(10), customer_phone: NOBODYS_PHONE };
    const { status, body: made } = await stage.api.post('/appointments', body);
    expect([status, made.branch_id, made.starts_at]).toEqual([201, stage.branchId, stage.at(10)]);
  },
);

writing(
  '[appointments.create.2] a booking that is offered is confirmed at once, at the price of the service',
  async (company) => {
    const booking = await company.booking();
    const service = await company.one('/services?limit=100', (one) => one.id === booking['service_id']);
    const { status, body } = await company.api.post('/appointments', booking);
    expect([status, body.status, body.source]).toEqual([201, 'confirmed', 'api']);
    expect([body.price_amount, body.price_currency]).toEqual([service.price_amount, service.price_currency]);
  },
);

writing(
  '[appointments.create.3] a booking without a service is refused, with the field named',
  async (company) => {
    for (const service_id of [undefined, null, 'haircut']) {
      const answer = await company.book({ service_id });
      expect(verdict(answer)).toBe(REFUSED);
      expect(Object.keys(answer.body.errors ?? { service_id: [] })).toEqual(['service_id']);
    }
  },
);

writing(
  '[appointments.create.4] a booking without a start, or with one that has no zone, is refused',
  async (company) => {
    for (const starts_at of [undefined, null, 'tomorrow', '2031-01-01', '2031-01-01T10:00:00'])
      expect(verdict(await company.book({ starts_at }))).toBe(REFUSED);
  },
);

writing('[appointments.create.5] a booking in the past is refused', async (company) => {
  expect(verdict(await company.book({ starts_at: '2020-01-01T10:00:00Z' }))).toBe('422 starts-at-in-past');
});

needing('company', '[appointments.create.6] a free resource is chosen until none is left', async (stage) => {
  const chosen: string[] = [];
  for (let times = 0; times < 2; times += 1)
    chosen.push((await stage.book({ resource_id: null })).body.resource_id);
  expect(new Set(chosen)).toEqual(new Set([stage.annaId, stage.borisId]));
  expect(verdict(await stage.book({ resource_id: null }))).toBe('409 slot-unavailable');
});

needing(
  'company',
  '[appointments.create.7][appointments.create.8] of several branches the resource says which; without one a branch is required',
  async (stage) => {
    await secondBranch(stage);
    expect(verdict(await stage.book({ resource_id: undefined }))).toBe('422 branch-id-required');
    expect((await stage.book()).body.branch_id).toBe(stage.branchId);
  },
);

needing('company', '[appointments.create.9] branch_id says in which branch', async (stage) => {
  const branch_id = await secondBranch(stage);
  const eve = await stage.staff('createResource', { branchId: branch_id, name: 'Eve' });
  await stage.staff('changeService', { id: stage.haircutId, resourceIds: [stage.annaId, eve] });
  const { body } = await stage.book({ branch_id, resource_id: undefined, starts_at: stage.at(14) });
  expect([body.branch_id, body.resource_id, body.timezone]).toEqual([branch_id, eve, 'Europe/London']);
});

writing('[appointments.create.10] a branch that does not exist is refused', async (company) => {
  expect(verdict(await company.book({ branch_id: UNKNOWN_ID }))).toBe('422 branch-not-found');
});

writing('[appointments.create.11] a service that does not exist is refused', async (company) => {
  expect(verdict(await company.book({ service_id: UNKNOWN_ID }))).toBe('422 service-not-found');
});

needing(
  'dashboard',
  '[appointments.create.11] a service that was switched off is as good as none',
  async (stage) => {
    await stage.staff('switchOffService', { id: stage.haircutId });
    expect(verdict(await stage.book())).toBe('422 service-not-found');
  },
);

needing('keys', '[appointments.create.12] a service of another project is as good as none', async (stage) => {
  const api = await stage.apiWith({ projectIds: [await stage.staff('createProject', { name: 'Other' })] });
  expect(verdict(await api.post('/appointments', await stage.booking()))).toBe('422 service-not-found');
});

writing('[appointments.create.13] a resource that does not exist is refused', async (company) => {
  expect(verdict(await company.book({ resource_id: UNKNOWN_ID }))).toBe('422 resource-not-eligible');
});

needing(
  'company',
  '[appointments.create.13] a resource that does not serve the service is refused',
  async (stage) => {
    const eve = await stage.staff('createResource', { branchId: stage.branchId, name: 'Eve' });
    expect(verdict(await stage.book({ resource_id: eve }))).toBe('422 resource-not-eligible');
  },
);

needing(
  'company',
  '[appointments.create.14] a resource of another branch than the one given is refused',
  async (stage) => {
    expect(verdict(await stage.book({ branch_id: await secondBranch(stage) }))).toBe(
      '422 resource-not-eligible',
    );
  },
);

writing('[appointments.create.29] the same time of the same resource is not given twice', async (company) => {
  const booking = await company.booking();
  const resource = await company.one('/resources?limit=100', (one) => one.id === booking['resource_id']);
  const full = { ...booking, guests_count: resource.capacity };
  expect(verdict(await company.api.post('/appointments', full))).toBe('201');
  expect(verdict(await company.api.post('/appointments', booking))).toBe('409 slot-unavailable');
});

needing(
  'company',
  '[appointments.create.30] time before opening, or that ends after closing, is outside working hours',
  async (stage) => {
    for (const hour of [6, 8.5, 20.5, 23])
      expect([hour, verdict(await stage.book({ starts_at: stage.at(hour) }))]).toEqual([
        hour,
        '409 outside-working-hours',
      ]);
  },
);

needing(
  'company',
  '[appointments.create.30] a day off of the branch or of the resource is outside working hours',
  async (stage) => {
    const [day = ''] = stage.at(10).split('T');
    await stage.staff('changeResource', { id: stage.annaId, daysOff: [day] });
    expect(verdict(await stage.book())).toBe('409 outside-working-hours');
    expect(verdict(await stage.book({ resource_id: stage.borisId }))).toBe('201');
  },
);

needing(
  'company',
  '[appointments.create.31] a branch where nobody serves the service has no resources',
  async (stage) => {
    const branch_id = await secondBranch(stage);
    expect(verdict(await stage.book({ branch_id, resource_id: undefined }))).toBe('409 no-resources');
  },
);

needing(
  'company',
  '[appointments.create.32] a buffer after an appointment keeps exactly that time free before and after other appointments',
  async (stage) => {
    await stage.staff('changeService', { id: stage.haircutId, bufferAfterMin: 30 });
    expect(verdict(await stage.book())).toBe('201');
    expect(verdict(await stage.book({ starts_at: stage.at(11) }))).toBe('409 slot-unavailable');
    expect(verdict(await stage.book({ starts_at: stage.at(11.5) }))).toBe('201');
    await stage.book({ starts_at: stage.at(17) });
    expect(verdict(await stage.book({ starts_at: stage.at(16) }))).toBe('409 slot-unavailable');
    expect(verdict(await stage.book({ starts_at: stage.at(15.5) }))).toBe('201');
  },
);

needing(
  'dashboard',
  '[appointments.create.33] a booking belongs to the project of its service',
  async (stage) => {
    const projectId = await stage.staff('createProject', { name: 'Other' });
    const branchId = await stage.staff('createBranch', {
      projectId,
      name: 'There',
      timezone: 'Europe/Moscow',
    });
    const eve = await stage.staff('createResource', { branchId, name: 'Eve' });
    const service_id = await stage.staff('createService', { projectId, name: 'Talk', resourceIds: [eve] });
    const { body } = await stage.book({ service_id, resource_id: undefined });
    expect([body.project_id, body.branch_id]).toEqual([projectId, branchId]);
  },
);

needing(
  'company',
  '[appointments.create.34] the customer is mailed unless the request says no',
  async (stage) => {
    await stage.book({ notify_customer: false });
    expect(await stage.mails()).toBe(0);
    await stage.book({ starts_at: stage.at(14) });
    expect(await stage.mails()).toBe(1);
  },
);

writing('[appointments.create.35] comment, name and metadata are stored as given', async (company) => {
  const given = { comment: 'Second door', customer_name: 'Ann', metadata: { ref: 'a-1', paid: true } };
  expect((await company.book(given)).body).toMatchObject(given);
});

writing('[appointments.create.36] null is as good as absent for every optional field', async (company) => {
  const names = [
    'duration_min',
    'guests_count',
    'contact_id',
    'customer_name',
    'customer_email',
    'comment',
    'metadata',
  ];
  const { status, body } = await company.book(Object.fromEntries(names.map((name) => [name, null])));
  expect([status, body.guests_count, body.comment, body.metadata]).toEqual([201, 1, null, null]);
});

needing('company', '[appointments.create.37] a refused booking leaves the time free', async (stage) => {
  expect(verdict(await stage.book({ customer_email: 'nonsense' }))).toBe(REFUSED);
  expect((await stage.api.get('/appointments')).body.data).toEqual([]);
  expect(verdict(await stage.book())).toBe('201');
});

needing(
  'dashboard',
  '[appointments.create.38] a project whose branches are all closed has no branch',
  async (stage) => {
    await stage.staff('changeBranch', { id: stage.branchId, active: false });
    expect(verdict(await stage.book())).toBe('422 branch-not-found');
  },
);
