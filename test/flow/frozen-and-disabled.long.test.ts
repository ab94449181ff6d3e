import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { differences } from '../stand/judge.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ProcessClock } from '../stand/process-clock.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { slot, startWorld, type World } from '../stand/world.ts';

const MINUTE = 60_000;

let world: World;
const workers: Awaited<ReturnType<typeof startWorkerProcess>>[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.thaw();
    await worker.kill();
  }
  await world.close();
});

test('P2, P3: of two workers one is frozen past its locks and wakes up: what it held was done by the other, and its late writes do no harm (case 71)', async () => {
  world = await startWorld();
  const ports = [await world.door(), await world.door()] as const;
  // One after the other: both read their YAML from the same place.
  for (const port of ports) {
    await world.subscribe(port);
    const worker = await startWorkerProcess(world, port);
    workers.push(worker);
    worker.start();
    await worker.untilReady();
  }
  const [other, frozen] = workers;
  if (frozen === undefined || other === undefined) throw new Error('there are two workers');
  // Both take from the queue.
  const { boris } = world.company;
  world.google.faults.add({ share: 0.5, fault: { kind: 'delay', ms: 400 } });
  const appointments = Array.from({ length: 12 }, (_, at) => world.book({ hours: 24 + at }));
  await sleep(500);
  process.kill(frozen.pid() ?? 0, 'SIGSTOP');
  for (const [at, id] of appointments.entries()) {
    if (at % 3 === 0) world.platform.dashboard.reschedule(id, { startsAt: slot(48 + at), resourceId: boris });
    if (at % 3 === 1) world.platform.dashboard.cancel(id);
  }
  // Longer than the lock of a job (15 s) and every lease.
  await sleep(18_000);
  process.kill(frozen.pid() ?? 0, 'SIGCONT');
  world.google.faults.clear();
  await world.untilIdle(other.url);
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: PATIENCE_MS, interval: 300 });
});

test('P1: a process that stands still over a due minute of the schedule reads the lists late rather than never, and says so in its log', async () => {
  // Not before the worker is frozen, and so near that Google accepts the clock.
  const due = new Date(Math.ceil(Date.now() / MINUTE + 3) * MINUTE);
  const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  world = await startWorld({
    rewrite: (yaml) =>
      yaml.replace('\n  feed:', `\n  resync: { schedule: "${schedule}", timezone: Etc/UTC }\n  feed:`),
  });
  const clock = new ProcessClock(join(world.dir, 'clock'));
  const port = await world.door();
  await world.subscribe(port);
  const worker = await startWorkerProcess(world, port, clock);
  workers.push(worker);
  worker.start();
  await worker.untilReady();
  await world.untilIdle(worker.url);
  // No event tells of them.
  const { projectId } = world.company;
  world.platform.dashboard.importContacts([{ projectId, name: 'Emma', phone: '+74950001102' }]);
  worker.freeze();
  clock.set(due.getTime() - 1_000);
  await sleep(2_500);
  worker.thaw();
  await vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: PATIENCE_MS, interval: 300 });
  const lines = readFileSync(worker.logFile, 'utf8').trimEnd().split('\n');
  const said = lines
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly time: string; readonly due?: string })
    .filter(({ msg }) => msg === 'scheduled resync requested');
  expect(said.map((line) => line.due)).toEqual([due.toISOString()]);
  expect(Date.parse(said[0]?.time ?? '')).toBeGreaterThan(due.getTime() + 1_000);
});

test('P8: what happened while the endpoint was disabled is found when it is on again, also what no event will ever tell (case 11)', async () => {
  world = await startWorld({ webhook: ', check_every: 1s' });
  const port = await world.door();
  const endpoint = await world.subscribe(port);
  const worker = await world.startWorker(port);
  const { projectId, boris } = world.company;
  const [moved, cancelled] = [world.book({ hours: 30 }), world.book({ hours: 31 })];
  const contact = world.platform.dashboard.createContact({ projectId, name: 'Emma' });
  await world.untilIdle(worker.url);
  world.platform.dashboard.disableEndpoint(endpoint);
  await vi.waitFor(
    async () => expect((await world.status(worker.url)).holes[0]?.cause).toBe('endpoint-disabled'),
    {
      timeout: PATIENCE_MS,
    },
  );
  world.platform.dashboard.reschedule(moved, { startsAt: slot(60), resourceId: boris });
  world.platform.dashboard.cancel(cancelled);
  world.platform.dashboard.changeContact(contact, { name: 'Emma Stein' });
  world.book({ hours: 33 });
  await sleep(2_000);
  expect(differences(world).length).toBeGreaterThan(0);
  world.platform.dashboard.enableEndpoint(endpoint);
  await vi.waitFor(async () => expect((await world.status(worker.url)).holes).toEqual([]), {
    timeout: PATIENCE_MS,
  });
  await world.untilIdle(worker.url);
  expect(differences(world)).toEqual([]);
});
