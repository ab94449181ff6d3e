import { afterEach, expect, test, vi } from 'vitest';
import { SandboxClock } from '../../../src/sandbox/clock.ts';
import { openTestStore } from '../../stand/store.ts';
import { startWorld, type World } from '../../stand/world.ts';

let world: World;
afterEach(() => world.close());

test('P1: after Redis was lost, the row of an appointment older than `since` follows what happens to it (case 33)', async () => {
  const clock = new SandboxClock();
  world = await startWorld({ clock, platform: { clock }, google: { clock } });
  const port = await world.door();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  const [lost, later] = [world.book({ hours: 2 }), world.book({ hours: 4 })];
  const statusOf = (id: string) => world.rows('Visits').find(([key]) => key === id)?.[1];
  await vi.waitFor(() => expect([lost, later].map(statusOf)).toEqual(['confirmed', 'confirmed']), {
    timeout: 30_000,
  });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  clock.advance(9 * 86_400_000);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  await store.redis.flushall();
  store.close();
  // Nobody was there to hear of this one.
  world.platform.dashboard.markVisit(lost, 'no_show');
  worker = await world.startWorker(port);
  await vi.waitFor(() => expect(statusOf(lost)).toBe('no_show'), { timeout: 30_000 });
  world.platform.dashboard.markVisit(later, 'no_show');
  await vi.waitFor(() => expect(statusOf(later)).toBe('no_show'), { timeout: 30_000 });
  expect(world.rows('Visits').length).toBe(3);
  await world.untilIdle(worker.url);
});
