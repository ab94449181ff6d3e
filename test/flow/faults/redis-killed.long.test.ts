import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { atLength } from '../../stand/runs.ts';
import { ANNA, MIRRORS, slot, startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;
let url: string;

beforeEach(async () => {
  redis = await startMortalRedis();
  // Rows of two flushes that met, because the lease of the first was forgotten, are found by the look at the tabs.
  const mirrors = MIRRORS.replaceAll('tab: Contacts }', 'tab: Contacts, check_every: 4s }').replaceAll(
    'tab: Visits }',
    'tab: Visits, check_every: 4s }',
  );
  // What staff do is carried, so that nothing that Redis forgot may pass for it; an event that stands twice waits for the grace of a drag.
  const edits = '    staff_edits: { moved: reschedule, deleted: cancel, grace: 3s }\n';
  world = await startWorld({ redis, mirrors: mirrors.replace('  contacts:\n', `${edits}  contacts:\n`) });
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), soon);
});
afterEach(() => world.close());

const soon = { timeout: PATIENCE_MS, interval: 20 };
const quiet = { mailsSent: 0, notifyingCalls: 0 };
/** Calls that move or cancel an appointment: here nobody but the dashboard does. */
const carried = () =>
  Object.keys(world.platform.stats().requestsByRoute).filter((route) => /^POST .*\/appointments/.test(route));

test('P1, P2, P7: Redis killed again and again in the middle of work, and started from its file: nothing is missing, doubled or stale (case 10)', async () => {
  const bustling = bustle(world, { rounds: 12 });
  for (let kill = 0; kill < 2; kill += 1) {
    await sleep(350);
    await redis.kill();
    await sleep(100);
    await redis.revive();
  }
  await bustling;
  const status = await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject(quiet);
  expect(carried()).toEqual([]);
});

atLength.test(
  'P1, P2, P7: the end of its file is gone as well, as after a power cut: what was forgotten is found again',
  async () => {
    const bustling = bustle(world, { rounds: 16 });
    for (let kill = 0; kill < 2; kill += 1) {
      await sleep(300);
      const from = redis.copyDisk();
      const bytes = redis.diskBytes();
      // However long the worker takes to find a Redis that was only just started again.
      await vi.waitFor(() => expect(redis.diskBytes()).not.toBe(bytes), soon);
      await sleep(300);
      await redis.kill();
      await redis.revive({ from });
    }
    await bustling;
    await untilSame(world);
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status.dead_letters.count).toBe(0);
    expect(world.google.stats()).toMatchObject(quiet);
    expect(carried()).toEqual([]);
  },
  300_000,
);

atLength.test(
  'P2: if the lost end of the file held the link of an event, the event is removed once its appointment has moved to another person',
  async () => {
    const from = redis.copyDisk();
    const id = world.book();
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
    await redis.kill();
    world.platform.dashboard.reschedule(id, { startsAt: slot(30), resourceId: world.company.boris });
    await redis.revive({ from });
    await untilSame(world);
    expect(world.events(ANNA)).toEqual([]);
  },
);

test('P1: while Redis stands still no delivery is acknowledged, and all of them are taken in when it goes on (cases 6, 13)', async () => {
  redis.freeze();
  const { webhooksDelivered: delivered, webhookAttempts: attempts } = world.platform.stats();
  const bustling = bustle(world, { rounds: 3 });
  await vi.waitFor(() => expect(world.platform.stats().webhookAttempts).toBeGreaterThan(attempts), soon);
  // Some seconds of it: the deliveries are answered late or not at all, and are tried again.
  await sleep(4_000);
  expect(world.platform.stats().webhooksDelivered).toBe(delivered);
  redis.thaw();
  await bustling;
  await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
});
