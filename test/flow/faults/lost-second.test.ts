import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { ANNA, MIRRORS, slot, startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;
let url: string;
beforeEach(async () => {
  redis = await startMortalRedis();
  // Nothing is found by the clock: the next walk would come in ten minutes.
  const mirrors = MIRRORS.replace('    event:\n', '    staff_edits: { moved: reschedule }\n    event:\n');
  world = await startWorld({ redis, feedEvery: '10m', mirrors });
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: PATIENCE_MS,
    interval: 20,
  });
  world.book({ hours: 20 });
  await untilSame(world);
  // The resync of the first start would find everything.
  await vi.waitFor(async () => expect((await world.status(url)).holes).toEqual([]), {
    timeout: PATIENCE_MS,
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
    { timeout: PATIENCE_MS },
  );
  await sleep(300);
  await redis.kill();
  await redis.revive({ from });
  mend();
  await untilSame(world);
  expect(differences(world)).toEqual([]);
});

test('P1: a drag of an event that was created in the lost second is carried, and not undone', async () => {
  const from = redis.copyDisk();
  const id = world.book({ hours: 30 });
  await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(2), { timeout: PATIENCE_MS });
  const eventId = eventIdOf(id);
  world.google.staff.calendar.move({ calendarId: ANNA, eventId, start: slot(40) });
  await redis.kill();
  await redis.revive({ from });
  const startsAt = () => Date.parse(String(world.platform.truth.appointment(id)?.['starts_at']));
  await vi.waitFor(() => expect(startsAt()).toBe(Date.parse(slot(40))), { timeout: PATIENCE_MS });
  await untilSame(world);
  expect(differences(world)).toEqual([]);
});

test('P8: a Redis that is wiped under a worker is covered again as soon as it is rebuilt, though the next walk is far (case 33)', async () => {
  const covered = async () => (await world.status(url)).coverage.feed.covered_until;
  await vi.waitFor(async () => expect(await covered()).not.toBeNull(), {
    timeout: PATIENCE_MS,
    interval: 20,
  });
  let walk: () => void = () => {};
  const until = new Promise<void>((done) => {
    walk = done;
  });
  world.platform.faults.add({ path: /\/v1\/events/, fault: { kind: 'hold', until } });
  await redis.wipe();
  expect(await covered()).toBeNull();
  walk();
  await vi.waitFor(async () => expect(await covered()).not.toBeNull(), {
    timeout: PATIENCE_MS,
    interval: 100,
  });
  await untilSame(world);
});
