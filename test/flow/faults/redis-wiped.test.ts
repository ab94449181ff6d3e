import { afterEach, beforeEach, expect, test } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { slot, startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;
let url: string;
let port: number;

beforeEach(async () => {
  redis = await startMortalRedis();
  world = await startWorld({ redis });
  port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  await bustle(world, { rounds: 6, pauseMs: 5 });
  await world.untilIdle(url);
});
afterEach(() => world.close());

/** The endpoint is the test's own doing. */
const isWrite = (route: string) => !route.startsWith('GET ') && !route.includes('webhook_endpoints');
const quiet = { mailsSent: 0, notifyingCalls: 0 };

/** What nobody remembers any more is cancelled, and moved to somebody else. */
function cancelOneMoveOne(): void {
  const appointments = world.platform.truth.appointments().filter((each) => each['status'] === 'confirmed');
  const [first, second] = appointments;
  if (first === undefined || second === undefined) throw new Error('no appointments to change');
  world.platform.dashboard.cancel(String(first['id']));
  const { anna, boris } = world.company;
  const other = (second['resource_ids'] as string[]).includes(anna) ? boris : anna;
  world.platform.dashboard.reschedule(String(second['id']), { startsAt: slot(400), resourceId: other });
}

test('P2, P5: emptying Redis while appointments are cancelled and moved gives the same calendars and sheets, and mails nobody (case 33)', async () => {
  await redis.wipe();
  cancelOneMoveOne();
  await bustle(world, { rounds: 4, from: 20 });
  const status = await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject(quiet);
  // Whoever cancels and moves in the dashboard mails, and so does a bustle; the worker asks the platform to change nothing.
  expect(Object.keys(world.platform.stats().requestsByRoute).filter(isWrite)).toEqual([]);
});
