import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;

beforeEach(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port);
  const config = join(world.dir, `slotbridge-${port}-worker.yaml`);
  const text = readFileSync(config, 'utf8');
  const own = text.replace(/redis: \{ url: .*/, `redis: { data_dir: "${join(world.dir, 'data')}" }`);
  expect(own).not.toBe(text);
  writeFileSync(config, own);
  worker.start();
  await worker.untilReady();
});
afterEach(async () => {
  // Gently: the private Redis ends with its worker.
  await worker.stop();
  await world.close();
});

const waiting = { timeout: PATIENCE_MS, interval: 20 };

/** The Redis that listens in the data folder now. */
function redisPid(): number {
  const log = readFileSync(join(world.dir, 'data', 'redis', 'redis.log'), 'utf8');
  return Number([...log.matchAll(/^(\d+):M /gm)].at(-1)?.[1]);
}

test('a worker whose private Redis is killed is not ready until it has started it again, goes on, and catches up', async () => {
  const { url } = worker;
  await world.untilIdle(url);
  const [pid, killed] = [worker.pid(), redisPid()];
  // Held back for as long as it takes to see what the worker says meanwhile.
  process.kill(killed, 'SIGSTOP');
  const before = world.book({ hours: 24 });
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503), waiting);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  process.kill(killed, 'SIGKILL');
  const after = world.book({ hours: 26 });
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), waiting);
  expect(redisPid()).not.toBe(killed);
  expect(worker.pid()).toBe(pid);
  const mirrored = () => world.events(ANNA).map(({ id }) => String(id).slice(2));
  await vi.waitFor(
    () => expect(mirrored().sort()).toEqual([before, after].map((id) => id.replaceAll('-', '')).sort()),
    waiting,
  );
  await world.untilIdle(url);
});
