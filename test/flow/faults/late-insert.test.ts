import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { untilSame } from '../../stand/judge.ts';
import { type MortalRedis, startMortalRedis } from '../../stand/mortal-redis.ts';
import { ANNA, BORIS, slot, startWorld, type World } from '../../stand/world.ts';

let redis: MortalRedis;
let world: World;

beforeEach(async () => {
  redis = await startMortalRedis();
  world = await startWorld({ redis });
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), soon);
});
afterEach(() => world.close());

const soon = { timeout: 30_000, interval: 20 };
const LATE_MS = 8_000;

test('P1, P2: an insert that lands at the former place after the calendars were looked through goes (case 10)', async () => {
  const keepingBytes = redis.fileBytes();
  let struck = false;
  world.google.faults.add({
    method: 'POST',
    path: /\/events/,
    times: 1,
    onStrike: () => {
      struck = true;
    },
    fault: { kind: 'delay', ms: LATE_MS },
  });
  const id = world.book();
  await vi.waitFor(() => expect(struck).toBe(true), soon);
  await redis.kill();
  world.platform.dashboard.reschedule(id, { startsAt: slot(30), resourceId: world.company.boris });
  await redis.revive({ keepingBytes });
  await vi.waitFor(() => expect(world.events(BORIS).length).toBe(1), soon);
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  await untilSame(world);
  expect(world.events(ANNA)).toEqual([]);
});
