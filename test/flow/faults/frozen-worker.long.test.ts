import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startWorkerProcess } from '../../stand/worker-process.ts';
import { slot, startWorld, type World } from '../../stand/world.ts';

let world: World;
let first: Awaited<ReturnType<typeof startWorkerProcess>>;
let second: Awaited<ReturnType<typeof startWorkerProcess>>;
afterEach(async () => {
  await first.kill();
  await second.kill();
  await world.close();
});

test('P2, P3: a worker that is frozen past its locks in the middle of its writes, and thawed when another has done its work and more, changes nothing any more (case 71)', async () => {
  let port = 0;
  // Both have the one endpoint of the installation.
  const rewrite = (yaml: string) =>
    yaml.replace(/public_url: "[^"]*"/, `public_url: "http://127.0.0.1:${port}"`);
  world = await startWorld({ rewrite });
  port = await world.door();
  await world.subscribe(port);
  first = await startWorkerProcess(world, port);
  second = await startWorkerProcess(world);
  first.start();
  await first.untilReady();
  const { anna, boris } = world.company;
  // Rows as well: their flush is under way when the worker stops.
  await bustle(world, { rounds: 3, pauseMs: 5 });
  await untilSame(world);

  // Written late enough for the freeze to come between the request and its answer.
  world.google.faults.add({
    method: 'POST',
    path: /events|batchUpdate/,
    times: 6,
    fault: { kind: 'delay', ms: 1_000 },
  });
  const appointments = [40, 42, 44].map((hours) => world.book({ hours: hours + 40, resourceId: anna }));
  const asked = world.google.stats().faults;
  await vi.waitFor(() => expect(world.google.stats().faults - asked).toBeGreaterThanOrEqual(3), {
    timeout: PATIENCE_MS,
    interval: 10,
  });
  first.freeze();
  world.google.faults.clear();
  second.start();
  await second.untilReady();
  for (const [at, id] of appointments.entries()) {
    world.platform.dashboard.reschedule(id, { startsAt: slot(120 + 2 * at), resourceId: boris });
  }
  world.platform.dashboard.cancel(appointments[2] ?? '');
  await untilSame(world);

  first.thaw();
  // It wakes up with the answers that it waited for, and with timers that are all due at once.
  await sleep(2_000);
  const status = await world.untilIdle(second.url);
  expect(differences(world)).toEqual([]);
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  // And it works again.
  await bustle(world, { rounds: 1, from: 60 });
  await untilSame(world);
});
