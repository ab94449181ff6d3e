import { describe, expect, it } from 'vitest';
import { codeOf, openReceiver, openStage, UNKNOWN_ID } from './stage.ts';

describe('creating a webhook endpoint', () => {
  it('answers 201 with the secret, which no later answer shows', async () => {
    const stage = await openStage();
    const { status, body } = await stage.endpoint({ description: 'worker' });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'webhook_endpoint',
      id: expect.any(String),
      url: 'https://customer.example/hooks',
      description: 'worker',
      enabled_events: ['*'],
      project_ids: null,
      status: 'enabled',
      disabled_reason: null,
      disabled_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/=]{40,}$/),
    });
    const { secret: _, ...shown } = body;
    expect((await stage.get(`/webhook_endpoints/${body.id}`)).body).toEqual(shown);
    expect((await stage.get('/webhook_endpoints')).body.data).toEqual([shown]);
  });

  it.each([
    'https://customer.example:443/x',
    'https://customer.example:1024/x',
    'https://customer.example:65535/x',
    'http://127.0.0.1:4000/x',
  ])('takes the url %s', async (url) => {
    const stage = await openStage();
    expect((await stage.endpoint({ url })).status).toBe(201);
  });

  it.each([
    'http://customer.example/x',
    'https://customer.example:80/x',
    'https://customer.example:1023/x',
    'https://user:pass@customer.example/x',
    'http://127.0.0.1:80/x',
    'ftp://customer.example/x',
    'customer.example',
    '',
  ])('refuses the url %s', async (url) => {
    const stage = await openStage();
    const answer = await stage.endpoint({ url });
    expect([answer.status, codeOf(answer), Object.keys(answer.body.errors)]).toEqual([
      422,
      'validation',
      ['url'],
    ]);
  });

  it('loopback http is refused when the relaxation is switched off', async () => {
    const stage = await openStage({ allowLoopbackHttpEndpoints: false });
    expect((await stage.endpoint({ url: 'http://127.0.0.1:4000/x' })).status).toBe(422);
  });

  it('stores a domain with non-Latin letters in xn-- form', async () => {
    const stage = await openStage();
    expect((await stage.endpoint({ url: 'https://пример.рф/x' })).body.url).toBe(
      'https://xn--e1afmkfd.xn--p1ai/x',
    );
  });

  it.each([
    ['enabled_events', undefined],
    ['enabled_events', []],
    ['enabled_events', ['contact.exploded']],
    ['enabled_events', ['*', 'contact.created']],
    ['enabled_events', '*'],
    ['description', 'x'.repeat(257)],
    ['url', undefined],
    ['project_ids', []],
    ['project_ids', 'all'],
  ])('refuses %s = %j', async (field, value) => {
    const stage = await openStage();
    const answer = await stage.endpoint({ [field]: value });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
  });

  it('* may stand beside others by the switch', async () => {
    const stage = await openStage({ switches: { wildcard: 'beside-others' } });
    expect((await stage.endpoint({ enabled_events: ['*', 'contact.created'] })).status).toBe(201);
  });

  it('needs the read right for every event, and lists what lacks it', async () => {
    const stage = await openStage();
    const key = stage.keyWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    const refused = await stage.endpoint(
      { enabled_events: ['contact.created', 'lead.created', 'message.updated'] },
      { key },
    );
    expect([refused.status, codeOf(refused)]).toEqual([403, 'forbidden']);
    expect(refused.body.detail).toContain('lead.created');
    expect(refused.body.detail).toContain('message.updated');
    expect(refused.body.detail).not.toContain('contact.created');
    expect((await stage.endpoint({ enabled_events: ['*'] }, { key })).status).toBe(403);
    expect((await stage.endpoint({ enabled_events: ['contact.created'] }, { key })).status).toBe(201);
  });

  it('takes no projects wider than the key', async () => {
    const stage = await openStage();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const key = stage.keyWith({ projectIds: [stage.projectId] });
    expect((await stage.endpoint({}, { key })).status).toBe(403);
    expect((await stage.endpoint({ project_ids: [other] }, { key })).status).toBe(403);
    expect((await stage.endpoint({ project_ids: [stage.projectId] }, { key })).status).toBe(201);
  });

  it('the eleventh gives webhook-endpoint-limit', async () => {
    const stage = await openStage();
    for (let count = 0; count < 10; count += 1) expect((await stage.endpoint()).status).toBe(201);
    const answer = await stage.endpoint();
    expect([answer.status, codeOf(answer)]).toEqual([409, 'webhook-endpoint-limit']);
  });
});

describe('seeing endpoints', () => {
  it('an endpoint with projects not in the key, or with all projects, does not exist for a narrower key', async () => {
    const stage = await openStage();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const wide = (await stage.endpoint()).body.id;
    const both = (await stage.endpoint({ project_ids: [stage.projectId, other] })).body.id;
    const mine = (await stage.endpoint({ project_ids: [stage.projectId] })).body.id;
    const key = stage.keyWith({ projectIds: [stage.projectId] });
    expect((await stage.get(`/webhook_endpoints/${wide}`, { key })).status).toBe(404);
    expect((await stage.get(`/webhook_endpoints/${both}`, { key })).status).toBe(404);
    const { data } = (await stage.get('/webhook_endpoints', { key })).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([mine]);
  });

  it('by the switch every key sees the endpoint of all projects', async () => {
    const stage = await openStage({ switches: { companyWideEndpoint: 'every-key' } });
    stage.sandbox.dashboard.createProject({ name: 'Other' });
    const { id } = (await stage.endpoint()).body;
    const key = stage.keyWith({ projectIds: [stage.projectId] });
    expect((await stage.get(`/webhook_endpoints/${id}`, { key })).status).toBe(200);
  });
});

describe('changing an endpoint', () => {
  it('changes only the given fields; null clears the description', async () => {
    const stage = await openStage();
    const made = (await stage.endpoint({ description: 'old' })).body;
    const answer = await stage.patch(`/webhook_endpoints/${made.id}`, {
      description: null,
      enabled_events: ['contact.created'],
    });
    expect(answer.body).toMatchObject({
      url: made.url,
      description: null,
      enabled_events: ['contact.created'],
      status: 'enabled',
    });
    expect(answer.body).not.toHaveProperty('secret');
  });

  it('disabled: by hand, with the moment; enabled again: nothing of it remains', async () => {
    const stage = await openStage();
    const path = `/webhook_endpoints/${(await stage.endpoint()).body.id}`;
    const off = (await stage.patch(path, { status: 'disabled' })).body;
    expect(off).toMatchObject({
      status: 'disabled',
      disabled_reason: 'manual',
      disabled_at: expect.stringMatching(/Z$/),
    });
    const on = (await stage.patch(path, { status: 'enabled' })).body;
    expect(on).toMatchObject({ status: 'enabled', disabled_reason: null, disabled_at: null });
  });

  it('checks the rights against the events after the change, even when they are not sent', async () => {
    const stage = await openStage();
    const path = `/webhook_endpoints/${(await stage.endpoint({ enabled_events: ['lead.created'] })).body.id}`;
    const key = stage.keyWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    expect((await stage.patch(path, { description: 'x' }, { key })).status).toBe(403);
    expect((await stage.patch(path, { enabled_events: ['contact.created'] }, { key })).status).toBe(200);
  });

  it.each([
    [{ url: null }],
    [{ url: 'http://x.example' }],
    [{ enabled_events: null }],
    [{ status: 'paused' }],
    [{ status: null }],
  ])('refuses %j', async (change) => {
    const stage = await openStage();
    const path = `/webhook_endpoints/${(await stage.endpoint()).body.id}`;
    expect((await stage.patch(path, change)).status).toBe(422);
  });

  it('an endpoint that lost all its projects is disabled with an empty list, and cannot simply be enabled', async () => {
    const stage = await openStage();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const path = `/webhook_endpoints/${(await stage.endpoint({ project_ids: [other] })).body.id}`;
    stage.sandbox.dashboard.deleteProject(other);
    expect((await stage.get(path)).body).toMatchObject({
      project_ids: [],
      status: 'disabled',
      disabled_reason: 'manual',
    });
    const answer = await stage.patch(path, { status: 'enabled' });
    expect([answer.status, codeOf(answer)]).toEqual([409, 'conflict']);
    expect((await stage.patch(path, { status: 'enabled', project_ids: [stage.projectId] })).body.status).toBe(
      'enabled',
    );
  });
});

describe('deleting an endpoint', () => {
  it('answers a stub, and the endpoint is gone', async () => {
    const stage = await openStage();
    const { id } = (await stage.endpoint()).body;
    const answer = await stage.call('DELETE', `/webhook_endpoints/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { object: 'webhook_endpoint', id, deleted: true }]);
    expect((await stage.get(`/webhook_endpoints/${id}`)).status).toBe(404);
    expect((await stage.call('DELETE', `/webhook_endpoints/${id}`)).status).toBe(404);
  });
});

describe('rolling the secret', () => {
  it('answers the new secret', async () => {
    const stage = await openStage();
    const made = (await stage.endpoint()).body;
    const answer = await stage.post(`/webhook_endpoints/${made.id}/roll_secret`, { expires_in_hours: 24 });
    expect(answer.status).toBe(200);
    expect(answer.body.secret).toMatch(/^whsec_/);
    expect(answer.body.secret).not.toBe(made.secret);
  });

  it.each([[undefined], [2], [-1], ['24'], [null]])('refuses expires_in_hours = %j', async (hours) => {
    const stage = await openStage();
    const { id } = (await stage.endpoint()).body;
    const answer = await stage.post(`/webhook_endpoints/${id}/roll_secret`, { expires_in_hours: hours });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['expires_in_hours']]);
  });

  it('of an unknown endpoint gives 404', async () => {
    const stage = await openStage();
    expect(
      (await stage.post(`/webhook_endpoints/${UNKNOWN_ID}/roll_secret`, { expires_in_hours: 0 })).status,
    ).toBe(404);
  });
});

describe('test deliveries', () => {
  it('send a signed test event with zero ids at once and answer the delivery', async () => {
    const stage = await openStage();
    const receiver = await openReceiver();
    const { id } = (await stage.endpoint({ url: receiver.url })).body;
    const answer = await stage.post(`/webhook_endpoints/${id}/test`, { type: 'appointment.created' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      object: 'webhook_delivery',
      id: expect.any(String),
      event_id: receiver.received[0]?.body.id,
      status: 'succeeded',
      status_code: 204,
      duration_ms: expect.any(Number),
      error: null,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(receiver.received[0]?.headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(receiver.received[0]?.body).toMatchObject({
      object: 'event',
      type: 'appointment.created',
      test: true,
      data: { object: { object: 'appointment', id: '00000000-0000-0000-0000-000000000000' } },
    });
  });

  it('are not in the feed, and an event id of one gives 404', async () => {
    const stage = await openStage();
    const receiver = await openReceiver();
    const { id } = (await stage.endpoint({ url: receiver.url })).body;
    const { event_id } = (await stage.post(`/webhook_endpoints/${id}/test`, { type: 'lead.created' })).body;
    expect(await stage.feedTypes()).toEqual([]);
    expect((await stage.get(`/events/${event_id}`)).status).toBe(404);
  });

  it('have no retries, and say what the customer answered', async () => {
    const stage = await openStage({ delivery: { retryDelaysMs: [10, 10] } });
    const receiver = await openReceiver();
    receiver.answer = () => 500;
    const { id } = (await stage.endpoint({ url: receiver.url })).body;
    const { body } = await stage.post(`/webhook_endpoints/${id}/test`, { type: 'contact.deleted' });
    expect(body).toMatchObject({ status: 'failed', status_code: 500, error: 'http_500' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body.data.object).toEqual({
      object: 'contact',
      id: expect.any(String),
      deleted: true,
    });
  });

  it('work for a disabled endpoint', async () => {
    const stage = await openStage();
    const receiver = await openReceiver();
    const { id } = (await stage.endpoint({ url: receiver.url })).body;
    await stage.patch(`/webhook_endpoints/${id}`, { status: 'disabled' });
    expect((await stage.post(`/webhook_endpoints/${id}/test`, { type: 'contact.created' })).body.status).toBe(
      'succeeded',
    );
  });

  it('run one at a time in the company', async () => {
    const stage = await openStage();
    const receiver = await openReceiver();
    receiver.answer = () => null;
    const { id } = (await stage.endpoint({ url: receiver.url })).body;
    const first = stage.post(
      `/webhook_endpoints/${id}/test`,
      { type: 'contact.created' },
      { idempotencyKey: 'k1' },
    );
    await receiver.arrived(1);
    const second = await stage.post(`/webhook_endpoints/${id}/test`, { type: 'contact.created' });
    expect([second.status, codeOf(second)]).toEqual([409, 'webhook-test-in-progress']);
    const again = await stage.post(
      `/webhook_endpoints/${id}/test`,
      { type: 'contact.created' },
      { idempotencyKey: 'k1' },
    );
    expect(codeOf(again)).toBe('idempotency-in-progress');
    const { body } = await first;
    expect(body).toMatchObject({ status: 'failed', status_code: null, error: 'timeout' });
    expect(body.duration_ms).toBeGreaterThanOrEqual(4_900);
  });

  it('are limited to ten a minute', async () => {
    const stage = await openStage();
    const receiver = await openReceiver();
    const { id } = (await stage.endpoint({ url: receiver.url })).body;
    const test = () => stage.post(`/webhook_endpoints/${id}/test`, { type: 'contact.created' });
    for (let count = 0; count < 10; count += 1) expect((await test()).status).toBe(200);
    const eleventh = await test();
    expect([eleventh.status, codeOf(eleventh)]).toEqual([429, 'rate-limited']);
    expect(Number(eleventh.headers.get('retry-after'))).toBeGreaterThan(0);
    stage.clock.advance(60_000);
    expect((await test()).status).toBe(200);
  });

  it('need a known type that the key can read', async () => {
    const stage = await openStage();
    const { id } = (await stage.endpoint({ enabled_events: ['contact.created'] })).body;
    const key = stage.keyWith({ scopes: ['webhooks:manage', 'contacts:read'] });
    const path = `/webhook_endpoints/${id}/test`;
    expect((await stage.post(path, {})).status).toBe(422);
    expect((await stage.post(path, { type: '*' })).status).toBe(422);
    expect((await stage.post(path, { type: 'contact.exploded' })).status).toBe(422);
    expect((await stage.post(path, { type: 'lead.created' }, { key })).status).toBe(403);
  });
});
