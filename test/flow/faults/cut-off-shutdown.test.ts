import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunningWorker } from '../../../src/worker/worker.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { MIRRORS, startWorld, type World } from '../../stand/world.ts';

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
    timeout: PATIENCE_MS,
    interval: 20,
  });
});
afterEach(async () => {
  redis.thaw();
  await world.close();
});

/** Whatever is asked from now on is never answered. */
function silence(): void {
  const fault = { kind: 'hold', until: new Promise(() => undefined) } as const;
  world.google.faults.add({ fault });
  world.platform.faults.add({ fault });
}

test('a worker whose Redis, Google and platform have fallen silent ends all the same, while they are silent (case 72)', async () => {
  silence();
  for (let n = 0; n < 5; n += 1) world.book({ hours: 24 + n });
  await sleep(1_500);
  redis.freeze();
  // Only its own deadlines can end it: nobody speaks before it has.
  await world.stopWorker(worker);
  expect(world.google.faults.hits() + world.platform.faults.hits()).toBeGreaterThan(0);
});
