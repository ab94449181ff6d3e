import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, Lacking, UNKNOWN_ID } from '../stage/company.ts';
import { needing, writing } from '../stage/fact.ts';
import { secondProject } from '../stage/furnishing.ts';
import { openReceiver } from '../stage/receiver.ts';

const REFUSED = '422 validation';
const FORBIDDEN = '403 forbidden';
const ZERO_ID = '00000000-0000-0000-0000-000000000000';

/** Creates an endpoint for deletions of contacts. Throws Lacking when the company already has ten, or the server refuses this url. */
// biome-ignore lint/suspicious/noExplicitAny: the endpoint as the server sent it
async function made(company: Company, changes: Record<string, unknown> = {}): Promise<any> {
  const answer = await company.endpoint(changes);
  if (answer.status !== 201) throw new Lacking(`no endpoint can be created here: ${verdict(answer)}`);
  return answer.body;
}

const path = (endpoint: { id: string }, rest = ''): string => `/webhook_endpoints/${endpoint.id}${rest}`;

writing('[endpoints.change.1] a change touches the given fields and no other', async (company) => {
  const { secret: _, ...endpoint } = await made(company, { description: 'One' });
  const { status, body } = await company.api.patch(path(endpoint), { description: 'Two' });
  expect(status).toBe(200);
  expect(body).toEqual({ ...endpoint, description: 'Two', updated_at: body.updated_at });
});

writing('[endpoints.change.2] null clears the description', async (company) => {
  const endpoint = await made(company, { description: 'One' });
  expect((await company.api.patch(path(endpoint), { description: null })).body.description).toBeNull();
});

needing('company', '[endpoints.change.3] the url can be changed to another good one', async (stage) => {
  const endpoint = await made(stage);
  const url = 'https://other.example:8443/hooks';
  expect((await stage.api.patch(path(endpoint), { url })).body.url).toBe(url);
  for (const bad of ['http://other.example/', 'https://other.example:80/', 'https://u:p@other.example/'])
    expect(verdict(await stage.api.patch(path(endpoint), { url: bad }))).toBe(REFUSED);
});

writing('[endpoints.change.4] the events can be changed to others that exist', async (company) => {
  const endpoint = await made(company);
  const enabled_events = ['contact.deleted', 'contact.updated'];
  const { body } = await company.api.patch(path(endpoint), { enabled_events });
  expect(new Set(body.enabled_events)).toEqual(new Set(enabled_events));
  const unknown = await company.api.patch(path(endpoint), { enabled_events: ['contact.painted'] });
  expect(verdict(unknown)).toBe(REFUSED);
});

needing('keys', '[endpoints.change.5] null projects are for a key that covers all of them', async (stage) => {
  await secondProject(stage);
  const endpoint = await made(stage, { project_ids: [stage.ownProjectId] });
  const api = await stage.apiWith({ projectIds: [stage.ownProjectId] });
  expect(verdict(await api.patch(path(endpoint), { project_ids: null }))).toBe(FORBIDDEN);
  expect((await stage.api.patch(path(endpoint), { project_ids: null })).body.project_ids).toBeNull();
});

writing('[endpoints.change.6] an unknown endpoint cannot be changed', async ({ api }) => {
  expect(verdict(await api.patch(`/webhook_endpoints/${UNKNOWN_ID}`, { description: 'x' }))).toBe(
    '404 not-found',
  );
});

needing(
  'keys',
  '[endpoints.change.7] a key that may not read its events may not even rename the endpoint',
  async (stage) => {
    const endpoint = await made(stage, { enabled_events: ['contact.created', 'lead.created'] });
    const api = await stage.apiWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    expect(verdict(await api.patch(path(endpoint), { description: 'x' }))).toBe(FORBIDDEN);
    const narrowed = { description: 'x', enabled_events: ['contact.created'] };
    expect(verdict(await api.patch(path(endpoint), narrowed))).toBe('200');
  },
);

writing('[endpoints.change.8] a status that is not listed is refused', async (company) => {
  expect(verdict(await company.api.patch(path(await made(company)), { status: 'paused' }))).toBe(REFUSED);
});

writing('[endpoints.delete.1] deleting answers object, id and deleted', async (company) => {
  const endpoint = await made(company);
  const { status, body } = await company.api.delete(path(endpoint));
  expect([status, body]).toEqual([200, { object: 'webhook_endpoint', id: endpoint.id, deleted: true }]);
});

needing(
  'company',
  '[endpoints.delete.2] a deleted endpoint is not found, and makes room for another',
  async (stage) => {
    const endpoint = await made(stage);
    for (let count = 1; count < 10; count += 1) await made(stage);
    await stage.api.delete(path(endpoint));
    expect(verdict(await stage.api.get(path(endpoint)))).toBe('404 not-found');
    expect(verdict(await stage.endpoint())).toBe('201');
  },
);

writing('[endpoints.delete.3] an unknown endpoint cannot be deleted', async ({ api }) => {
  expect(verdict(await api.delete(`/webhook_endpoints/${UNKNOWN_ID}`))).toBe('404 not-found');
});

writing('[endpoints.roll.1] rolling shows a new secret, once', async (company) => {
  const endpoint = await made(company);
  const rolled = await company.api.post(path(endpoint, '/roll_secret'), { expires_in_hours: 0 });
  expect([rolled.status, rolled.body.id]).toEqual([200, endpoint.id]);
  expect(rolled.body.secret).toEqual(expect.any(String));
  expect(rolled.body.secret).not.toBe(endpoint.secret);
  expect((await company.api.get(path(endpoint))).body).not.toHaveProperty('secret');
});

writing(
  '[endpoints.roll.2][endpoints.roll.3] a secret is rolled over 0, 1 or 24 hours, and over nothing else',
  async (company) => {
    const roll = path(await made(company), '/roll_secret');
    for (const expires_in_hours of [0, 1, 24])
      expect(verdict(await company.api.post(roll, { expires_in_hours }))).toBe('200');
    for (const expires_in_hours of [undefined, null, 2, 25, -1, '1'])
      expect(verdict(await company.api.post(roll, { expires_in_hours }))).toBe(REFUSED);
  },
);

writing('[endpoints.roll.4] the secret of an unknown endpoint cannot be rolled', async ({ api }) => {
  const roll = `/webhook_endpoints/${UNKNOWN_ID}/roll_secret`;
  expect(verdict(await api.post(roll, { expires_in_hours: 0 }))).toBe('404 not-found');
});

needing(
  'receiver',
  '[endpoints.test.1][endpoints.test.5] a test brings a sample with zero ids, marked as a test, and tells how it went',
  async (stage) => {
    const { received, endpoint } = await stage.listen(['contact.created']);
    const { status, body } = await stage.api.post(`/webhook_endpoints/${endpoint['id']}/test`, {
      type: 'contact.updated',
    });
    expect([status, body.status_code, body.event_id]).toEqual([200, 204, received[0]?.body.id]);
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining([
        'id',
        'event_id',
        'status',
        'status_code',
        'duration_ms',
        'error',
        'created_at',
      ]),
    );
    const event = received[0]?.body;
    expect([event.type, event.test]).toEqual(['contact.updated', true]);
    expect([event.data.object.object, event.data.object.id]).toEqual(['contact', ZERO_ID]);
  },
);

writing(
  '[endpoints.test.2] a test of nothing, or of a type that does not exist, is refused',
  async (company) => {
    const test = path(await made(company), '/test');
    for (const type of [undefined, null, '', 'contact.painted', '*'])
      expect(verdict(await company.api.post(test, { type }))).toBe(REFUSED);
  },
);

needing(
  'keys',
  '[endpoints.test.3] a test of a type that the key may not read is forbidden',
  async (stage) => {
    const endpoint = await made(stage, { enabled_events: ['contact.created'] });
    const api = await stage.apiWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    expect(verdict(await api.post(path(endpoint, '/test'), { type: 'lead.created' }))).toBe(FORBIDDEN);
  },
);

needing('receiver', '[endpoints.test.4] a disabled endpoint can be tested', async (stage) => {
  const { received, endpoint } = await stage.listen();
  const one = `/webhook_endpoints/${endpoint['id']}`;
  await stage.api.patch(one, { status: 'disabled' });
  expect((await stage.api.post(`${one}/test`, { type: 'lead.created' })).body.status_code).toBe(204);
  expect(received).toHaveLength(1);
});

needing(
  'receiver',
  '[endpoints.test.6][endpoints.test.12] a test that was answered 500 is told as http_500 and not repeated',
  async (stage) => {
    const receiver = await openReceiver();
    receiver.answer = () => 500;
    const endpoint = await made(stage, { url: receiver.url });
    const { status, body } = await stage.api.post(path(endpoint, '/test'), { type: 'lead.created' });
    expect([status, body.status_code, body.error]).toEqual([200, 500, 'http_500']);
    await stage.control.advance(7 * 86_400_000);
    await stage.control.settle();
    expect(receiver.received).toHaveLength(1);
  },
);

needing(
  'receiver',
  '[endpoints.test.7] a test is not in the feed, neither in the list nor by its id',
  async (stage) => {
    const { received, endpoint } = await stage.listen();
    await stage.api.post(`/webhook_endpoints/${endpoint['id']}/test`, { type: 'lead.created' });
    expect(await stage.feed()).toEqual([]);
    expect(verdict(await stage.api.get(`/events/${received[0]?.body.id}`))).toBe('404 not-found');
  },
);

needing(
  'receiver',
  '[endpoints.test.8][endpoints.test.10] a test that is not answered fails after five seconds, and until then no other starts',
  async (stage) => {
    const receiver = await openReceiver();
    receiver.answer = () => null;
    const slow = await made(stage, { url: receiver.url });
    const other = await made(stage);
    const first = stage.api.post(path(slow, '/test'), { type: 'lead.created' });
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await stage.api.post(path(other, '/test'), { type: 'lead.created' });
    expect(verdict(second)).toBe('409 webhook-test-in-progress');
    const { status, body } = await first;
    expect([status, typeof body.error]).toEqual([200, 'string']);
    expect(body.duration_ms).toBeGreaterThan(4_500);
    expect(body.duration_ms).toBeLessThan(7_000);
  },
);

needing(
  'receiver',
  '[endpoints.test.9] the eleventh test of a minute is told how long to wait',
  async (stage) => {
    const { endpoint } = await stage.listen();
    const test = () => stage.api.post(`/webhook_endpoints/${endpoint['id']}/test`, { type: 'lead.created' });
    for (let count = 0; count < 10; count += 1) expect((await test()).status).toBe(200);
    const refused = await test();
    expect(verdict(refused)).toBe('429 rate-limited');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    await stage.control.advance(1000 * (seconds + 1));
    expect((await test()).status).toBe(200);
  },
);

writing('[endpoints.test.11] an unknown endpoint cannot be tested', async ({ api }) => {
  const answer = await api.post(`/webhook_endpoints/${UNKNOWN_ID}/test`, { type: 'lead.created' });
  expect(verdict(answer)).toBe('404 not-found');
});
