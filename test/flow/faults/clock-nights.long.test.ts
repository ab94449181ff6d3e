import { afterEach, beforeEach, expect, test } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { type MachineClock, takeMachineClock } from '../../stand/machine-clock.ts';
import { startWorld, type World } from '../../stand/world.ts';

const HOUR = 3_600_000;
const zoneBefore = process.env['TZ'];

let clock: MachineClock;
let world: World;
beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin';
  clock = takeMachineClock();
});
afterEach(async () => {
  if (zoneBefore === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zoneBefore;
  await world.close();
  clock.release();
});

/** A worker whose webhooks are all lost: what it learns, it learns from its own looks. */
async function withoutWebhooks(): Promise<{ readonly url: string }> {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  world.platform.delivery = { ...world.platform.delivery, loseShare: 1 };
  const { url } = await world.startWorker(port);
  await world.untilIdle(url);
  return { url };
}

test.each([
  ['an hour comes twice', '2026-10-25T00:59:50Z'],
  ['an hour is missing', '2026-03-29T00:59:50Z'],
])('P1, P8: the feed is read on in the night in which %s', async (_, atMs) => {
  clock.set(atMs);
  const { url } = await withoutWebhooks();
  clock.set(Date.parse(atMs) + 8_000);
  await bustle(world, { rounds: 4, pauseMs: 1_500 });
  await untilSame(world);
  await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
});

test.each([
  ['put back', -1],
  ['put on', 1],
])(
  'P1, P8: the feed is read on when the clock of the machine is %s by three hours, and set right',
  async (_, sign) => {
    const { url } = await withoutWebhooks();
    for (const [round, byMs] of [3 * HOUR, -3 * HOUR].entries()) {
      clock.move(sign * byMs);
      await bustle(world, { rounds: 2, from: 10 * round });
      await untilSame(world);
      await world.untilIdle(url);
      expect(differences(world)).toEqual([]);
    }
  },
);
