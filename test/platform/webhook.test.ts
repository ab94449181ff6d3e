import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { Intake } from '../../src/engine/intake.ts';
import type { KeptDeliveries } from '../../src/engine/intake-store.ts';
import { keepSecret, webhookSecrets } from '../../src/platform/secret-file.ts';
import { DeliveryBacklog } from '../../src/platform/webhook-delivery.ts';
import { type WebhookRouteParts, webhookRoute } from '../../src/platform/webhook-route.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { double } from '../stand/double.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { atLength } from '../stand/runs.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const SECRET = 'whsec_c2VjcmV0IG9mIHRoYXQgZW5kcG9pbnQh';
const OLD_SECRET = 'whsec_b2xkIHNlY3JldA==';
const NOW = Date.UTC(2026, 10, 21, 12);

let redis: TestRedis;
let store: TestStore;
let app: FastifyInstance;
let url: string;
let wakes: number;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
  store.close();
});

async function serve(settings: Partial<WebhookRouteParts> = {}, intakeStore = store.intake): Promise<void> {
  wakes = 0;
  const shared = { clock: { now: () => NOW }, log: SILENT_LOG, meter: NO_METER };
  const intake = new Intake({
    ...shared,
    store: intakeStore,
    queue: { add() {} },
    kinds: ['appointment', 'contact'],
  });
  app = Fastify({ forceCloseConnections: true });
  await app.register(
    webhookRoute({
      ...shared,
      intake,
      scheme: 'timestamped',
      header: 'service-signature',
      secrets: () => [SECRET],
      toleranceMs: 300_000,
      maxBodyBytes: 512 * 1024,
      wakeFeed: () => {
        wakes += 1;
      },
      ...settings,
    }),
  );
  url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks/platform`;
}

function hmac(secret: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHmac('sha256', secret).update(text).digest(encoding);
}

function timestamped(
  body: string,
  secrets: readonly string[] = [SECRET],
  atMs = NOW,
): Record<string, string> {
  const t = Math.floor(atMs / 1000);
  return {
    'service-signature': [`t=${t}`, ...secrets.map((secret) => `v1=${hmac(secret, `${t}.${body}`)}`)].join(
      ',',
    ),
  };
}

async function deliver(body: string, headers: Record<string, string> = timestamped(body)): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  await answer.text();
  return answer.status;
}

/** Sends a delivery whose body ends in the middle of a chunk; 400 stands for the connection that the worker lets go. */
function cutOff(headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /webhooks/platform HTTP/1.1\r\nHost: x\r\n${lines.join('')}content-length: 70\r\n\r\n{}`,
      );
      socket.end();
    });
    socket
      .resume()
      .on('close', () => done(400))
      .on('error', fail);
  });
}

let events = 0;
function event(fields: Record<string, unknown> = {}): string {
  events += 1;
  return JSON.stringify({
    id: `event-${process.pid}-${events}`,
    object: 'event',
    type: 'contact.updated',
    created_at: '2026-11-21T12:00:00Z',
    project_id: 'p',
    test: false,
    data: {
      object: { object: 'contact', id: `contact-${events}`, name: 'A', updated_at: '2026-11-21T12:00:00Z' },
    },
    ...fields,
  });
}

const taken = () => store.work.due(Date.now() + 1e12, 100);

test('a signed event is durable when it is answered 2xx (cases 6, 13)', async () => {
  await serve();
  expect(await deliver(event())).toBe(200);
  expect(await taken()).toEqual([`contact/contact-${events}`]);
});

test('under backpressure a signed event is kept before it is answered, and one that cannot be kept is sent again (case 6)', async () => {
  const backpressure = { isOn: () => true, giveWay: () => Promise.resolve() };
  const backlog = (deliveries: KeptDeliveries) =>
    new DeliveryBacklog({ ...store, deliveries, intake: {} as Intake, backpressure, log: SILENT_LOG });
  await serve({ backlog: backlog(store.deliveries) });
  const body = event();
  expect(await deliver(body)).toBe(200);
  expect(await store.deliveries.after(undefined, 10)).toMatchObject([{ body }]);
  expect(await deliver(event(), {})).toBe(401);
  expect(await store.redis.xlen(store.keys.deliveries)).toBe(1);
  await app.close();
  const away = () => Promise.reject(new RetryableError('store-unavailable', 'away'));
  await serve({ backlog: backlog(double({ keep: away, after: away, remove: away })) });
  expect(await deliver(event())).toBe(503);
});

test.each([
  ['unsigned', () => ({})],
  ['signed by a secret that is not held', (body: string) => timestamped(body, [OLD_SECRET])],
  ['signed for another body', () => timestamped('{}')],
  ['signed too long ago', (body: string) => timestamped(body, [SECRET], NOW - 300_001)],
  ['signed in the future', (body: string) => timestamped(body, [SECRET], NOW + 301_000)],
  ['a signature that is no hex', () => ({ 'service-signature': `t=${NOW / 1000},v1=zz` })],
])('an event that is %s is refused and changes nothing', async (_, headers) => {
  await serve();
  const body = event();
  expect(await deliver(body, headers(body))).toBe(401);
  expect(await taken()).toEqual([]);
});

test('while a secret is rolled, a signature of either secret is enough (case 14)', async () => {
  await serve({ secrets: () => [SECRET, OLD_SECRET] });
  const body = event();
  expect(await deliver(body, timestamped(body, [OLD_SECRET]))).toBe(200);
  for (const signers of [
    ['another', SECRET],
    [SECRET, 'another'],
  ]) {
    const next = event();
    expect(await deliver(next, timestamped(next, signers))).toBe(200);
  }
});

test('the bytes are verified as they came, before anything parses them (case 14)', async () => {
  await serve();
  const body = `  ${event().replaceAll(',', ' ,\n')}`;
  expect(await deliver(body)).toBe(200);
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { ...timestamped(body), 'content-type': 'text/plain' },
  });
  expect(answer.status).toBe(200);
});

test.each([
  ['none', undefined],
  ['empty', ''],
  ['the usual', 'application/json'],
  ['doubled by an intermediary', 'application/json,application/json'],
  ['doubled with another one', 'application/json, text/plain'],
  ['no type', 'json'],
  ['only a parameter', '; charset=utf-8'],
  ['an encoding in capitals', 'APPLICATION/JSON; Charset="UTF-8"'],
  ['of a form', 'application/x-www-form-urlencoded'],
  ['unknown', 'application/vnd.somebody.event+json;v=1'],
  ['rubbish', '\u00ff//;;=,'],
])('the body decides, not its content type (%s)', async (_, type) => {
  await serve();
  const body = event();
  const headers = { ...timestamped(body), ...(type === undefined ? {} : { 'content-type': type }) };
  const answer = await fetch(url, { method: 'POST', body: Buffer.from(body), headers });
  expect([answer.status, await answer.json()]).toEqual([200, { taken: 'fresh' }]);
  expect(await taken()).toEqual([`contact/contact-${events}`]);
});

test('a signed event with a byte order mark is taken', async () => {
  await serve();
  expect(await deliver(`\ufeff${event()}`)).toBe(200);
  expect(await taken()).toEqual([`contact/contact-${events}`]);
});

test('headers that an intermediary has doubled still verify', async () => {
  await serve({ scheme: 'standard' });
  const body = event();
  const t = String(NOW / 1000);
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = `v1,${hmac(key, `msg_1.${t}.${body}`, 'base64')}`;
  const headers = {
    'webhook-id': 'msg_1, msg_1',
    'webhook-timestamp': `${t}, ${t}`,
    'webhook-signature': `${signature}, ${signature}`,
  };
  expect(await deliver(body, headers)).toBe(200);
  expect(await deliver(body, { ...headers, 'webhook-id': 'msg_1, msg_2' })).toBe(401);
});

test.each(['gzip', 'identity, br', 'X-GZIP'])(
  'a compressed delivery (%s) is told so, and is welcome as it was signed',
  async (encoding) => {
    await serve();
    const body = event();
    const headers = { ...timestamped(body), 'content-encoding': encoding };
    const answer = await fetch(url, { method: 'POST', body: gzipSync(body), headers });
    expect([answer.status, await answer.json()]).toEqual([415, { error: 'compressed' }]);
    expect(answer.headers.get('accept-encoding')).toBe('identity');
    // Some senders name the encoding of the text, and the bytes are as they were signed.
    expect(await deliver(body, headers)).toBe(200);
  },
);

test.each([
  ['a wrong signature', 'wrong', 401],
  ['a body above the limit', 'too-large', 413],
  ['a compressed body', 'compressed', 415],
  ['a length that is not kept', 'unreadable', 400],
  ['no event', 'not-understood', 200],
])('%s counts as refused when it carries a signature', async (_, verdict, status) => {
  const verdicts: string[] = [];
  await serve({ maxBodyBytes: 1_000, onVerdict: async (each) => void verdicts.push(each) });
  const body = event();
  const signed = timestamped(body);
  const requests: Record<string, () => Promise<number>> = {
    wrong: () => deliver(body, timestamped(body, ['the secret of somebody else'])),
    'too-large': () => deliver('x'.repeat(2_000), signed),
    compressed: () => deliver(body, { ...timestamped(`${body} `), 'content-encoding': 'gzip' }),
    unreadable: () => cutOff(signed),
    'not-understood': () => deliver('{}'),
  };
  expect(await requests[verdict]?.()).toBe(status);
  await vi.waitFor(() => expect(verdicts).toEqual([verdict]), { timeout: PATIENCE_MS });
  // Nobody but a stranger sends one without a signature.
  await deliver('x'.repeat(2_000), {});
  expect(verdicts).toEqual([verdict]);
});

test('a signature over the body alone is understood when the setting says so', async () => {
  await serve({ scheme: 'body' });
  const body = event();
  expect(await deliver(body, { 'service-signature': `v1=${hmac(SECRET, body)}` })).toBe(200);
  expect(await deliver(body, { 'service-signature': `v1=${hmac(OLD_SECRET, body)}` })).toBe(401);
});

test('a Standard Webhooks signature is understood when the setting says so', async () => {
  await serve({ scheme: 'standard' });
  const body = event();
  const t = String(NOW / 1000);
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': t };
  const good = `v1,${hmac(key, `msg_1.${t}.${body}`, 'base64')}`;
  expect(await deliver(body, { ...headers, 'webhook-signature': `v1,AAAA ${good}` })).toBe(200);
  expect(await deliver(body, { ...headers, 'webhook-signature': 'v1,AAAA' })).toBe(401);
});

test.each(['whsec_', 'whsec_!!!', '====', 'whsec_c2hvcnQ='])(
  'the secret %s is no key, and nobody can sign with what is left of it',
  async (secret) => {
    await serve({ scheme: 'standard', secrets: () => [secret] });
    const body = event();
    const t = String(NOW / 1000);
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const forged = `v1,${hmac(key, `msg_1.${t}.${body}`, 'base64')}`;
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': t, 'webhook-signature': forged };
    expect(await deliver(body, headers)).toBe(401);
    expect(await taken()).toEqual([]);
  },
);

test.each([
  ['the scheme is doorbell', { scheme: 'doorbell' as const }],
  ['no secret is known', { secrets: () => [] }],
])('when %s, a delivery is believed nothing and only wakes a walk', async (_, settings) => {
  await serve(settings);
  expect(await deliver(event(), {})).toBe(202);
  expect(wakes).toBe(1);
  expect(await taken()).toEqual([]);
});

/** The clock of the process and its timers, moved by hand. */
const holdTime = () => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });

test('a flood of deliveries lets few walks begin, and one after its last: what that one told is not lost', async () => {
  holdTime();
  await serve({ scheme: 'doorbell' });
  const flood = () => Promise.all(Array.from({ length: 50 }, () => deliver(event(), {})));
  expect(new Set(await flood())).toEqual(new Set([202]));
  expect(wakes).toBe(3);
  vi.advanceTimersByTime(4_999);
  await flood();
  expect(wakes).toBe(3);
  vi.advanceTimersByTime(1);
  expect(wakes).toBe(4);
  vi.advanceTimersByTime(60_000);
  expect(wakes).toBe(4);
});

test('refused deliveries are a line in 10 s, which counts those that had none', async () => {
  holdTime();
  const [log, meter] = [new KeptLog(), new KeptMeter()];
  await serve({ log, meter });
  const lines = () => log.lines.map(({ level, fields }) => [level, (fields as { refused?: number }).refused]);
  const forge = () => deliver(event(), { 'service-signature': 't=1,v1=00' });
  for (let forged = 0; forged < 30; forged += 1) expect(await forge()).toBe(401);
  expect(lines()).toEqual([['warn', 1]]);
  vi.advanceTimersByTime(9_999);
  await forge();
  expect(lines()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await forge();
  expect(lines()).toEqual([
    ['warn', 1],
    ['warn', 31],
  ]);
  expect(meter.counts['slotbridge_webhooks_total']).toBe(32);
});

test('deliveries that a full Redis cannot keep are a line in 10 s, which counts those that had none', async () => {
  holdTime();
  const [log, meter] = [new KeptLog(), new KeptMeter()];
  const takeEvent = () => Promise.reject(new RetryableError('store-unavailable', 'full'));
  await serve({ log, meter, intake: { takeEvent } as unknown as Intake });
  for (let sent = 0; sent < 30; sent += 1) expect(await deliver(event())).toBe(503);
  vi.advanceTimersByTime(10_000);
  expect(await deliver(event())).toBe(503);
  const lines = log.lines.map(({ level, fields }) => [level, (fields as { deliveries?: number }).deliveries]);
  expect(lines).toEqual([
    ['error', 1],
    ['error', 30],
  ]);
  expect(meter.counts['slotbridge_webhooks_total']).toBe(31);
});

test.each([
  ['no JSON', () => '{"id":', 'not-json'],
  ['JSON that is no event', () => '[1,2]', 'not-an-event'],
  ['without data.object', () => event({ data: {} }), 'no-object'],
  [
    'about a kind nobody knows',
    () => event({ data: { object: { object: 'invoice', id: '1' } } }),
    'unknown-kind',
  ],
])(
  'a signed body that is %s is acknowledged and kept for people to look at (case 12)',
  async (_, body, reason) => {
    await serve();
    expect(await deliver(body())).toBe(200);
    const kept = JSON.parse((await store.redis.lindex(store.keys.quarantine, 0)) ?? '{}') as {
      reason: string;
    };
    expect(kept.reason).toBe(reason);
  },
);

const DEEP_JSON = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
const ODD_TEXTS: readonly string[] = [
  'x'.repeat(50_000),
  'a\u001b]0;owned\u0007',
  'a b',
  'a/b',
  'a:b',
  '\u202eabc',
  '\ud800',
];
const ODD_VALUES: readonly unknown[] = [{ toString: null }, { toString: 1, valueOf: 1 }, [[[]]], 1e300, true];

const contact = { object: 'contact', id: 'c-1', name: 'A', updated_at: '2026-11-21T12:00:00Z' };
const outOfBounds: readonly (readonly [string, Record<string, unknown>])[] = ODD_TEXTS.flatMap((text) => [
  [`an event id ${JSON.stringify(text.slice(0, 20))}`, { id: text }],
  [`an event type ${JSON.stringify(text.slice(0, 20))}`, { type: text }],
  [`a project ${JSON.stringify(text.slice(0, 20))}`, { project_id: text }],
  [`an object id ${JSON.stringify(text.slice(0, 20))}`, { data: { object: { ...contact, id: text } } }],
]);

const outOfForm: readonly (readonly [string, Record<string, unknown>])[] = [
  ['an object as its time', { created_at: { toString: 1 } }],
  ['a list as its time', { created_at: [] }],
  ['a time without end', { created_at: '1'.repeat(100_000) }],
  ['a name of 2 MB', { data: { object: { ...contact, name: 'x'.repeat(2_000_000) } } }],
];

atLength.test.each([...outOfBounds, ...outOfForm])(
  'a signed event with %s is acknowledged, kept for people, and marks nothing',
  async (_, fields) => {
    await serve({ maxBodyBytes: 4 * 1024 * 1024 });
    expect(await deliver(event(fields))).toBe(200);
    expect(await taken()).toEqual([]);
    expect(await store.ledger.quarantined()).toBe(1);
    // Nor does any of it become a key of Redis.
    for (const key of await store.redis.keys('*')) expect(key.length).toBeLessThan(200);
  },
);

atLength.test('JSON that is nested without end is acknowledged and kept, wherever it stands', async () => {
  await serve({ maxBodyBytes: 4 * 1024 * 1024 });
  const inObject = event({ data: { object: contact } }).replace('"A"', DEEP_JSON);
  for (const body of [DEEP_JSON, inObject, '['.repeat(900_000), `[${DEEP_JSON}]`]) {
    expect(await deliver(body)).toBe(200);
  }
  expect(await taken()).toEqual([]);
  expect(await store.ledger.quarantined()).toBe(4);
});

atLength.test('whatever stands in a field of a known object, the delivery is not answered 503', async () => {
  const kinds = ['appointment', 'contact', 'conversation', 'message', 'lead'] as const;
  const intake = new Intake({
    ...{ store: store.intake, queue: { add() {} }, kinds },
    ...{ clock: { now: () => NOW }, log: SILENT_LOG, meter: NO_METER },
  });
  await serve({ intake });
  for (const kind of kinds) {
    for (const odd of [...ODD_VALUES, ...ODD_TEXTS, null, '__proto__', 'constructor']) {
      for (const field of [
        'updated_at',
        'status',
        'attachments',
        'conversation_id',
        'call',
        '__proto__',
        'metadata',
      ]) {
        // Twice about one object: the second one is merged with the first.
        for (const other of ['first', 'second']) {
          const object = `{"object":"${kind}","id":"odd","other":"${other}","${field}":${JSON.stringify(odd)}}`;
          const body = event({ data: { object: 0 } }).replace('"object":0', `"object":${object}`);
          expect([kind, field, await deliver(body)]).toEqual([kind, field, 200]);
        }
      }
    }
  }
  expect(({} as Record<string, unknown>)['other']).toBeUndefined();
});

test('an event of an unknown type about a known object is a hint like any other (case 12)', async () => {
  await serve();
  expect(await deliver(event({ type: 'contact.hatched' }))).toBe(200);
  expect(await taken()).toEqual([`contact/contact-${events}`]);
});

test('an event about something that no mirror takes is acknowledged and let go', async () => {
  await serve();
  expect(
    await deliver(event({ type: 'message.created', data: { object: { object: 'message', id: 'm' } } })),
  ).toBe(200);
  expect(await taken()).toEqual([]);
  expect(await store.ledger.quarantined()).toBe(0);
});

test('a test event changes nothing (case 15)', async () => {
  await serve();
  expect(await deliver(event({ test: true }))).toBe(200);
  expect(await taken()).toEqual([]);
});

test('values that the platform may add to its lists are taken as they come (case 16)', async () => {
  await serve();
  const object = {
    object: 'appointment',
    id: 'new-words',
    status: 'teleported',
    source: 'hologram',
    cancelled_by: 'oracle',
    updated_at: null,
  };
  expect(await deliver(event({ type: 'appointment.updated', data: { object } }))).toBe(200);
  expect(await taken()).toEqual(['appointment/new-words']);
});

test('a body above the limit is refused and wakes nothing: nobody has proved to be the platform', async () => {
  await serve({ maxBodyBytes: 1_000 });
  expect(await deliver(event({ padding: 'x'.repeat(2_000) }))).toBe(413);
  expect(wakes).toBe(0);
  expect(await deliver(event())).toBe(200);
});

test.each([
  ['too long', '1000000000'],
  ['cut off', '70'],
])('a request that lies about its length (%s) wakes nothing', async (_, length) => {
  await serve();
  const { hostname, port } = new URL(url);
  const headers = Object.entries(timestamped('{}')).map(([name, value]) => `${name}: ${value}\r\n`);
  await new Promise<void>((done, fail) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /webhooks/platform HTTP/1.1\r\nHost: x\r\n${headers.join('')}content-length: ${length}\r\n\r\n{}`,
      );
      setTimeout(() => socket.destroy(), 100);
    });
    socket.on('close', () => done()).on('error', fail);
  });
  expect(await deliver(event())).toBe(200);
  expect(wakes).toBe(0);
});

test('without a signature of any form the body is not even read', async () => {
  await serve({ maxBodyBytes: 1_000 });
  // Read, it would be too large.
  expect(await deliver('x'.repeat(5_000), {})).toBe(401);
});

test('only a test delivery that a known secret has signed leaves a word', async () => {
  const words: string[] = [];
  await serve({ scheme: 'body', onTest: async ({ eventId }) => void words.push(eventId) });
  const body = event({ test: true });
  const { id } = JSON.parse(body) as { id: string };
  expect(await deliver(body, timestamped(body, ['a secret of somebody else']))).toBe(401);
  const large = event({ test: true, padding: 'x'.repeat(100_000) });
  expect(await deliver(large, timestamped(large))).toBe(401);
  expect(words).toEqual([]);
  // The scheme is the wrong one, and that is what the word is for.
  expect(await deliver(body, timestamped(body))).toBe(401);
  expect(words).toEqual([id]);
});

test('an event that cannot be made durable is answered 503, and is welcome when it comes again', async () => {
  await serve();
  const body = event();
  // The server sleeps: connections stay, answers do not come.
  process.kill(redis.pid, 'SIGSTOP');
  try {
    // Answered while Redis still sleeps.
    expect(await deliver(body)).toBe(503);
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  expect(await deliver(body)).toBe(200);
  expect(await taken()).toEqual([`contact/contact-${events}`]);
});

test('hundreds of deliveries at once are all durable, the doubled ones once', async () => {
  await serve();
  const bodies = Array.from({ length: 100 }, () => event());
  const statuses = await Promise.all([...bodies, ...bodies].map((body) => deliver(body)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await store.work.due(Date.now() + 1e12, 1_000)).length).toBe(100);
});

test('P1: a delivery is taken although the secret file can no longer be read', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-secret-'));
  try {
    const file = join(dir, 'webhook');
    keepSecret(file, SECRET);
    await serve({ secrets: webhookSecrets({ secrets: [], secretFile: file }) });
    expect(await deliver(event())).toBe(200);
    rmSync(file);
    mkdirSync(file);
    expect(await deliver(event())).toBe(200);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
