import { afterEach, describe, expect, test } from 'vitest';
import type { PlatformState } from '../../src/platform/http-transport.ts';
import {
  clientFor,
  contact,
  failureOf,
  LogBook,
  list,
  problem,
  type Reply,
  type Seen,
  Stands,
  TestClock,
} from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

/** A platform whose answer can be changed while it runs. */
async function changeable(first: (seen: Seen) => Reply) {
  const platform = { reply: first };
  const { url, seen } = await stands.answering((one) => platform.reply(one));
  const clock = new TestClock();
  const log = new LogBook();
  const client = clientFor(url, { clock, log });
  const states: PlatformState[] = [];
  client.onState((state) => states.push(state));
  return { platform, seen, clock, client, states, log };
}

describe.each([
  [401, 'unauthenticated', 'platform-unauthenticated'],
  [402, 'api-addon-required', 'platform-addon-required'],
])('after a %i', (status, code, ours) => {
  test('no operation leaves any more, except one every 15 s', async () => {
    const { seen, clock, client } = await changeable(() => problem(status, code));
    await failureOf(client.contacts.list());
    for (let i = 0; i < 20; i += 1) {
      expect(await failureOf(client.appointments.list())).toMatchObject({
        family: 'deferred',
        code: ours,
        retryAfterMs: 60_000,
      });
    }
    expect(seen).toHaveLength(1);
    clock.advance(15_000);
    await Promise.all(Array.from({ length: 5 }, () => failureOf(client.events.list())));
    expect(seen).toHaveLength(2);
  });

  test('the client recovers by itself when the key works again, and says both once', async () => {
    const { platform, clock, client, states, log } = await changeable(() => problem(status, code));
    expect(client.state()).toEqual({ state: 'ok' });
    const sinceMs = clock.now();
    await failureOf(client.contacts.list());
    clock.advance(15_000);
    await failureOf(client.contacts.list());
    expect(client.state()).toMatchObject({
      state: 'refused',
      code: ours,
      sinceMs,
      scopes: [],
      requestId: 'req_h',
    });
    platform.reply = () => list([contact('c')]);
    clock.advance(15_000);
    expect((await client.contacts.list()).data).toHaveLength(1);
    expect(client.state()).toEqual({ state: 'ok' });
    await client.appointments.list().catch(() => {});
    expect(states.map((state) => state.state)).toEqual(['refused', 'ok']);
    expect(log.lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
  });

  test('any refusal in the platform’s own words shows that the key works', async () => {
    const { platform, clock, client } = await changeable(() => problem(status, code));
    await failureOf(client.contacts.list());
    platform.reply = () => problem(404, 'not-found');
    clock.advance(15_000);
    expect(await client.contacts.get('x')).toBeUndefined();
    expect(client.state()).toEqual({ state: 'ok' });
  });

  test.each([
    ['a 503', problem(503, 'unavailable')],
    ['a gateway’s page', { status: 200, text: '<html>' }],
    ['a 429', { ...problem(429, 'rate-limited'), headers: { 'retry-after': '1' } }],
    ['a reset', (response) => void response.destroy()],
  ] as [string, Reply][])('%s proves nothing', async (_name, reply) => {
    const { platform, clock, client } = await changeable(() => problem(status, code));
    await failureOf(client.contacts.list());
    platform.reply = () => reply;
    clock.advance(15_000);
    await failureOf(client.contacts.list());
    expect(client.state()).toMatchObject({ state: 'refused', code: ours });
  });
});

describe('after a 403 for a missing scope', () => {
  const missing = (scopePath: string) => (one: Seen) =>
    one.path.startsWith(scopePath) ? problem(403, 'forbidden') : list([]);

  test('only the operations of that scope stop', async () => {
    const { seen, client } = await changeable(missing('/v1/conversations'));
    await failureOf(client.conversations.list());
    expect(await failureOf(client.conversations.messages('x'))).toMatchObject({ code: 'platform-forbidden' });
    expect(seen).toHaveLength(1);
    await client.contacts.list();
    await client.appointments.list();
    expect(client.state()).toMatchObject({
      state: 'refused',
      code: 'platform-forbidden',
      scopes: ['conversations:read'],
    });
  });

  test('a second scope is told as well, and each recovers alone', async () => {
    const { platform, clock, client, states } = await changeable(() => problem(403, 'forbidden'));
    await failureOf(client.reader.page('contact', { limit: 1 }));
    await failureOf(client.reader.eventPage({ limit: 1 }));
    expect(client.state()).toMatchObject({ scopes: ['contacts:read', 'webhooks:manage'] });
    platform.reply = missing('/v1/events');
    clock.advance(15_000);
    await client.contacts.list();
    await failureOf(client.events.list());
    expect(client.state()).toMatchObject({ state: 'refused', scopes: ['webhooks:manage'] });
    expect(states).toHaveLength(3);
  });

  test('a 403 about one project proves nothing about the scope', async () => {
    const { clock, client } = await changeable(() => problem(403, 'forbidden'));
    await failureOf(client.contacts.list());
    clock.advance(15_000);
    const error = await failureOf(client.contacts.list({ filters: { project_id: 'p' } }));
    expect(error).toMatchObject({ family: 'terminal', code: 'forbidden' });
    expect(client.state()).toMatchObject({ state: 'refused', scopes: ['contacts:read'] });
  });

  test('a 401 before it is over: the key is known', async () => {
    const { platform, clock, client } = await changeable(() => problem(401, 'unauthenticated'));
    await failureOf(client.contacts.list());
    platform.reply = () => problem(403, 'forbidden');
    clock.advance(15_000);
    await failureOf(client.contacts.list());
    expect(client.state()).toMatchObject({ code: 'platform-forbidden', scopes: ['contacts:read'] });
  });

  test('a 401 beside it is about the whole key', async () => {
    const { platform, client } = await changeable(() => problem(403, 'forbidden'));
    await failureOf(client.contacts.list());
    platform.reply = () => problem(401, 'unauthenticated');
    await failureOf(client.appointments.list());
    expect(client.state()).toMatchObject({ code: 'platform-unauthenticated', scopes: [] });
  });
});

test.each([
  [
    'a list of one project',
    (client: ReturnType<typeof clientFor>) => client.contacts.list({ filters: { project_id: 'p' } }),
  ],
  [
    'events of one type',
    (client: ReturnType<typeof clientFor>) => client.events.list({ filters: { type: 'lead.created' } }),
  ],
  [
    'an endpoint',
    (client: ReturnType<typeof clientFor>) => client.endpoints.change('e', { status: 'enabled' }),
  ],
] as const)('a 403 on %s stops nothing', async (_name, call) => {
  const { client } = await changeable(() => problem(403, 'forbidden'));
  expect(await failureOf(call(client))).toMatchObject({ family: 'terminal', code: 'forbidden' });
  expect(client.state()).toEqual({ state: 'ok' });
});

test('an answer to a call that left before the key was refused does not count as recovery', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url } = await stands.answering(async ({ path }) => {
    if (path !== '/v1/contacts') return problem(401, 'unauthenticated');
    await held;
    return list([]);
  });
  const client = clientFor(url);
  const early = client.contacts.list();
  await failureOf(client.appointments.list());
  release();
  await early;
  expect(client.state()).toMatchObject({ state: 'refused' });
});

test('who stops listening hears no more', async () => {
  const { client, states } = await changeable(() => problem(401, 'unauthenticated'));
  const heard: unknown[] = [];
  client.onState((state) => heard.push(state))();
  await failureOf(client.contacts.list());
  expect(heard).toEqual([]);
  expect(states).toHaveLength(1);
});
