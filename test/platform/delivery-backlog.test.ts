import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { Intake } from '../../src/engine/intake.ts';
import type { IntakeStore } from '../../src/engine/intake-store.ts';
import { DeliveryBacklog, type DeliveryBacklogParts } from '../../src/platform/webhook-delivery.ts';
import { double } from '../stand/double.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let isBackpressure: boolean;
let gaveWay: number;
let stopping: AbortController;
let running: Promise<void>[];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  [isBackpressure, gaveWay] = [true, 0];
  stopping = new AbortController();
  running = [];
});
afterEach(async () => {
  stopping.abort();
  await Promise.all(running);
  store.close();
});

/** The backlog of one process. */
function backlog(
  parts: Partial<DeliveryBacklogParts> = {},
  intakeStore: IntakeStore = store.intake,
): DeliveryBacklog {
  const intake = new Intake({
    ...{ store: intakeStore, queue: { add() {} }, kinds: ['contact'] },
    ...{ clock: { now: Date.now }, log: SILENT_LOG, meter: NO_METER },
  });
  const giveWay = () => {
    gaveWay += 1;
    return vi.waitFor(() => expect(isBackpressure).toBe(false), 60_000);
  };
  const backpressure = { isOn: () => isBackpressure, giveWay };
  return new DeliveryBacklog({ ...store, intake, backpressure, log: SILENT_LOG, ...parts });
}

function start(each: DeliveryBacklog): void {
  running.push(each.run(stopping.signal));
}

const body = (n: number) =>
  JSON.stringify({
    ...{ id: `event-${n}`, type: 'contact.updated', created_at: '2026-11-21T12:00:00Z', project_id: 'p' },
    data: { object: { object: 'contact', id: `c${n}`, updated_at: '2026-11-21T12:00:00Z' } },
  });
const taken = async () => [...(await store.work.due(Date.now() + 1e12, 1_000))].sort();
const waiting = () => store.redis.xlen(store.keys.deliveries);
const names = (count: number) => Array.from({ length: count }, (_, n) => `contact/c${n}`).sort();
const keepAll = (each: DeliveryBacklog, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => each.keep(body(n))));

test('P1: what is kept is durable, is pending, and is taken in once it is over', async () => {
  const kept = backlog();
  start(kept);
  await keepAll(kept, 120);
  await vi.waitFor(() => expect(gaveWay).toBe(1), { timeout: PATIENCE_MS });
  expect(await waiting()).toBe(120);
  expect(await store.ledger.pending()).toEqual({ objects: 120, oldestSinceMs: expect.any(Number) });
  expect(await taken()).toEqual([]);
  isBackpressure = false;
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: PATIENCE_MS });
  expect(await taken()).toEqual(names(120));
  expect((await store.ledger.pending()).objects).toBe(120);
});

test('it is kept only under backpressure, and only when it is not long', () => {
  expect(backlog().takes(body(0))).toBe(true);
  expect(backlog().takes('x'.repeat(16_385))).toBe(false);
  isBackpressure = false;
  expect(backlog().takes(body(0))).toBe(false);
});

test('P1: what a dead process has kept is taken in by the next', async () => {
  await keepAll(backlog(), 3);
  isBackpressure = false;
  start(backlog());
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: PATIENCE_MS });
  expect(await taken()).toEqual(names(3));
});

test('P2: a death between taking in and taking out changes nothing: the events are known', async () => {
  const { deliveries } = store;
  const first = backlog({
    deliveries: double({
      ...{ keep: (text: string) => deliveries.keep(text), after: deliveries.after.bind(deliveries) },
      remove: () => Promise.reject(new RetryableError('store-unavailable', 'died')),
    }),
  });
  await keepAll(first, 3);
  isBackpressure = false;
  start(first);
  await vi.waitFor(async () => expect(await taken()).toEqual(names(3)), { timeout: PATIENCE_MS });
  stopping.abort();
  await Promise.all(running);
  expect(await waiting()).toBe(3);
  const revisions = () => Promise.all(names(3).map((name) => store.redis.hget(store.keys.object(name), 'd')));
  const before = await revisions();
  stopping = new AbortController();
  start(backlog());
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: PATIENCE_MS });
  expect(await revisions()).toEqual(before);
});

test('what cannot be taken in yet stays, and holds up nothing behind it', async () => {
  let isBroken = true;
  const intakeStore: IntakeStore = double({
    observe: (seen) =>
      isBroken && seen.key.id === 'c0'
        ? Promise.reject(new RetryableError('store-unavailable', 'not now'))
        : store.intake.observe(seen),
    ...{ letGo: store.intake.letGo.bind(store.intake), known: store.intake.known.bind(store.intake) },
    quarantine: store.intake.quarantine.bind(store.intake),
  });
  const kept = backlog({}, intakeStore);
  await keepAll(kept, 60);
  isBackpressure = false;
  start(kept);
  await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: PATIENCE_MS });
  expect(await taken()).toEqual(names(60).filter((name) => name !== 'contact/c0'));
  isBroken = false;
  // The next delivery wakes.
  await kept.keep(body(60));
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: PATIENCE_MS });
  expect(await taken()).toEqual(names(61));
});

test('of two processes one takes in what both have kept', async () => {
  const both = [backlog(), backlog()];
  for (const each of both) start(each);
  await Promise.all(both.map((each) => keepAll(each, 100)));
  isBackpressure = false;
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: PATIENCE_MS });
  expect(await taken()).toEqual(names(100));
});

test('a body that is no event is kept for people to look at', async () => {
  const kept = backlog();
  await kept.keep('{"id":');
  isBackpressure = false;
  start(kept);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: PATIENCE_MS });
  expect(await store.redis.llen(store.keys.quarantine)).toBe(1);
});

test('with 10,000 waiting the next ones are taken in before they are answered', async () => {
  const { deliveries } = store;
  const many = { after: deliveries.after.bind(deliveries), remove: deliveries.remove.bind(deliveries) };
  const kept = backlog({ deliveries: double({ ...many, keep: () => Promise.resolve(10_000) }) });
  await kept.keep(body(0));
  expect(kept.takes(body(1))).toBe(false);
  // Another process has taken them in meanwhile.
  start(kept);
  await vi.waitFor(() => expect(kept.takes(body(1))).toBe(true), { timeout: PATIENCE_MS });
});

test('a delivery that Redis does not keep rejects', async () => {
  await store.redis.config('SET', 'maxmemory', '1');
  await expect(backlog().keep(body(0))).rejects.toThrow();
  await store.redis.config('SET', 'maxmemory', '0');
});
