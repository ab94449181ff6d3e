import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunningWorker } from '../../../src/compose/worker.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { MIRRORS, startWorld, type World } from '../../stand/world.ts';

/** `worker.shutdown` of this world, and all that is released beside and after the handlers. */
const SHUTDOWN_MS = 1_000;
const BOUND_MS = SHUTDOWN_MS + 8_000;

let redis: MortalRedis;
let world: World;
let worker: RunningWorker;
beforeEach(async () => {
  redis = await startMortalRedis();
  world = await startWorld({
    redis,
    mirrors: MIRRORS.replaceAll(' }\n    columns', ', check_every: 1s }\n    columns'),
    rewrite: (yaml) => yaml.replace('shutdown: 5s', 'shutdown: 1s'),
  });
  const port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
  await vi.waitFor(async () => expect((await fetch(`${worker.url}/readyz`)).status).toBe(200), {
    timeout: 30_000,
    interval: 20,
  });
});
afterEach(async () => {
  redis.thaw();
  await world.close();
});

async function stoppedWithin(): Promise<number> {
  const beganAt = performance.now();
  await world.stopWorker(worker);
  return performance.now() - beganAt;
}

/** Whatever is asked from now on is not answered within minutes. */
function silence(): void {
  const fault = { kind: 'hang', ms: 600_000 } as const;
  world.google.faults.add({ fault });
  world.platform.faults.add({ fault });
}

test('a worker whose Redis, Google and platform have fallen silent ends in its time all the same (case 72)', async () => {
  silence();
  for (let n = 0; n < 5; n += 1) world.book({ hours: 24 + n });
  await sleep(1_500);
  redis.freeze();
  expect(await stoppedWithin()).toBeLessThan(BOUND_MS);
});
