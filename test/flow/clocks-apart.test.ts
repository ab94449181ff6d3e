import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ProcessClock } from '../stand/process-clock.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
afterEach(async () => {
  await worker.kill();
  await world.close();
});

test('P8: a worker whose clock is 90 s ahead of that of Redis proves nothing that has not happened yet, and tells its clock', async () => {
  world = await startWorld();
  const clock = new ProcessClock(join(world.dir, 'clock'));
  clock.put(90_000);
  const port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port, clock);
  worker.start();
  await worker.untilReady();
  world.book({ hours: 24 });
  await world.untilIdle(worker.url);
  const status = await world.status(worker.url);
  // A measurement is as exact as half of its round trip, which takes a second at most.
  const nowMs = Date.now() + 500;
  const { feed, calendars, intake_sheets: sheets } = status.coverage;
  const moments = [feed, ...calendars, ...sheets].flatMap((each) => [each.covered_until, each.proved_at]);
  const ahead = [status.at, status.started_at, status.configured_at, ...moments].filter(
    (moment) => Date.parse(moment ?? '') > nowMs,
  );
  expect(ahead).toEqual([]);
  expect(feed.covered_until).not.toBeNull();
  expect(status.hosts?.map(({ clock_ahead_s }) => Math.abs(clock_ahead_s - 90) < 30)).toEqual([true]);
  expect(status.problems.map(({ code }) => code)).toContain('clocks-apart');
});
