import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { keySpace } from '../../src/engine/key-space.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { differences } from '../stand/judge.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

/** Longer than the test waits: what goes on before was freed, and did not run out. */
const LONG_MS = 3_600_000;

let world: World;
const workers: Awaited<ReturnType<typeof startWorkerProcess>>[] = [];
const closers: (() => void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  for (const worker of workers.splice(0)) await worker.kill();
  await world.close();
});

async function addWorker() {
  const port = await world.door();
  await world.subscribe(port);
  const worker = await startWorkerProcess(world, port);
  workers.push(worker);
  worker.start();
  await worker.untilReady();
  return worker;
}

test('P1, P2: what a worker holds stays its own while it is frozen, and is free as soon as it was killed (case 71)', async () => {
  world = await startWorld();
  const redis = openRedis(world.redis.url, 'commands');
  closers.push(() => redis.disconnect());
  const keys = keySpace('slotbridge');
  const holders = async (): Promise<ReadonlyMap<string, string>> => {
    const names = [
      ...(await redis.keys(`${keys.lease('')}*`)),
      ...(await redis.keys(`${keys.queues}:*:lock`)),
    ];
    const entries = await Promise.all(
      names.map(async (name) => [name, (await redis.get(name)) ?? ''] as const),
    );
    return new Map(entries);
  };

  const first = await addWorker();
  world.google.faults.add({ method: 'POST', path: /events/, fault: { kind: 'delay', ms: 5_000 } });
  for (const hours of [24, 26, 28]) world.book({ hours });
  await vi.waitFor(async () => expect([...(await holders()).keys()].join()).toContain(':lock'), {
    timeout: PATIENCE_MS,
  });
  first.freeze();
  const held = await holders();
  expect(held.size).toBeGreaterThan(0);
  for (const name of held.keys()) await redis.pexpire(name, LONG_MS);
  world.google.faults.clear();

  const second = await addWorker();
  const lastLooks = async () => (await redis.zrange(keys.processes, '0', '-1', 'WITHSCORES')).map(Number);
  const newestLook = async () => Math.max(...(await lastLooks()).filter(Number.isFinite));
  for (const before of [await newestLook(), (await newestLook()) + 1]) {
    await vi.waitFor(async () => expect(await newestLook()).toBeGreaterThan(before), {
      timeout: PATIENCE_MS,
    });
  }
  const after = await holders();
  for (const [name, holder] of held) expect([name, after.get(name)]).toEqual([name, holder]);
  expect(readFileSync(join(world.dir, 'worker.log'), 'utf8')).not.toContain('taken over from a dead process');

  await first.kill();
  await vi.waitFor(
    () =>
      expect(readFileSync(join(world.dir, 'worker.log'), 'utf8')).toContain('taken over from a dead process'),
    { timeout: PATIENCE_MS },
  );
  await world.untilIdle(second.url);
  expect(differences(world)).toEqual([]);
  for (const [name, holder] of held) expect((await holders()).get(name)).not.toBe(holder);
});
