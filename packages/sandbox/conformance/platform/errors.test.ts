import { expect } from 'vitest';
import { codeOf, verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading, writing } from '../stage/fact.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const LISTS = [
  '/contacts',
  '/conversations',
  '/appointments',
  '/services',
  '/resources',
  '/branches',
  '/events',
];

reading(
  '[errors.1][errors.3] a refusal is a problem with type, title, status and detail',
  async ({ api }) => {
    const refusals = [
      await api.withKey(null).get('/contacts'),
      await api.get(`/contacts?project_id=${UNKNOWN_ID}`),
      await api.get(`/contacts/${UNKNOWN_ID}`),
      await api.get('/contacts?limit=0'),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([401, 403, 404, 422]);
    for (const { status, headers, body } of refusals) {
      expect(headers.get('content-type')).toMatch(/json/);
      expect([body.status, typeof body.title, typeof body.detail]).toEqual([status, 'string', 'string']);
      expect(body.type).toEqual(expect.any(String));
    }
  },
);

reading('[errors.2] the code stands at the end of the type', async ({ api }) => {
  const { body } = await api.get(`/contacts/${UNKNOWN_ID}`);
  expect(body.type).toMatch(/.\/not-found$/);
});

reading('[errors.4] the request id in the body is that of the header', async ({ api }) => {
  const { headers, body } = await api.get(`/contacts/${UNKNOWN_ID}`);
  expect(body.request_id ?? headers.get('request-id')).toBe(headers.get('request-id'));
  expect(headers.get('request-id')).toMatch(/^req_/);
});

reading(
  '[errors.5] field errors come with 422 and are lists of texts; other refusals have none',
  async ({ api }) => {
    const { body } = await api.get('/contacts?limit=0');
    for (const messages of Object.values(body.errors ?? {}) as unknown[][])
      expect(messages.every((message) => typeof message === 'string')).toBe(true);
    for (const path of [`/contacts/${UNKNOWN_ID}`, `/contacts?project_id=${UNKNOWN_ID}`])
      expect((await api.get(path)).body).not.toHaveProperty('errors');
  },
);

writing(
  '[errors.6] appointment errors repeat their code with underscores, others do not',
  async (company) => {
    const refused = await company.book({ starts_at: '2020-01-01T10:00:00Z' });
    expect([codeOf(refused), refused.body.code]).toEqual(['starts-at-in-past', 'starts_at_in_past']);
    expect((await company.api.get(`/appointments/${UNKNOWN_ID}`)).body).not.toHaveProperty('code');
  },
);

needing(
  'company',
  '[errors.6] every appointment error that a request provokes carries its code',
  async (stage) => {
    await stage.book();
    const wishes = [
      { starts_at: stage.at(10) },
      { starts_at: stage.at(23) },
      { service_id: UNKNOWN_ID },
      { branch_id: UNKNOWN_ID },
      { resource_id: UNKNOWN_ID },
      { contact_id: UNKNOWN_ID },
    ];
    for (const wish of wishes) {
      const answer = await stage.book(wish);
      expect(answer.body.code).toBe(codeOf(answer).replaceAll('-', '_'));
    }
  },
);

writing('[errors.7] a body that is no JSON, or no object, cannot be processed', async ({ api }) => {
  for (const rawBody of ['{"name":', '[]', '"Ann"'])
    expect(verdict(await api.call('POST', '/contacts', { rawBody }))).toBe('400 bad-request');
});

needing('company', '[errors.7] a body of another type than JSON cannot be processed', async ({ api }) => {
  const headers = { 'Content-Type': 'text/plain' };
  expect(verdict(await api.call('POST', '/contacts', { rawBody: 'name=Ann', headers }))).toBe(
    '400 bad-request',
  );
});

writing('[errors.8] a method that a path does not have is answered 405', async ({ api }) => {
  for (const [method, path] of [
    ['DELETE', '/contacts'],
    ['PUT', `/contacts/${UNKNOWN_ID}`],
    ['DELETE', `/appointments/${UNKNOWN_ID}`],
    ['POST', '/services'],
  ] as const)
    expect([path, verdict(await api.call(method, path, { body: {} }))]).toEqual([path, '405 http']);
});

reading('[errors.9] a path below a known one is answered 403 or 404', async ({ api }) => {
  const answer = await api.get(`/contacts/${UNKNOWN_ID}/notes`);
  expect(['403 forbidden', '404 not-found']).toContain(verdict(answer));
});

writing('[errors.10] all wrong fields are named at once', async (company) => {
  const { status, body } = await company.contact({ name: '', email: 'nonsense', lifecycle: 'vip' });
  expect(status).toBe(422);
  if (body.errors !== undefined)
    expect(Object.keys(body.errors).sort()).toEqual(['email', 'lifecycle', 'name']);
});

reading('[errors.16] a success is JSON', async ({ api }) => {
  for (const path of LISTS)
    expect((await api.get(path)).headers.get('content-type')).toMatch(/application\/json/);
});

reading('[errors.18] the address of the API ends with its version', async ({ api }) => {
  expect(api.baseUrl).toMatch(/\/v1$/);
});

reading('[errors.21] every id in every list is a UUID', async ({ api }) => {
  for (const path of LISTS)
    for (const one of (await api.get(path)).body.data)
      for (const [name, value] of Object.entries(one))
        if (/(^|_)id$/.test(name) && value !== null)
          expect([path, name, value]).toEqual([path, name, expect.stringMatching(UUID)]);
});

reading('[errors.22] every time in every list is in UTC', async ({ api }) => {
  for (const path of LISTS)
    for (const one of (await api.get(path)).body.data)
      for (const [name, value] of Object.entries(one))
        if (/_at$/.test(name) && value !== null)
          expect([path, name, value]).toEqual([path, name, expect.stringMatching(UTC)]);
});

reading('[errors.23] the same moment in another zone finds the same appointments', async (company) => {
  const { starts_at } = await company.one('/appointments');
  const moment = Date.parse(starts_at);
  const inMoscow = `${new Date(moment + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;
  const ids = async (from: string): Promise<string[]> => {
    const { body } = await company.api.get(
      `/appointments?starts_at[gte]=${encodeURIComponent(from)}&limit=100`,
    );
    return body.data.map((one: { id: string }) => one.id);
  };
  expect(await ids(inMoscow)).toEqual(await ids(starts_at));
});
