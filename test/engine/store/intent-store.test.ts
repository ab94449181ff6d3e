import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EndedRequest, OpenRequest } from '../../../src/engine/intent.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(() => store.close());

const ORIGIN = 'calendar anna@clinic.example event1';

function request(generation: number, more: Partial<OpenRequest> = {}): OpenRequest {
  return {
    op: 'cancel',
    key: `key-${generation}`,
    body: '{"notify_customer":false}',
    generation,
    storedAtMs: 1_000 + generation,
    wish: { op: 'cancel', appointmentId: 'a1', notifyCustomer: false },
    ...more,
  } as OpenRequest;
}

function end(generation: number, more: Partial<EndedRequest> = {}): EndedRequest {
  return { key: `key-${generation}`, op: 'cancel', generation, outcome: 'done', atMs: 2_000, ...more };
}

test('an origin that nobody knows has no record', async () => {
  expect(await store.intents.read(ORIGIN)).toBeUndefined();
});

test('the first request is the open one, also for another connection; whoever comes second gets it back', async () => {
  const other = openTestStore(redis.url, { prefix: store.prefix });
  await other.ready();
  expect(await store.intents.begin(ORIGIN, request(1))).toEqual({ outcome: 'begun', open: request(1) });
  expect(await other.intents.begin(ORIGIN, request(1, { key: 'late' }))).toEqual({
    outcome: 'open',
    open: request(1),
  });
  expect(await other.intents.read(ORIGIN)).toEqual({
    generation: 1,
    open: request(1),
    appointmentId: undefined,
    ended: [],
  });
  other.close();
});

test('of many that begin at once, one is begun', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      store.intents.begin(ORIGIN, request(1, { key: `key-${index}` })),
    ),
  );
  expect(answers.filter(({ outcome }) => outcome === 'begun')).toHaveLength(1);
  const open = (await store.intents.read(ORIGIN))?.open;
  expect(answers.every((answer) => 'open' in answer && answer.open.key === open?.key)).toBe(true);
});

test('a generation that was there already cannot be begun again', async () => {
  await store.intents.begin(ORIGIN, request(1));
  await store.intents.settle(ORIGIN, end(1));
  expect(await store.intents.begin(ORIGIN, request(1, { key: 'late' }))).toEqual({ outcome: 'stale' });
  expect((await store.intents.read(ORIGIN))?.open).toBeUndefined();
  expect(await store.intents.begin(ORIGIN, request(2))).toMatchObject({ outcome: 'begun' });
});

test('only the open request can be settled, once, and its body is forgotten then', async () => {
  await store.intents.begin(ORIGIN, request(1));
  expect(await store.intents.settle(ORIGIN, end(7))).toBe(false);
  expect(await store.intents.settle(ORIGIN, end(1))).toBe(true);
  expect(await store.intents.settle(ORIGIN, end(1, { outcome: 'refused' }))).toBe(false);
  expect(await store.intents.read(ORIGIN)).toEqual({
    generation: 1,
    open: undefined,
    appointmentId: undefined,
    ended: [end(1)],
  });
  const [key = ''] = await store.redis.keys(`*${store.prefix}}:intent:*`);
  expect(JSON.stringify(await store.redis.hgetall(key))).not.toContain('notify_customer');
});

test('the appointment of a booking is remembered, and a cancellation does not replace it', async () => {
  await store.intents.begin(ORIGIN, request(1));
  await store.intents.settle(ORIGIN, end(1, { op: 'book', appointmentId: 'a1' }));
  await store.intents.begin(ORIGIN, request(2));
  await store.intents.settle(ORIGIN, end(2, { appointmentId: 'other' }));
  expect((await store.intents.read(ORIGIN))?.appointmentId).toBe('a1');
});

test('an open request takes another key only from whoever knows the present one', async () => {
  await store.intents.begin(ORIGIN, request(1));
  expect(await store.intents.replace(ORIGIN, { key: 'key-9' }, request(2))).toBe(false);
  expect(await store.intents.replace(ORIGIN, { key: 'key-1' }, request(2))).toBe(true);
  expect(await store.intents.read(ORIGIN)).toMatchObject({ generation: 2, open: request(2) });
  expect(await store.intents.settle(ORIGIN, end(1))).toBe(false);
  expect(await store.intents.settle(ORIGIN, end(2))).toBe(true);
});

test('the last five ends are kept, newest first', async () => {
  for (let generation = 1; generation <= 7; generation += 1) {
    await store.intents.begin(ORIGIN, request(generation));
    await store.intents.settle(ORIGIN, end(generation));
  }
  expect((await store.intents.read(ORIGIN))?.ended.map(({ generation }) => generation)).toEqual([
    7, 6, 5, 4, 3,
  ]);
});

test('an origin is forgotten half a year after its last request was sent or ended, even if that request stays open', async () => {
  await store.intents.begin(ORIGIN, request(1));
  const [key = ''] = await store.redis.keys(`*${store.prefix}}:intent:*`);
  const expectHalfAYear = async () => expect(await store.redis.ttl(key)).toBeGreaterThan(179 * 24 * 3600);
  await expectHalfAYear();
  await store.redis.expire(key, 1_000);
  await store.intents.replace(ORIGIN, { key: 'key-1' }, request(1));
  await expectHalfAYear();
  await store.redis.expire(key, 1_000);
  await store.intents.settle(ORIGIN, end(1));
  await expectHalfAYear();
  await store.redis.expire(key, 1_000);
  await store.intents.begin(ORIGIN, request(2));
  await expectHalfAYear();
});

test('a body comes back byte for byte, and no key shows the origin', async () => {
  const body = '{"comment":"\\u0000 \\"Привет\\" 😀 1e3","duration_min":30,"x":[]}';
  await store.intents.begin(ORIGIN, request(1, { body }));
  expect((await store.intents.read(ORIGIN))?.open?.body).toBe(body);
  expect((await store.redis.keys('*')).join()).not.toContain('anna');
});

test('only the very request that was read is withdrawn', async () => {
  const body = '{"comment":"\\u0000 \\"Привет\\" 😀 1e3"}';
  await store.intents.begin(ORIGIN, request(1, { body }));
  const read = (await store.intents.read(ORIGIN))?.open ?? request(9);
  const again = { ...read, sentAtMs: 5_000 };
  await store.intents.replace(ORIGIN, { key: read.key }, again);
  expect(await store.intents.withdraw(ORIGIN, end(1), read)).toBe(false);
  expect((await store.intents.read(ORIGIN))?.open).toEqual(again);
  expect(await store.intents.withdraw(ORIGIN, end(1), again)).toBe(true);
  expect((await store.intents.read(ORIGIN))?.open).toBeUndefined();
});
