import { afterEach, describe, expect, test } from 'vitest';
import { SandboxStands } from './sandbox-stand.ts';
import { failureOf, Stands } from './stand.ts';

const stands = new SandboxStands();
const hooks = new Stands();
afterEach(async () => {
  await stands.close();
  await hooks.close();
});

const hook = async () => (await hooks.answering(() => ({ status: 200 }))).url.replace('/v1', '/hook');
const wish = { description: 'slotbridge', enabledEvents: ['*'] };

describe('the worker’s endpoint', () => {
  test('is created once per key, listed, disabled and enabled', async () => {
    const { client } = await stands.start();
    const { endpoints } = client();
    const request = { ...wish, url: await hook(), idempotencyKey: 'endpoint:1' };
    const made = await endpoints.create(request);
    expect(await endpoints.create(request)).toEqual(made);
    const { secret, ...known } = made;
    expect(secret).not.toBe('');
    expect(await endpoints.list()).toEqual([known]);
    expect(known).toMatchObject({
      enabledEvents: ['*'],
      projectIds: null,
      status: 'enabled',
      disabledReason: null,
    });
    expect(await endpoints.change(made.id, { status: 'disabled' })).toMatchObject({
      status: 'disabled',
      disabledReason: 'manual',
    });
    expect(await endpoints.change(made.id, { enabledEvents: ['contact.created'] })).toMatchObject({
      status: 'disabled',
      enabledEvents: ['contact.created'],
    });
    expect(await endpoints.change(made.id, { status: 'enabled' })).toMatchObject({
      status: 'enabled',
      disabledAt: null,
    });
  });

  test('rolls its secret and is tested', async () => {
    const { client } = await stands.start();
    const { endpoints } = client();
    const made = await endpoints.create({ ...wish, url: await hook(), idempotencyKey: 'k' });
    const roll = { overlapHours: 24 as const, idempotencyKey: 'roll:1' };
    const rolled = await endpoints.rollSecret(made.id, roll);
    expect(rolled.secret).not.toBe(made.secret);
    expect((await endpoints.rollSecret(made.id, roll)).secret).toBe(rolled.secret);
    expect(await endpoints.test(made.id, 'contact.created')).toMatchObject({ statusCode: 200 });
  });

  test('the eleventh of a company is refused with its code', async () => {
    const { client } = await stands.start();
    const { endpoints } = client();
    const url = await hook();
    for (let index = 0; index < 10; index += 1)
      await endpoints.create({ ...wish, url, idempotencyKey: `k${index}` });
    const eleventh = endpoints.create({ ...wish, url, idempotencyKey: 'k10' });
    expect(await failureOf(eleventh)).toMatchObject({ family: 'terminal', code: 'webhook-endpoint-limit' });
    expect(await endpoints.list()).toHaveLength(10);
  });

  test('for events that the key may not read is refused without stopping the key', async () => {
    const { client, sandbox } = await stands.start();
    const one = client(sandbox.createKey({ scopes: ['webhooks:manage', 'contacts:read'] }));
    const create = one.endpoints.create({ ...wish, url: await hook(), idempotencyKey: 'k' });
    expect(await failureOf(create)).toMatchObject({ family: 'terminal', code: 'forbidden' });
    expect(one.state()).toEqual({ state: 'ok' });
  });
});

test('the feed gives what was sent, newest first, page by page', async () => {
  const { client, dashboard, projectId, clock } = await stands.start();
  const { endpoints, reader, events } = client();
  await endpoints.create({ ...wish, url: await hook(), idempotencyKey: 'k' });
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    ids.unshift(dashboard.createContact({ projectId, name: `C${index}` }));
    clock.advance(1_000);
  }
  const first = await reader.eventPage({ limit: 3 });
  const second = await reader.eventPage({ limit: 3, startingAfter: first.data[2]?.id ?? '' });
  expect([first.hasMore, second.hasMore]).toEqual([true, false]);
  const all = [...first.data, ...second.data];
  expect(all.map((event) => event.object?.['id'])).toEqual(ids);
  expect(all[0]).toMatchObject({
    type: 'contact.created',
    test: false,
    projectId,
    createdAt: '2026-03-02T09:00:04.000Z',
  });
  expect(await events.get(all[0]?.id ?? '')).toMatchObject({ type: 'contact.created' });
  expect((await events.list({ filters: { type: 'contact.deleted' } })).data).toEqual([]);
});
