import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EntityKey } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { ObjectBusy } from '../../../src/engine/work-store.ts';
import { openStores } from '../../../src/worker/stores.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let key: EntityKey;
let name: string;
let lock: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  key = { kind: 'appointment', id: randomUUID() };
  name = `appointment/${key.id}`;
  lock = store.keys.lease(`${name}:lock`);
  await change(1);
  return () => store.close();
});

const workOf = (processId: string) =>
  openStores(store.redis, { keys: store.keys, clock: { now: Date.now } }, { processId }).work;

async function change(version: number): Promise<void> {
  const updated_at = new Date(Date.UTC(2026, 0, version)).toISOString();
  const seen = { as: 'snapshot', snapshot: { id: key.id, version, updated_at } } as const;
  await store.intake.observe({ key, source: 'webhook', occurredAtMs: version, seen });
}

async function claimed(work: TestStore['work']): Promise<Claim> {
  const claim = await work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

const reasons = [{ mirror: 'm', code: 'c', message: 'm' }];
const ends: Readonly<Record<string, (work: TestStore['work'], claim: Claim) => Promise<unknown>>> = {
  settled: (work, claim) => work.settle(claim),
  'put off': (work, claim) => work.postpone(claim, { waits: {}, untilMs: 0 }),
  'dead-lettered': (work, claim) => work.deadLetter(claim, { key: name, atMs: 1, attempts: 3, reasons }),
  'left without a commit': (work, claim) => work.release(claim),
};

test.each(Object.keys(ends))(
  'P2: an object at work is busy for other processes until its turn was %s',
  async (end) => {
    const [first, second] = [workOf('one'), workOf('two')];
    const claim = await claimed(first);
    await expect(second.claim(key)).rejects.toThrow(ObjectBusy);
    expect(await store.work.atWork([name, 'contact/1'])).toEqual([name]);
    await ends[end]?.(first, claim);
    expect(await store.work.atWork([name])).toEqual([]);
    await change(2);
    expect((await claimed(second)).desiredRev).toBe(2);
  },
);

test('who is refused takes no fence: the turn that runs can still commit', async () => {
  const [first, second] = [workOf('one'), workOf('two')];
  const claim = await claimed(first);
  await second.claim(key).catch(() => undefined);
  expect(await first.settle(claim)).toBe('settled');
});

test('a turn that was fenced off keeps the lock of nobody else', async () => {
  const [first, second] = [workOf('one'), workOf('two')];
  const late = await claimed(first);
  await store.redis.del(lock);
  const claim = await claimed(second);
  expect(await first.settle(late)).toBe('fenced');
  await first.release(late);
  expect(await store.work.atWork([name])).toEqual([name]);
  expect(await second.settle(claim)).toBe('settled');
});

test('after a loss of Redis, a turn of before keeps the lock of the next one in its process', async () => {
  const first = workOf('one');
  const before = await claimed(first);
  await store.redis.del(lock);
  const claim = await claimed(first);
  expect(await first.settle(before)).toBe('fenced');
  await first.release(before);
  expect(await store.work.atWork([name])).toEqual([name]);
  await expect(workOf('two').claim(key)).rejects.toThrow(ObjectBusy);
  expect(await first.settle(claim)).toBe('settled');
});

test('a lock that a turn of this process left behind stops none of its turns', async () => {
  const first = workOf('one');
  const left = await claimed(first);
  const claim = await claimed(first);
  expect(await first.settle(left)).toBe('fenced');
  expect(await first.settle(claim)).toBe('settled');
});

test('the lock lasts seconds, and as long as its turn is at work', async () => {
  const first = workOf('one');
  const claim = await claimed(first);
  expect(await store.redis.pttl(lock)).toBeGreaterThan(0);
  await store.redis.pexpire(lock, 500);
  await first.renewLocks();
  expect(await store.redis.pttl(lock)).toBeGreaterThan(5_000);
  await first.settle(claim);
  await first.renewLocks();
  expect(await store.redis.exists(lock)).toBe(0);
});

test('what has nothing to do is not locked', async () => {
  const first = workOf('one');
  await first.settle(await claimed(first));
  await first.claim(key);
  expect(await store.redis.exists(lock)).toBe(0);
});

test('P1: the death of a process ends its turns, and no other', async () => {
  const [first, second] = [workOf('one'), workOf('two')];
  const other = { kind: 'appointment', id: randomUUID() } as const;
  const seen = { as: 'snapshot', snapshot: { id: other.id, updated_at: '2026-01-01T00:00:00Z' } } as const;
  await store.intake.observe({ key: other, source: 'webhook', occurredAtMs: 1, seen });
  await claimed(first);
  await second.claim(other);
  expect(await second.freeLocks('one')).toEqual([name]);
  expect(await store.work.atWork([name, `appointment/${other.id}`])).toEqual([`appointment/${other.id}`]);
  expect((await claimed(second)).desiredRev).toBe(1);
  expect(await second.freeLocks('one')).toEqual([]);
});
