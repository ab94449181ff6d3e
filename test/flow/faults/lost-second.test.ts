import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { differences, untilSame } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;
let url: string;
beforeEach(async () => {
  redis = await startMortalRedis();
  // Nothing is found by the clock: the next walk would come in ten minutes.
  world = await startWorld({ redis, feedEvery: '10m' });
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: 30_000,
    interval: 20,
  });
  world.book({ hours: 20 });
  await untilSame(world);
  // The resync of the first start would find everything.
  await vi.waitFor(async () => expect((await world.status(url)).holes).toEqual([]), {
    timeout: 30_000,
    interval: 20,
  });
});
afterEach(() => world.close());

test('P1, P8: a booking whose webhook was answered in the lost second is found within seconds, though the next walk is far (case 10)', async () => {
  const mend = world.google.faults.add({ fault: { kind: 'status', status: 503 } });
  const { webhooksDelivered } = world.platform.stats();
  const from = redis.copyDisk();
  world.book({ hours: 30 });
  await vi.waitFor(
    () => expect(world.platform.stats().webhooksDelivered).toBeGreaterThan(webhooksDelivered),
    { timeout: 30_000 },
  );
  await sleep(300);
  await redis.kill();
  await redis.revive({ from });
  mend();
  await untilSame(world);
  expect(differences(world)).toEqual([]);
});

test('P8: a Redis that is wiped under a worker is covered again as soon as it is rebuilt, though the next walk is far (case 33)', async () => {
  const covered = async () => (await world.status(url)).coverage.feed.covered_until;
  await vi.waitFor(async () => expect(await covered()).not.toBeNull(), { timeout: 30_000, interval: 20 });
  let walk: () => void = () => {};
  const until = new Promise<void>((done) => {
    walk = done;
  });
  world.platform.faults.add({ path: /\/v1\/events/, fault: { kind: 'hold', until } });
  await redis.wipe();
  expect(await covered()).toBeNull();
  walk();
  await vi.waitFor(async () => expect(await covered()).not.toBeNull(), { timeout: 30_000, interval: 100 });
  await untilSame(world);
});
