import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { differences } from '../stand/judge.ts';
import { atLength } from '../stand/runs.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { slot, startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;

beforeEach(async () => {
  world = await startWorld({
    platform: { seed: 7, delivery: { loseShare: 0.2, doubleShare: 0.2, delayMs: [0, 400] } },
  });
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port);
});
afterEach(async () => {
  await worker.kill();
  await world.close();
});

/** A day of bookings, moves, cancellations and contacts, spread over a few seconds. */
async function busyDay(rounds: number): Promise<void> {
  const { dashboard } = world.platform;
  const { anna, boris, massage, projectId } = world.company;
  for (let round = 0; round < rounds; round += 1) {
    const resourceId = round % 2 === 0 ? anna : boris;
    const moved = world.book({ hours: 24 + 4 * round, resourceId });
    const cancelled = world.book({ hours: 25 + 4 * round, resourceId });
    const roomy = world.book({ hours: 26 + 4 * round, resourceId, serviceId: massage });
    const contact = dashboard.createContact({ projectId, name: `Contact ${round}` });
    await sleep(30);
    dashboard.reschedule(moved, {
      startsAt: slot(27 + 4 * round),
      resourceId: resourceId === anna ? boris : anna,
    });
    dashboard.cancel(cancelled);
    dashboard.changeContact(contact, { name: `Renamed ${round}` });
    if (round % 5 === 0) dashboard.markAppointment(roomy, 'no_show');
    await sleep(30);
  }
}

test('P1, P2, P3: webhooks lost, doubled and shuffled, the worker killed again and again: nothing is missing, doubled or stale (cases 1, 4, 6, 19, 33, 72)', async () => {
  worker.start();
  await worker.untilReady();
  world.google.faults.add({ share: 0.05, fault: { kind: 'commit-then-reset' } });
  world.google.faults.add({ share: 0.05, fault: { kind: 'status', status: 503 } });
  const day = busyDay(36);
  for (let kill = 0; kill < 2; kill += 1) {
    await sleep(900);
    await worker.kill();
    await sleep(100);
    worker.start();
  }
  await day;
  world.google.faults.clear();
  await worker.untilReady();
  const status = await world.untilIdle(worker.url);
  expect(differences(world)).toEqual([]);
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
});

atLength.test(
  'P1, P8: a worker that was away finds everything in the feed, and reads nothing twice into the calendars',
  async () => {
    const first = await world.startWorker(worker.port);
    await world.untilIdle(first.url);
    await world.stopWorker(first);
    await busyDay(15);
    const second = await world.startWorker(worker.port);
    await world.untilIdle(second.url);
    expect(differences(world)).toEqual([]);
  },
);

atLength.test(
  'P2: when Redis was lost altogether, the same calendars and sheets come out, with nothing doubled and nothing left behind (case 33)',
  async () => {
    const before = await world.startWorker(worker.port);
    await busyDay(10);
    await world.untilIdle(before.url);
    await world.stopWorker(before);
    await wipe(world);
    // Moved and cancelled while nobody remembers where it stood.
    const appointments = world.platform.truth.appointments().filter((each) => each['status'] === 'confirmed');
    const [first, second] = appointments;
    if (first) world.platform.dashboard.cancel(String(first['id']));
    if (second) {
      const other = (second['resource_ids'] as string[]).includes(world.company.anna)
        ? world.company.boris
        : world.company.anna;
      world.platform.dashboard.reschedule(String(second['id']), { startsAt: slot(400), resourceId: other });
    }
    const after = await world.startWorker(worker.port);
    await world.untilIdle(after.url);
    expect(differences(world)).toEqual([]);
  },
);

async function wipe(of: World): Promise<void> {
  const { openRedis } = await import('../../src/engine/redis-client.ts');
  const redis = openRedis(of.redis.url, 'commands');
  await new Promise<void>((done) => redis.once('ready', () => done()));
  await redis.flushall();
  redis.disconnect();
}
