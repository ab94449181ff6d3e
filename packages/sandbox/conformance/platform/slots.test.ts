import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading, writing } from '../stage/fact.ts';
import { rental } from '../stage/furnishing.ts';

const DAY_MS = 86_400_000;
const REFUSED = '422 validation';

interface Slot {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly resource_id: string;
}

const starts = (slots: Slot[]): string[] => slots.map((slot) => slot.starts_at);

/** A search that works for any company: a service, a branch of its project, the coming week. */
async function search(company: Company, changes: Record<string, string> = {}): Promise<URLSearchParams> {
  const { service_id, branch_id } = await company.freeTime();
  const from = new Date(Date.now() + DAY_MS).toISOString();
  const to = new Date(Date.now() + 8 * DAY_MS).toISOString();
  return new URLSearchParams({ service_id, branch_id, from, to, ...changes });
}

reading('[slots.1] the answer is an availability with every field of the table', async (company) => {
  const query = await search(company);
  const { status, body } = await company.api.get(`/slots?${query}`);
  const ids = ['object', 'service_id', 'project_id', 'branch_id', 'mode', 'timezone'];
  const rest = [
    'duration_min',
    'min_duration_min',
    'max_duration_min',
    'duration_step_min',
    'slots',
    'windows',
    'has_more',
  ];
  expect([status, body.object]).toEqual([200, 'availability']);
  expect(Object.keys(body)).toEqual(expect.arrayContaining([...ids, ...rest]));
  expect([body.service_id, body.branch_id]).toEqual([query.get('service_id'), query.get('branch_id')]);
});

reading('[slots.2][slots.4] every slot names its resource and is as long as the service', async (company) => {
  const { body } = await company.api.get(`/slots?${await search(company)}`);
  for (const slot of body.slots as Slot[]) {
    expect(slot.resource_id).toEqual(expect.any(String));
    expect(Date.parse(slot.ends_at) - Date.parse(slot.starts_at)).toBe(body.duration_min * 60_000);
  }
});

needing(
  'company',
  '[slots.3] a fixed service tells its duration, an interval service its bounds',
  async (stage) => {
    const fixed = (await stage.slots()).body;
    const told = (it: Record<string, unknown>) =>
      ['mode', 'duration_min', 'min_duration_min', 'max_duration_min', 'duration_step_min'].map(
        (name) => it[name],
      );
    expect(told(fixed)).toEqual(['fixed', 60, null, null, null]);
    const interval = (await stage.slots({ service_id: await rental(stage) })).body;
    expect(told(interval)).toEqual(['interval', null, 60, 240, 30]);
  },
);

needing(
  'company',
  '[slots.5] an interval service has windows and no slots, a fixed one the other way round',
  async (stage) => {
    const interval = (await stage.slots({ service_id: await rental(stage) })).body;
    expect([interval.slots, interval.windows.length]).toEqual([[], 1]);
    const fixed = (await stage.slots()).body;
    expect([fixed.windows, fixed.slots.length > 0]).toEqual([[], true]);
  },
);

reading('[slots.7] a search without a service is refused', async (company) => {
  const query = await search(company);
  query.delete('service_id');
  expect(verdict(await company.api.get(`/slots?${query}`))).toBe(REFUSED);
});

reading(
  '[slots.8] a search without a beginning or an end, or with one that has no zone, is refused',
  async (company) => {
    for (const bound of ['from', 'to']) {
      const query = await search(company);
      query.delete(bound);
      expect(verdict(await company.api.get(`/slots?${query}`))).toBe(REFUSED);
      query.set(bound, '2031-01-01T00:00:00');
      expect(verdict(await company.api.get(`/slots?${query}`))).toBe(REFUSED);
    }
  },
);

reading('[slots.9] a search that ends where it begins, or before, is refused', async (company) => {
  const from = new Date(Date.now() + DAY_MS);
  for (const to of [from, new Date(from.getTime() - 1000)]) {
    const query = await search(company, { from: from.toISOString(), to: to.toISOString() });
    expect(verdict(await company.api.get(`/slots?${query}`))).toBe(REFUSED);
  }
});

reading('[slots.10] a search over 31 days is taken, over a second more refused', async (company) => {
  const from = Date.now() + DAY_MS;
  for (const [lengthMs, expected] of [
    [31 * DAY_MS, '200'],
    [31 * DAY_MS + 1000, REFUSED],
  ] as const) {
    const times = { from: new Date(from).toISOString(), to: new Date(from + lengthMs).toISOString() };
    expect(verdict(await company.api.get(`/slots?${await search(company, times)}`))).toBe(expected);
  }
});

needing('company', '[slots.11] of several branches one must be named, or a resource', async (stage) => {
  await stage.staff('createBranch', { projectId: stage.ownProjectId, name: 'Second' });
  expect(verdict(await stage.slots())).toBe('422 branch-id-required');
  expect(verdict(await stage.slots({ branch_id: stage.branchId }))).toBe('200');
  expect(verdict(await stage.slots({ resource_id: stage.annaId }))).toBe('200');
});

reading('[slots.12] a branch that does not exist is refused', async (company) => {
  const query = await search(company, { branch_id: UNKNOWN_ID });
  expect(verdict(await company.api.get(`/slots?${query}`))).toBe('422 branch-not-found');
});

reading('[slots.13] with a resource only its slots are shown', async (company) => {
  const { resource_id } = await company.freeTime();
  const { body } = await company.api.get(`/slots?${await search(company, { resource_id })}`);
  expect(new Set(body.slots.map((slot: Slot) => slot.resource_id))).toEqual(new Set([resource_id]));
});

reading('[slots.14] a resource that does not exist is not eligible', async (company) => {
  const query = await search(company, { resource_id: UNKNOWN_ID });
  expect(verdict(await company.api.get(`/slots?${query}`))).toBe('422 resource-not-eligible');
});

needing('company', '[slots.14] a resource that does not serve the service is not eligible', async (stage) => {
  const eve = await stage.staff('createResource', { branchId: stage.branchId, name: 'Eve' });
  expect(verdict(await stage.slots({ resource_id: eve }))).toBe('422 resource-not-eligible');
});

reading('[slots.15] a service that does not exist is not found', async (company) => {
  const query = await search(company, { service_id: UNKNOWN_ID });
  expect(verdict(await company.api.get(`/slots?${query}`))).toBe('422 service-not-found');
});

needing('keys', '[slots.15] a service switched off or of another project is not found', async (stage) => {
  const other = await stage.apiWith({ projectIds: [await stage.staff('createProject', { name: 'Other' })] });
  expect(verdict(await stage.slots({}, other))).toBe('422 service-not-found');
  await stage.staff('switchOffService', { id: stage.haircutId });
  expect(verdict(await stage.slots())).toBe('422 service-not-found');
});

needing('company', '[slots.16] for more guests only resources with the seats are offered', async (stage) => {
  await stage.staff('changeResource', { id: stage.annaId, capacity: 4 });
  const offering = async (guests: string) =>
    new Set((await stage.slots({ guests })).body.slots.map((slot: Slot) => slot.resource_id));
  expect(await offering('1')).toEqual(new Set([stage.annaId, stage.borisId]));
  expect(await offering('4')).toEqual(new Set([stage.annaId]));
  expect(await offering('5')).toEqual(new Set());
});

needing(
  'company',
  '[slots.17][slots.20] a hundred slots are shown unless limited, and that there are more',
  async (stage) => {
    const { body } = await stage.slots({ to: stage.at(0, 8) });
    expect([body.slots.length, body.has_more]).toEqual([100, true]);
    expect((await stage.slots()).body.has_more).toBe(false);
  },
);

needing('company', '[slots.18] from one to two hundred slots can be asked for', async (stage) => {
  for (const limit of [1, 200]) {
    const { body } = await stage.slots({ to: stage.at(0, 8), limit: String(limit) });
    expect(body.slots).toHaveLength(limit);
  }
});

reading('[slots.19] a limit of 0, 201 or a word is refused', async (company) => {
  for (const limit of ['0', '201', 'all'])
    expect(verdict(await company.api.get(`/slots?${await search(company, { limit })}`))).toBe(REFUSED);
});

needing('clock', '[slots.21] what has passed today is not offered', async (stage) => {
  await stage.control.advance(Date.parse(stage.at(14)) - Date.now() + 60_000);
  const { body } = await stage.slots({ resource_id: stage.annaId });
  expect(starts(body.slots)[0]).toBe(stage.at(14.5));
});

writing(
  '[slots.22][slots.23] an offered slot can be booked, and then is not offered again',
  async (company) => {
    const { service_id, branch_id, resource_id, starts_at } = await company.freeTime();
    const resource = await company.one('/resources?limit=100', (one) => one.id === resource_id);
    const booked = await company.book({ starts_at, resource_id, guests_count: resource.capacity });
    expect(verdict(booked)).toBe('201');
    const to = new Date(Date.parse(starts_at) + DAY_MS).toISOString();
    const query = new URLSearchParams({ service_id, branch_id, resource_id, from: starts_at, to });
    expect(starts((await company.api.get(`/slots?${query}`)).body.slots)).not.toContain(starts_at);
  },
);

needing(
  'company',
  '[slots.24] slots begin at opening, end by closing, and keep the hours of the resource',
  async (stage) => {
    const schedule = Object.fromEntries(
      ['1', '2', '3', '4', '5', '6', '7'].map((day) => [day, [['12:00', '15:00']]]),
    );
    await stage.staff('changeResource', { id: stage.borisId, schedule });
    const of = async (resource_id: string) => (await stage.slots({ resource_id })).body.slots as Slot[];
    const [anna, boris] = [await of(stage.annaId), await of(stage.borisId)];
    expect([anna[0]?.starts_at, anna.at(-1)?.ends_at]).toEqual([stage.at(9), stage.at(21)]);
    expect([boris[0]?.starts_at, boris.at(-1)?.ends_at]).toEqual([stage.at(12), stage.at(15)]);
  },
);

needing('company', '[slots.25] a buffer after an appointment is not offered', async (stage) => {
  await stage.staff('changeService', { id: stage.haircutId, bufferAfterMin: 30 });
  await stage.book({ starts_at: stage.at(12) });
  const { body } = await stage.slots({ resource_id: stage.annaId, from: stage.at(11), to: stage.at(15) });
  expect(starts(body.slots)).toEqual([stage.at(13.5), stage.at(14)]);
});

needing(
  'company',
  '[slots.26] a limit of one shows one window and says that there are more',
  async (stage) => {
    const service_id = await rental(stage);
    await stage.book({ starts_at: stage.at(14) });
    expect((await stage.slots({ service_id })).body.windows).toHaveLength(2);
    const { body } = await stage.slots({ service_id, limit: '1' });
    expect([body.windows.length, body.has_more]).toEqual([1, true]);
  },
);

needing('company', '[slots.28] the zone is that of the branch', async (stage) => {
  expect((await stage.slots()).body.timezone).toBe('Europe/Moscow');
});

reading('[slots.29] ids that are none and guests that are no number are refused', async (company) => {
  for (const [name, value] of Object.entries({
    service_id: 'x',
    branch_id: 'x',
    resource_id: 'x',
    guests: 'few',
  }))
    expect([
      name,
      verdict(await company.api.get(`/slots?${await search(company, { [name]: value })}`)),
    ]).toEqual([name, REFUSED]);
});
