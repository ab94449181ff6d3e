import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ProcessClock } from '../stand/process-clock.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
afterEach(async () => {
  await worker.kill();
  await world.close();
});

test('P8: a clock that is set under a worker at work is measured again, and the worker goes by that of Redis', async () => {
  world = await startWorld();
  const clock = new ProcessClock(join(world.dir, 'clock'));
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port, clock);
  worker.start();
  await worker.untilReady();
  clock.put(-90_000);
  await vi.waitFor(
    async () => {
      const { hosts = [] } = await world.status(worker.url);
      expect(hosts.map(({ clock_ahead_s }) => clock_ahead_s < -60)).toEqual([true]);
    },
    { timeout: PATIENCE_MS, interval: 300 },
  );
  // A measurement is as exact as half of its round trip, which takes a second at most.
  const beforeMs = Date.now() - 500;
  const atMs = Date.parse((await world.status(worker.url)).at);
  expect([atMs < beforeMs, atMs > Date.now() + 500]).toEqual([false, false]);
});
