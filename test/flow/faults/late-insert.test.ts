import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { untilSame } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { ANNA, BORIS, slot, startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;

beforeEach(async () => {
  redis = await startMortalRedis();
  // The insert is under way until the test lets it land, and nobody gives it up before.
  world = await startWorld({
    redis,
    rewrite: (yaml) => yaml.replace('google:\n', 'google:\n  timeout: 5m\n'),
  });
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), soon);
});
afterEach(() => world.close());

const soon = { timeout: PATIENCE_MS, interval: 20 };

test('P1, P2: an insert that lands at the former place after the calendars were looked through goes (case 10)', async () => {
  const from = redis.copyDisk();
  let land: () => void = () => {};
  const until = new Promise<void>((done) => {
    land = done;
  });
  world.google.faults.add({ method: 'POST', path: /\/events/, times: 1, fault: { kind: 'hold', until } });
  const id = world.book();
  await vi.waitFor(() => expect(world.google.faults.hits()).toBe(1), soon);
  await redis.kill();
  world.platform.dashboard.reschedule(id, { startsAt: slot(30), resourceId: world.company.boris });
  await redis.revive({ from });
  await vi.waitFor(() => expect(world.events(BORIS).length).toBe(1), soon);
  const landed: string[] = [];
  world.google.onEventWrite((calendarId) => landed.push(calendarId));
  land();
  await vi.waitFor(() => expect(landed).toContain(ANNA), soon);
  await untilSame(world);
  expect(world.events(ANNA)).toEqual([]);
});
