import { afterEach, describe, expect, test } from 'vitest';
import { idempotencyKey } from '../../src/engine/ids.ts';
import { createPlatformClient } from '../../src/platform/client.ts';
import { clientFor, contact, failureOf, LogBook, list, quietMeter, Stands, TestClock } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

describe('what leaves', () => {
  test('every request carries the key, a user agent and an id of its own', async () => {
    const { url, seen } = await stands.answering(() => list([]));
    const client = clientFor(url, { userAgent: 'slotbridge/1' });
    await client.contacts.list();
    await client.contacts.list();
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer sk_test_1',
      'user-agent': 'slotbridge/1',
    });
    const ids = seen.map((one) => String(one.headers['x-request-id']));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9-]{1,64}$/);
  });

  test('calls one after another keep using the same connections', async () => {
    const ports = new Set<unknown>();
    const { url } = await stands.answering(() => (response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"object":"list","data":[],"has_more":false}');
    });
    const client = clientFor(url);
    for (let index = 0; index < 20; index += 1) await client.contacts.list();
    // fetch opens a second one while the first is just becoming idle, and then takes them in turn.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test('filters are encoded so that the plus of a zone and the brackets arrive', async () => {
    const { url, seen } = await stands.answering(() => list([]));
    await clientFor(url).appointments.list({
      filters: { 'starts_at[gte]': '2026-03-02T10:00:00+03:00' },
      limit: 7,
    });
    expect(seen[0]?.query.get('starts_at[gte]')).toBe('2026-03-02T10:00:00+03:00');
    expect(seen[0]?.query.get('limit')).toBe('7');
  });

  test('a create carries its body, its key and the content type', async () => {
    const { url, seen } = await stands.answering(() => ({ status: 201, body: contact('c') }));
    await clientFor(url).contacts.create({ body: { name: 'A', phone: null }, idempotencyKey: 'walk-in:1' });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/contacts',
      body: '{"name":"A","phone":null}',
    });
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'walk-in:1',
    });
  });

  test('a base URL with a slash at its end is the same base URL', async () => {
    const { url, seen } = await stands.answering(() => list([]));
    await clientFor(`${url}/`).contacts.list();
    expect(seen[0]?.path).toBe('/v1/contacts');
  });

  test.each(['', '..', 'a/b', 'x?y', 'ä'])('an id that is no id (%j) never leaves', async (id) => {
    const { url, seen } = await stands.answering(() => list([]));
    expect(await failureOf(clientFor(url).reader.get({ kind: 'contact', id }))).toMatchObject({
      code: 'platform-id-malformed',
    });
    expect(seen).toEqual([]);
  });

  test.each(['', 'a b', 'ivan@example.org', 'x'.repeat(65)])(
    'a key of another form (%j) never leaves',
    async (key) => {
      const { url, seen } = await stands.answering(() => list([]));
      const error = await failureOf(
        clientFor(url).contacts.create({ body: { name: 'A' }, idempotencyKey: key }),
      );
      expect(error).toMatchObject({ family: 'terminal', code: 'idempotency-key-invalid' });
      expect(seen).toEqual([]);
    },
  );
});

describe('stopping', () => {
  test('an aborted call ends at once as stopped, which is no attempt', async () => {
    const { url } = await stands.answering(() => () => {});
    const stop = new AbortController();
    const call = failureOf(clientFor(url).contacts.list({ signal: stop.signal }));
    setTimeout(() => stop.abort(), 20);
    expect(await call).toMatchObject({ family: 'deferred', code: 'stopped', retryAfterMs: 0 });
  });

  test('a call under an aborted signal never leaves', async () => {
    const { url, seen } = await stands.answering(() => list([]));
    expect(await failureOf(clientFor(url).contacts.list({ signal: AbortSignal.abort() }))).toMatchObject({
      code: 'stopped',
    });
    expect(seen).toEqual([]);
  });
});

describe('settings', () => {
  const options = { timeoutMs: 1_000, clock: new TestClock(), log: new LogBook(), meter: quietMeter };

  test.each(['', 'sk key', 'sk\nkey', 'ключ'])(
    'a key that cannot stand in a header (%j) is refused without being quoted',
    (apiKey) => {
      const make = () => createPlatformClient({ ...options, baseUrl: 'https://p.example/v1', apiKey });
      expect(make).toThrow('the API key is empty or contains characters that a key cannot have');
    },
  );

  test.each(['', 'p.example/v1', 'ftp://p/v1', 'https://u:p@p.example/v1', 'https://p.example/v1?x=1'])(
    'the base URL %j is refused',
    (baseUrl) => {
      expect(() => createPlatformClient({ ...options, baseUrl, apiKey: 'k' })).toThrow(
        "the platform's base URL cannot be used",
      );
    },
  );
});

describe('idempotency keys', () => {
  test('are the same for the same parts and fit the platform’s alphabet', () => {
    const key = idempotencyKey(['create', 'ivan@example.org'.repeat(9), '2026-03-02T10:00:00Z', '1']);
    expect(key).toBe(idempotencyKey(['create', 'ivan@example.org'.repeat(9), '2026-03-02T10:00:00Z', '1']));
    expect(key).toMatch(/^[A-Za-z0-9_\-:.]{1,64}$/);
  });

  test('differ when the border between two parts moves', () => {
    expect(idempotencyKey(['ab', 'c'])).not.toBe(idempotencyKey(['a', 'bc']));
  });
});

test('nothing of a customer and no key stands in a log line', async () => {
  const log = new LogBook();
  const { url } = await stands.answering(({ method }) =>
    method === 'GET'
      ? list([contact('c', { name: 'Ivan' })])
      : { status: 409, body: { type: 'e/conflict', detail: 'Ivan' } },
  );
  const client = clientFor(url, { log });
  await client.contacts.list({ filters: { phone: '+79990001122' } });
  await failureOf(client.contacts.create({ body: { name: 'Ivan' }, idempotencyKey: 'k' }));
  expect(log.lines).toHaveLength(2);
  expect(log.lines.join()).not.toMatch(/ivan|7999|sk_test/i);
});
