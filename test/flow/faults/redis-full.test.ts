import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { statusVerdict } from '../../../src/operate/verdict.ts';
import { bustle } from '../../stand/bustle.ts';
import { deliverEvent, fedEvents } from '../../stand/deliveries.ts';
import { differences } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;
let url: string;

beforeEach(async () => {
  redis = await startMortalRedis();
  world = await startWorld({ redis });
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  // Something is covered already, so that it can be seen to stand still.
  await world.untilIdle(url);
});
afterEach(() => world.close());

const soon = { timeout: PATIENCE_MS, interval: 100 };

test('P1: with Redis full no delivery is acknowledged, nothing is lost, and work goes on by itself when there is room (case 12)', async () => {
  const before = bustle(world, { rounds: 4 });
  await sleep(150);
  await redis.fill();
  await before;
  // What was taken in before that has been acknowledged by the time that two more were refused, one after the other.
  world.book({ hours: 300 });
  for (let refused = 0; refused < 2; refused += 1) expect((await deliver()).status).toBe(503);
  const { webhooksDelivered } = world.platform.stats();
  const { covered_until } = (await world.status(url)).coverage.feed;
  await bustle(world, { rounds: 3, from: 10 });
  await sleep(2_500);
  expect(world.platform.stats().webhooksDelivered).toBe(webhooksDelivered);
  expect((await deliver()).status).toBe(503);
  // Nobody is told that all is mirrored while nothing is taken in.
  const told = await vi.waitFor(async () => {
    const status = await world.status(url);
    expect(status.problems).toMatchObject([{ target: 'redis', code: 'redis-takes-no-writes' }]);
    return status;
  }, soon);
  expect(statusVerdict(told)).toMatchObject({
    mood: 'wrong',
    line: expect.not.stringContaining('all mirrored'),
  });
  const readyz = await fetch(`${url}/readyz`);
  expect([readyz.status, await readyz.text()]).toEqual([503, expect.stringContaining('OOM')]);
  // A walk that cannot keep its end has proved nothing.
  expect((await world.status(url)).coverage.feed.covered_until).toBe(covered_until);
  await redis.makeRoom();
  const status = await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
  expect(status.problems).toEqual([]);
  expect(status.dead_letters.count).toBe(0);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
});

/** A delivery as the platform sends it: the sandbox keeps count of what was acknowledged, not of the answers. */
async function deliver(): Promise<Response> {
  const [event] = await fedEvents(world);
  return deliverEvent(world, url, event);
}
