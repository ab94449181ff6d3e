import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, BORIS, MIRRORS, startWorld, type World, type WorldOptions } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const ANNA_NEW = 'anna-new@clinic.example';

test('a resource with a new calendar takes its appointments along, and a removed one leaves its events behind (case 73)', async () => {
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {};
  world = await startWorld(options);
  world.google.addCalendar(ANNA_NEW, { shareWith: [defaultAccount] });
  const port = await world.door();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  world.book();
  world.book({ hours: 30 });
  world.book({ resourceId: world.company.boris, hours: 40 });
  await world.untilIdle(worker.url);
  expect([world.events(ANNA).length, world.events(BORIS).length]).toEqual([2, 1]);

  await world.stopWorker(worker);
  options.mirrors = MIRRORS.replace(ANNA, ANNA_NEW).replace(`        Boris Ivanov: ${BORIS}\n`, '');
  worker = await world.startWorker(port);
  await vi.waitFor(() => expect(world.events(ANNA_NEW).length).toBe(2), { timeout: PATIENCE_MS });
  await world.untilIdle(worker.url);
  expect([world.events(ANNA).length, world.events(ANNA_NEW).length, world.events(BORIS).length]).toEqual([
    0, 2, 1,
  ]);
});
