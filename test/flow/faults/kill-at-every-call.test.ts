import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { differences, untilSame } from '../../stand/judge.ts';
import { startMortalWorld } from '../../stand/lives.ts';
import { slot } from '../../stand/world.ts';

/** Somewhat more than a booking took in the first life: a later one has the leftovers of the dead to do as well. */
const CALLS_MORE = 6;

let mortal: Awaited<ReturnType<typeof startMortalWorld>>;
beforeEach(async () => {
  mortal = await startMortalWorld();
});
afterEach(() => mortal.close());

test('P1, P2, P3: a worker that dies before the first, second, third … call after a booking leaves nothing missing, doubled or stale (cases 6, 33, 72)', async () => {
  const { world } = mortal;
  const { dashboard } = world.platform;
  const { anna, boris } = world.company;
  const deaths: number[] = [];
  const first = await mortal.begin();
  world.book({ hours: 20, resourceId: anna });
  await untilSame(world);
  const calls = first.calls() + CALLS_MORE;
  first.end();
  for (let call = 1; call <= calls; call += 1) {
    const life = await mortal.begin();
    const ending = life.dieBefore(call, 3_000);
    const id = world.book({ hours: 24 + call, resourceId: anna });
    if (await ending) deaths.push(call);
    life.end();
    // What the dead did not know: every third visit is somebody else's by the time that the next worker looks.
    if (call % 3 === 0) dashboard.reschedule(id, { startsAt: slot(124 + call), resourceId: boris });
    if (call % 7 === 0) dashboard.cancel(id);
  }
  console.log(calls);
  expect(deaths.length).toBe(calls);
  const url = await mortal.beginForGood();
  await untilSame(world, 50_000);
  const status = await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
}, 120_000);
