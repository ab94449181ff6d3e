// Appointments far ahead, through the whole worker.
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

test('appointments beyond until are in no calendar or tab and not pending, and enter automatically at their time', async () => {
  // The second appointment enters some seconds after the first look.
  const untilMs = Date.parse(slot(48)) - Date.now() - 6_000;
  world = await startWorld({
    mirrors: MIRRORS.replaceAll('since: 7d', `since: 7d, until: ${untilMs}ms`),
  });
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  const [near, soon, far] = [24, 48, 300].map((hours) => world.book({ hours }));
  const ids = () =>
    world
      .rows('Visits')
      .slice(1)
      .map(([id]) => id);
  await vi.waitFor(() => expect(ids()).toContain(near), { timeout: PATIENCE_MS });
  const status = await world.untilIdle(worker.url);
  expect(status.pending.objects).toBe(0);
  expect(ids()).not.toContain(far);
  await vi.waitFor(() => expect([ids(), world.events(ANNA).length]).toEqual([[near, soon], 2]), {
    timeout: PATIENCE_MS,
    interval: 200,
  });
  world.platform.dashboard.reschedule(far ?? '', { startsAt: slot(26), resourceId: world.company.anna });
  await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(3), { timeout: PATIENCE_MS, interval: 200 });
});
