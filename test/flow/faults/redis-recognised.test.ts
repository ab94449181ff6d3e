import { setTimeout as sleep } from 'node:timers/promises';
import { expect, type TestContext, test, vi } from 'vitest';
import { redisRun } from '../../../src/engine/redis-script.ts';
import { differences } from '../../stand/judge.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { atLength } from '../../stand/runs.ts';
import { openTestStore, SILENT_LOG } from '../../stand/store.ts';
import { ANNA, BORIS, ROOM, slot, startWorld, type World } from '../../stand/world.ts';

/** Worlds of their own, which mostly wait: three stand beside each other. */
async function begin({ onTestFinished }: TestContext) {
  const warnings: string[] = [];
  const warn = (_: object, message: string) => void warnings.push(message);
  const world = await startWorld({ log: { ...SILENT_LOG, warn } });
  onTestFinished(() => world.close());
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  onTestFinished(() => store.close());
  await store.ready();
  return { world, port, worker, store, warnings };
}

/** Some of everything, and some of it changed. */
async function work(
  world: World,
  hours: number,
): Promise<{ moved: string; cancelled: string; contact: string }> {
  const { projectId, anna } = world.company;
  const moved = world.book({ hours });
  const cancelled = world.book({ hours: hours + 1 });
  world.book({ hours: hours + 2, serviceId: world.company.massage });
  const contact = world.platform.dashboard.createContact({ projectId, name: `Emma ${hours}` });
  await sleep(50);
  world.platform.dashboard.reschedule(moved, { startsAt: slot(hours + 4), resourceId: anna });
  return { moved, cancelled, contact };
}

test.concurrent('P2, P8: Redis is wiped under a worker at work: it is recognised, everything is read again, nothing is doubled or left behind', async (context) => {
  const { world, worker, store, warnings } = await begin(context);
  const { moved, cancelled, contact } = await work(world, 24);
  await world.untilIdle(worker.url);
  const { boris } = world.company;
  await store.redis.flushall();
  // What happens before it is noticed is found as well.
  world.platform.dashboard.cancel(cancelled);
  world.platform.dashboard.reschedule(moved, { startsAt: slot(50), resourceId: boris });
  world.platform.dashboard.changeContact(contact, { name: 'Emma Stein' });
  await vi.waitFor(() => expect(warnings).toContain('redis was wiped'), { timeout: PATIENCE_MS });
  await work(world, 60);
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: PATIENCE_MS, interval: 200 });
  await world.untilIdle(worker.url);
  expect(differences(world)).toEqual([]);
});

test.concurrent('P8: a worker whose Redis was wiped writes nothing before it knows again what stands in the calendars (case 33)', async (context) => {
  const { world, worker, store, warnings } = await begin(context);
  const appointment = world.book({ hours: 24 });
  await world.untilIdle(worker.url);
  await store.redis.flushall();
  world.platform.dashboard.reschedule(appointment, { startsAt: slot(50), resourceId: world.company.boris });
  const links = async () =>
    (await store.redis.hget(store.keys.object(`appointment/${appointment}`), 'l:staff-calendars')) ?? '';
  await vi.waitFor(() => expect(world.events(BORIS)).toHaveLength(1), { timeout: PATIENCE_MS, interval: 5 });
  expect(warnings).toContain('redis was wiped');
  // Taken up as the worker's own, and not for one that somebody dragged there, which stays for the grace.
  expect(await links()).not.toContain('strayed');
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: PATIENCE_MS, interval: 50 });
});

atLength.test.concurrent(
  'P8: a second worker that is started just then lets the first one write no earlier (case 33)',
  async (context) => {
    const { world, worker, store } = await begin(context);
    const appointment = world.book({ hours: 24 });
    await world.untilIdle(worker.url);
    // The look into the calendars takes its time, writing does not.
    world.google.faults.add({
      method: 'GET',
      path: /privateExtendedProperty/,
      fault: { kind: 'delay', ms: 5_000 },
    });
    await store.redis.flushall();
    world.platform.dashboard.reschedule(appointment, { startsAt: slot(50), resourceId: world.company.boris });
    const second = world.startWorker(await world.door());
    await vi.waitFor(() => expect(world.events(BORIS)).toHaveLength(1), {
      timeout: PATIENCE_MS,
      interval: 5,
    });
    expect(await store.memory.get(`adopted:staff-calendars/${ANNA}`)).toBe(
      await redisRun(store.redis, store.keys),
    );
    await second;
    await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: PATIENCE_MS, interval: 50 });
  },
);

atLength.test.concurrent(
  'P8: a first start is told from a Redis that was lost while the worker was away',
  async (context) => {
    const { world, port, worker, store, warnings } = await begin(context);
    expect(warnings).not.toContain('redis was wiped');
    await work(world, 24);
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    await store.redis.flushall();
    const again = await world.startWorker(port);
    await world.untilIdle(again.url);
    expect(warnings).toContain('redis was wiped');
    expect(differences(world)).toEqual([]);
  },
);

atLength.test.concurrent('P8: the same when a calendar cannot be read at that start', async (context) => {
  const { world, port, worker, store, warnings } = await begin(context);
  await work(world, 24);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  await store.redis.flushall();
  const path = new RegExp(`${ROOM}.*privateExtendedProperty`);
  const mend = world.google.faults.add({ path, fault: { kind: 'status', status: 500 } });
  const again = await world.startWorker(port);
  await vi.waitFor(() => expect(warnings).toContain('redis was wiped'), { timeout: PATIENCE_MS });
  expect(world.google.stats().faults).toBeGreaterThan(0);
  mend();
  await world.untilIdle(again.url);
  expect(differences(world)).toEqual([]);
});
