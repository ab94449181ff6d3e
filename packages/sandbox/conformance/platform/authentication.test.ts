import { expect } from 'vitest';
import { type Api, codeOf, verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const FORBIDDEN = '403 forbidden';
const READABLE = {
  'contacts:read': ['/contacts', `/contacts/${UNKNOWN_ID}`],
  'conversations:read': [
    '/conversations',
    `/conversations/${UNKNOWN_ID}`,
    `/conversations/${UNKNOWN_ID}/messages`,
  ],
  'appointments:read': [
    '/appointments',
    `/appointments/${UNKNOWN_ID}`,
    '/slots',
    '/services',
    '/resources',
    '/branches',
  ],
  'webhooks:manage': [
    '/webhook_endpoints',
    `/webhook_endpoints/${UNKNOWN_ID}`,
    '/events',
    `/events/${UNKNOWN_ID}`,
  ],
} as const;

const WRITABLE = {
  'contacts:write': [
    ['POST', '/contacts'],
    ['PATCH', `/contacts/${UNKNOWN_ID}`],
  ],
  'conversations:write': [['POST', `/conversations/${UNKNOWN_ID}/close`]],
  'appointments:write': [
    ['POST', '/appointments'],
    ['POST', `/appointments/${UNKNOWN_ID}/reschedule`],
    ['POST', `/appointments/${UNKNOWN_ID}/cancel`],
  ],
} as const;

const ALL_SCOPES = [...Object.keys(READABLE), ...Object.keys(WRITABLE), 'leads:read'];

/**
 * Without the scope, each of its read paths is refused with the scope's name in the detail. With the scope alone, no
 * path is forbidden.
 */
async function opensReading(stage: Stage, scope: keyof typeof READABLE): Promise<void> {
  const without = await stage.apiWith({ scopes: ALL_SCOPES.filter((one) => one !== scope) });
  const alone = await stage.apiWith({ scopes: [scope] });
  for (const path of READABLE[scope]) {
    const refused = await without.get(path);
    expect([path, verdict(refused)]).toEqual([path, FORBIDDEN]);
    expect(refused.body.detail).toContain(scope);
    expect((await alone.get(path)).status, path).not.toBe(403);
  }
}

async function opensWriting(stage: Stage, scope: keyof typeof WRITABLE): Promise<void> {
  const without = await stage.apiWith({ scopes: ALL_SCOPES.filter((one) => one !== scope) });
  const alone = await stage.apiWith({ scopes: [scope] });
  for (const [method, path] of WRITABLE[scope]) {
    const refused = await without.call(method, path, { body: {} });
    expect([path, verdict(refused)]).toEqual([path, FORBIDDEN]);
    expect(refused.body.detail).toContain(scope);
    expect((await alone.call(method, path, { body: {} })).status, path).not.toBe(403);
  }
}

reading(
  '[authentication.1] a request without an Authorization header is unauthenticated',
  async ({ api }) => {
    expect(verdict(await api.withKey(null).get('/contacts'))).toBe('401 unauthenticated');
  },
);

reading('[authentication.2] a wrong key is unauthenticated', async ({ api }) => {
  expect(verdict(await api.withKey('sk_nobody_has_this_key').get('/contacts'))).toBe('401 unauthenticated');
});

reading('[authentication.3] a scheme other than Bearer is unauthenticated', async ({ api }) => {
  const answer = await api
    .withKey(null)
    .get('/contacts', { headers: { Authorization: 'Basic a2V5OmtleQ==' } });
  expect(verdict(answer)).toBe('401 unauthenticated');
});

needing(
  'keys',
  '[authentication.4][authentication.5] a key that worked is unauthenticated once it is revoked, and stays so',
  async (stage) => {
    const key = await stage.control.createKey();
    const api = stage.api.withKey(key);
    expect((await api.get('/contacts')).status).toBe(200);
    await stage.control.revokeKey(key);
    for (const path of ['/contacts', '/contacts', '/appointments'])
      expect(verdict(await api.get(path))).toBe('401 unauthenticated');
  },
);

needing(
  'dashboard',
  '[authentication.7] without the add-on every call of a valid key is answered 402',
  async (stage) => {
    await stage.staff('switchAddOn', { isOn: false });
    for (const path of ['/contacts', '/events', `/appointments/${UNKNOWN_ID}`])
      expect(verdict(await stage.api.get(path))).toBe('402 api-addon-required');
    expect(verdict(await stage.contact())).toBe('402 api-addon-required');
  },
);

needing(
  'dashboard',
  '[authentication.8] the key that was answered 402 works once the add-on is on',
  async (stage) => {
    await stage.staff('switchAddOn', { isOn: false });
    expect((await stage.api.get('/contacts')).status).toBe(402);
    await stage.staff('switchAddOn', { isOn: true });
    expect((await stage.api.get('/contacts')).status).toBe(200);
  },
);

needing(
  'keys',
  '[authentication.10][authentication.scope.1] contacts:read opens the contacts for reading',
  (stage) => opensReading(stage, 'contacts:read'),
);

needing('keys', '[authentication.scope.2] contacts:write opens creating and changing contacts', (stage) =>
  opensWriting(stage, 'contacts:write'),
);

needing(
  'keys',
  '[authentication.scope.3] conversations:read opens conversations and messages for reading',
  (stage) => opensReading(stage, 'conversations:read'),
);

needing('keys', '[authentication.scope.4] conversations:write opens closing', (stage) =>
  opensWriting(stage, 'conversations:write'),
);

needing('keys', '[authentication.scope.5] leads:read opens the events of leads', async (stage) => {
  const without = await stage.apiWith({ scopes: ALL_SCOPES.filter((one) => one !== 'leads:read') });
  const refused = await without.get('/events?type=lead.created');
  expect(verdict(refused)).toBe(FORBIDDEN);
  const both = await stage.apiWith({ scopes: ['webhooks:manage', 'leads:read'] });
  expect((await both.get('/events?type=lead.created')).status).toBe(200);
});

needing(
  'keys',
  '[authentication.scope.6] appointments:read opens appointments, slots, services, resources and branches',
  (stage) => opensReading(stage, 'appointments:read'),
);

needing(
  'keys',
  '[authentication.scope.7] appointments:write opens creating, rescheduling and cancelling',
  (stage) => opensWriting(stage, 'appointments:write'),
);

needing('keys', '[authentication.scope.8] webhooks:manage opens endpoints and the event feed', (stage) =>
  opensReading(stage, 'webhooks:manage'),
);

needing(
  'keys',
  '[authentication.23] who may write contacts may not read them, and the other way round',
  async (stage) => {
    const writer = await stage.apiWith({ scopes: ['contacts:write'] });
    const reader = await stage.apiWith({ scopes: ['contacts:read'] });
    expect(verdict(await writer.get('/contacts'))).toBe(FORBIDDEN);
    expect(verdict(await reader.post('/contacts', { name: 'Ann' }))).toBe(FORBIDDEN);
    expect(verdict(await writer.post('/contacts', { name: 'Ann' }))).toBe('201');
    expect(verdict(await reader.get('/contacts'))).toBe('200');
  },
);

reading('[authentication.11] filtering by a project that is not in the key is forbidden', async ({ api }) => {
  expect(verdict(await api.get(`/contacts?project_id=${UNKNOWN_ID}`))).toBe(FORBIDDEN);
});

needing(
  'keys',
  '[authentication.12] creating in a project that is not in the key is forbidden',
  async (stage) => {
    const other = await stage.staff('createProject', { name: 'Other' });
    const api = await stage.apiWith({ projectIds: [stage.ownProjectId] });
    expect(verdict(await api.post('/contacts', { name: 'Ann', project_id: other }))).toBe(FORBIDDEN);
    expect(verdict(await api.post('/contacts', { name: 'Ann', project_id: stage.ownProjectId }))).toBe('201');
  },
);

needing(
  'keys',
  '[authentication.13] a key whose projects are all gone is forbidden everything',
  async (stage) => {
    const gone = await stage.staff('createProject', { name: 'Gone' });
    const api = await stage.apiWith({ projectIds: [gone] });
    expect((await api.get('/contacts')).status).toBe(200);
    await stage.staff('deleteProject', { id: gone });
    for (const path of ['/contacts', '/services', '/events'])
      expect(verdict(await api.get(path))).toBe(FORBIDDEN);
  },
);

reading(
  '[authentication.14] a path outside the API is answered 403 or 404 to a valid key',
  async ({ api }) => {
    const answer = await api.get('/no-such-thing');
    expect(['403 forbidden', '404 not-found']).toContain(verdict(answer));
  },
);

needing(
  'keys',
  '[authentication.15] a key with one project supplies it to what it creates',
  async (stage) => {
    await stage.staff('createProject', { name: 'Other' });
    const api = await stage.apiWith({ projectIds: [stage.ownProjectId] });
    const { body } = await api.post('/contacts', { name: 'Ann' });
    expect(body.project_id).toBe(stage.ownProjectId);
  },
);

needing(
  'keys',
  '[authentication.16] a key with several projects that passes none is told so with 422',
  async (stage) => {
    await stage.staff('createProject', { name: 'Other' });
    const answer = await stage.api.post('/contacts', { name: 'Ann' });
    expect(verdict(answer)).toBe('422 validation');
    expect(answer.body.detail).toContain('project_id');
  },
);

needing(
  'keys',
  '[authentication.17] an object of another project does not exist for the key',
  async (stage) => {
    const projectId = await stage.staff('createProject', { name: 'Other' });
    const api = await stage.apiWith({ projectIds: [projectId] });
    const contact = (await stage.contact()).body.id;
    const appointment = (await stage.book()).body.id;
    const chat = (await stage.staff('customerWrites', { text: 'Hi', projectId: stage.ownProjectId }))
      .conversationId;
    const paths = [
      `/contacts/${contact}`,
      `/appointments/${appointment}`,
      `/conversations/${chat}`,
      `/conversations/${chat}/messages`,
    ];
    for (const path of paths) {
      expect((await stage.api.get(path)).status, path).toBe(200);
      expect([path, verdict(await api.get(path))]).toEqual([path, '404 not-found']);
    }
    expect(codeOf(await api.post(`/appointments/${appointment}/cancel`, {}))).toBe('not-found');
    expect(codeOf(await api.patch(`/contacts/${contact}`, { name: 'X' }))).toBe('not-found');
  },
);

needing('keys', '[authentication.18] no list shows objects of other projects', async (stage) => {
  const projectId = await stage.staff('createProject', { name: 'Other' });
  await stage.contact();
  await stage.book();
  await stage.staff('customerWrites', { text: 'Hi', projectId: stage.ownProjectId });
  const api: Api = await stage.apiWith({ projectIds: [projectId] });
  const mine = (await api.post('/contacts', { name: 'Mine' })).body.id;
  for (const path of ['/appointments', '/conversations', '/services', '/resources', '/branches'])
    expect((await api.get(path)).body.data, path).toEqual([]);
  expect((await api.get('/contacts')).body.data.map((one: { id: string }) => one.id)).toEqual([mine]);
});

needing(
  'keys',
  '[authentication.19] a project made after the key is not among the key’s projects',
  async (stage) => {
    const api = await stage.apiWith({ projectIds: [stage.ownProjectId] });
    const later = await stage.staff('createProject', { name: 'Later' });
    const contact = await stage.staff('createContact', { projectId: later, name: 'Ann' });
    expect(verdict(await api.get(`/contacts/${contact}`))).toBe('404 not-found');
    expect(verdict(await api.get(`/contacts?project_id=${later}`))).toBe(FORBIDDEN);
  },
);
