import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunningWorker } from '../../../src/compose/worker.ts';
import { redisRun } from '../../../src/storage/redis/redis-run.ts';
import { differences } from '../../stand/judge.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';
import { ANNA, BORIS, ROOM, slot, startWorld, type World } from '../../stand/world.ts';

let world: World;
let worker: RunningWorker;
let store: TestStore;
let port: number;
let warnings: string[];

beforeEach(async () => {
  warnings = [];
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, message: string) => void warnings.push(message),
  };
  world = await startWorld({ log });
  port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
  store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
});
afterEach(async () => {
  store.close();
  await world.close();
});

/** Some of everything, and some of it changed. */
async function work(hours: number): Promise<{ moved: string; cancelled: string; contact: string }> {
  const { projectId, anna } = world.company;
  const moved = world.book({ hours });
  const cancelled = world.book({ hours: hours + 1 });
  world.book({ hours: hours + 2, serviceId: world.company.massage });
  const contact = world.platform.dashboard.createContact({ projectId, name: `Emma ${hours}` });
  await sleep(50);
  world.platform.dashboard.reschedule(moved, { startsAt: slot(hours + 4), resourceId: anna });
  return { moved, cancelled, contact };
}

test('P2, P8: Redis is wiped under a worker at work: it is recognised, everything is read again, nothing is doubled or left behind', async () => {
  const { moved, cancelled, contact } = await work(24);
  await world.untilIdle(worker.url);
  const { boris } = world.company;
  await store.redis.flushall();
  // What happens before it is noticed is found as well.
  world.platform.dashboard.cancel(cancelled);
  world.platform.dashboard.reschedule(moved, { startsAt: slot(50), resourceId: boris });
  world.platform.dashboard.changeContact(contact, { name: 'Emma Stein' });
  await vi.waitFor(() => expect(warnings).toContain('redis was wiped'), { timeout: 30_000 });
  await work(60);
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: 60_000, interval: 200 });
  await world.untilIdle(worker.url);
  expect(differences(world)).toEqual([]);
}, 150_000);

test('P8: a worker whose Redis was wiped writes nothing before it knows again what stands in the calendars (case 33)', async () => {
  const visit = world.book({ hours: 24 });
  await world.untilIdle(worker.url);
  await store.redis.flushall();
  world.platform.dashboard.reschedule(visit, { startsAt: slot(50), resourceId: world.company.boris });
  const links = async () =>
    (await store.redis.hget(store.keys.object(`appointment/${visit}`), 'l:staff-calendars')) ?? '';
  await vi.waitFor(() => expect(world.events(BORIS)).toHaveLength(1), { timeout: 30_000, interval: 5 });
  expect(warnings).toContain('redis was wiped');
  // Taken up as the worker's own, and not for one that somebody dragged there, which stays for the grace.
  expect(await links()).not.toContain('strayed');
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: 30_000, interval: 50 });
});

test('P8: a second worker that is started just then lets the first one write no earlier (case 33)', async () => {
  const visit = world.book({ hours: 24 });
  await world.untilIdle(worker.url);
  // The look into the calendars takes its time, writing does not.
  world.google.faults.add({
    method: 'GET',
    path: /privateExtendedProperty/,
    fault: { kind: 'delay', ms: 5_000 },
  });
  await store.redis.flushall();
  world.platform.dashboard.reschedule(visit, { startsAt: slot(50), resourceId: world.company.boris });
  const second = world.startWorker(await world.door());
  await vi.waitFor(() => expect(world.events(BORIS)).toHaveLength(1), { timeout: 30_000, interval: 5 });
  expect(await store.memory.get(`adopted:staff-calendars/${ANNA}`)).toBe(
    await redisRun(store.redis, store.keys),
  );
  await second;
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: 30_000, interval: 50 });
});

test('P8: a first start is told from a Redis that was lost while the worker was away', async () => {
  expect(warnings).not.toContain('redis was wiped');
  await work(24);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  await store.redis.flushall();
  worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  expect(warnings).toContain('redis was wiped');
  expect(differences(world)).toEqual([]);
});

test('P8: the same when a calendar cannot be read at that start', async () => {
  await work(24);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  await store.redis.flushall();
  const path = new RegExp(`${ROOM}.*privateExtendedProperty`);
  const mend = world.google.faults.add({ path, fault: { kind: 'status', status: 500 } });
  worker = await world.startWorker(port);
  await vi.waitFor(() => expect(warnings).toContain('redis was wiped'), { timeout: 30_000 });
  expect(world.google.stats().faults).toBeGreaterThan(0);
  mend();
  await world.untilIdle(worker.url);
  expect(differences(world)).toEqual([]);
});
