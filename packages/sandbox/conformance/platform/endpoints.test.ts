import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, Lacking, UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading, writing } from '../stage/fact.ts';
import { secondProject } from '../stage/furnishing.ts';

const REFUSED = '422 validation';
const FORBIDDEN = '403 forbidden';

/** Creates an endpoint for deletions of contacts. Throws Lacking when the company already has ten, or the server refuses this url. */
// biome-ignore lint/suspicious/noExplicitAny: the endpoint as the server sent it
async function made(company: Company, changes: Record<string, unknown> = {}): Promise<any> {
  const answer = await company.endpoint(changes);
  if (answer.status !== 201) throw new Lacking(`no endpoint can be created here: ${verdict(answer)}`);
  return answer.body;
}

const path = (endpoint: { id: string }, rest = ''): string => `/webhook_endpoints/${endpoint.id}${rest}`;

async function listed(api: {
  get(path: string): Promise<{ body: { data: { id: string }[] } }>;
}): Promise<string[]> {
  return (await api.get('/webhook_endpoints?limit=100')).body.data.map(({ id }) => id);
}

reading(
  '[endpoints.object.1][endpoints.object.3] a listed endpoint has every field of the table, and no secret',
  async (company) => {
    const endpoint = await company.one('/webhook_endpoints');
    const fields = ['object', 'id', 'url', 'description', 'enabled_events', 'project_ids', 'status'];
    const rest = ['disabled_reason', 'disabled_at', 'created_at', 'updated_at'];
    expect(Object.keys(endpoint)).toEqual(expect.arrayContaining([...fields, ...rest]));
    expect([endpoint.object, 'secret' in endpoint]).toEqual(['webhook_endpoint', false]);
  },
);

reading(
  '[endpoints.object.2] an enabled endpoint has no reason and no moment of disabling',
  async (company) => {
    const endpoint = await company.one('/webhook_endpoints', (one) => one.status === 'enabled');
    expect([endpoint.disabled_reason, endpoint.disabled_at]).toEqual([null, null]);
  },
);

needing(
  'keys',
  '[endpoints.list.1][endpoints.get.3] a key sees the endpoints whose projects are all its own',
  async (stage) => {
    const second = await secondProject(stage);
    const mine = await made(stage, { project_ids: [stage.ownProjectId] });
    const both = await made(stage, { project_ids: [stage.ownProjectId, second] });
    const theirs = await made(stage, { project_ids: [second] });
    const api = await stage.apiWith({ projectIds: [stage.ownProjectId] });
    expect(await listed(api)).toEqual([mine.id]);
    expect(await listed(stage.api)).toEqual([theirs.id, both.id, mine.id]);
    for (const other of [both, theirs]) expect(verdict(await api.get(path(other)))).toBe('404 not-found');
  },
);

writing('[endpoints.get.1] a GET shows what creating answered, but for the secret', async (company) => {
  const { secret, ...endpoint } = await made(company);
  expect(secret).toEqual(expect.any(String));
  expect((await company.api.get(path(endpoint))).body).toEqual(endpoint);
});

reading('[endpoints.get.2] an unknown endpoint is not found', async ({ api }) => {
  expect(verdict(await api.get(`/webhook_endpoints/${UNKNOWN_ID}`))).toBe('404 not-found');
});

writing('[endpoints.create.1] a new endpoint is enabled and tells its secret', async (company) => {
  const endpoint = await made(company, { description: 'Tests' });
  expect([endpoint.object, endpoint.status, endpoint.description]).toEqual([
    'webhook_endpoint',
    'enabled',
    'Tests',
  ]);
  expect(endpoint.secret.length).toBeGreaterThan(8);
});

writing(
  '[endpoints.create.2] an endpoint without a url, or with one that is none, is refused',
  async (company) => {
    for (const url of [undefined, null, '', 'hooks'])
      expect(verdict(await company.endpoint({ url }))).toBe(REFUSED);
  },
);

writing('[endpoints.create.3] a url that is not https is refused', async (company) => {
  for (const url of ['http://customer.example/hooks', 'ftp://customer.example/hooks'])
    expect(verdict(await company.endpoint({ url }))).toBe(REFUSED);
});

needing(
  'company',
  '[endpoints.create.4] ports 443 and from 1024 are taken, those below are refused',
  async (stage) => {
    for (const port of [443, 1024, 65535])
      expect(verdict(await stage.endpoint({ url: `https://customer.example:${port}/h` }))).toBe('201');
    for (const port of [80, 444, 1023])
      expect(verdict(await stage.endpoint({ url: `https://customer.example:${port}/h` }))).toBe(REFUSED);
  },
);

writing('[endpoints.create.5] a url with a login or a password is refused', async (company) => {
  for (const login of ['user@', 'user:secret@', ':secret@'])
    expect(verdict(await company.endpoint({ url: `https://${login}customer.example/hooks` }))).toBe(REFUSED);
});

needing('company', '[endpoints.create.6] a domain in Cyrillic is stored in its xn-- form', async (stage) => {
  expect((await made(stage, { url: 'https://пример.рф/hooks' })).url).toBe(
    'https://xn--e1afmkfd.xn--p1ai/hooks',
  );
});

writing('[endpoints.create.7] an endpoint that subscribes to nothing named is refused', async (company) => {
  for (const enabled_events of [undefined, null, 'contact.created'])
    expect(verdict(await company.endpoint({ enabled_events }))).toBe(REFUSED);
});

writing('[endpoints.create.8] an event type that does not exist is refused', async (company) => {
  const enabled_events = ['contact.created', 'contact.painted'];
  expect(verdict(await company.endpoint({ enabled_events }))).toBe(REFUSED);
});

needing('company', '[endpoints.create.9] a star subscribes to everything', async (stage) => {
  expect((await made(stage, { enabled_events: ['*'] })).enabled_events).toEqual(['*']);
  await stage.control.setDelivery({ hold: true });
  await stage.contact();
  await stage.book();
  await stage.staff('customerWrites', { text: 'Hi' });
  await stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: '+79123456789' });
  const groups = (await stage.feedTypes()).map((type) => type.split('.')[0]);
  expect(new Set(groups)).toEqual(new Set(['contact', 'appointment', 'conversation', 'message', 'lead']));
});

writing('[endpoints.create.10] a description of 256 characters is taken, of 257 refused', async (company) => {
  expect((await made(company, { description: 'x'.repeat(256) })).description).toHaveLength(256);
  expect(verdict(await company.endpoint({ description: 'x'.repeat(257) }))).toBe(REFUSED);
});

needing(
  'company',
  '[endpoints.create.11] without projects, or with null, it is for all of them',
  async (stage) => {
    expect((await made(stage)).project_ids).toBeNull();
    expect((await made(stage, { project_ids: null })).project_ids).toBeNull();
    expect((await made(stage, { project_ids: [stage.ownProjectId] })).project_ids).toEqual([
      stage.ownProjectId,
    ]);
  },
);

needing('keys', '[endpoints.create.12] all projects are not for a key that has only some', async (stage) => {
  await secondProject(stage);
  const api = await stage.apiWith({ projectIds: [stage.ownProjectId] });
  const body = { url: stage.hookUrl, enabled_events: ['contact.created'] };
  expect(verdict(await api.post('/webhook_endpoints', body))).toBe(FORBIDDEN);
  expect(verdict(await api.post('/webhook_endpoints', { ...body, project_ids: null }))).toBe(FORBIDDEN);
  const own = await api.post('/webhook_endpoints', { ...body, project_ids: [stage.ownProjectId] });
  expect(verdict(own)).toBe('201');
});

writing('[endpoints.create.13] projects that are not in the key are forbidden', async (company) => {
  const project_ids = [await company.projectId(), UNKNOWN_ID];
  expect(verdict(await company.endpoint({ project_ids }))).toBe(FORBIDDEN);
});

needing(
  'keys',
  '[endpoints.create.14] events that the key may not read are forbidden and listed',
  async (stage) => {
    const api = await stage.apiWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    const enabled_events = ['contact.created', 'lead.created', 'message.updated'];
    const answer = await api.post('/webhook_endpoints', { url: stage.hookUrl, enabled_events });
    expect(verdict(answer)).toBe(FORBIDDEN);
    for (const type of ['lead.created', 'message.updated']) expect(answer.body.detail).toContain(type);
    expect(answer.body.detail).not.toContain('contact.created');
  },
);

needing('keys', '[endpoints.create.15] a star needs all four read scopes', async (stage) => {
  const all = ['contacts:read', 'conversations:read', 'leads:read', 'appointments:read'];
  const body = { url: stage.hookUrl, enabled_events: ['*'] };
  for (const missing of all) {
    const api = await stage.apiWith({ scopes: ['webhooks:manage', ...all.filter((one) => one !== missing)] });
    expect([missing, verdict(await api.post('/webhook_endpoints', body))]).toEqual([missing, FORBIDDEN]);
  }
  const api = await stage.apiWith({ scopes: ['webhooks:manage', ...all] });
  expect(verdict(await api.post('/webhook_endpoints', body))).toBe('201');
});

needing('company', '[endpoints.create.16] a company has ten endpoints and no more', async (stage) => {
  for (let count = 0; count < 10; count += 1) await made(stage);
  expect(verdict(await stage.endpoint())).toBe('409 webhook-endpoint-limit');
});

needing(
  'keys',
  '[endpoints.create.17] the read scope of a group is enough to subscribe to the group',
  async (stage) => {
    const groups = {
      'contacts:read': ['contact.created', 'contact.updated', 'contact.deleted'],
      'conversations:read': [
        'conversation.created',
        'conversation.escalated',
        'message.created',
        'message.updated',
      ],
      'leads:read': ['lead.created', 'lead.updated'],
      'appointments:read': ['appointment.created', 'appointment.cancelled'],
    };
    for (const [scope, enabled_events] of Object.entries(groups)) {
      const api = await stage.apiWith({ scopes: ['webhooks:manage', scope] });
      const answer = await api.post('/webhook_endpoints', { url: stage.hookUrl, enabled_events });
      expect([scope, verdict(answer)]).toEqual([scope, '201']);
    }
  },
);
