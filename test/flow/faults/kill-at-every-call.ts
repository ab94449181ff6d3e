import { afterEach, beforeEach, expect, test } from 'vitest';
import { differences, untilSame } from '../../stand/judge.ts';
import { startMortalWorld } from '../../stand/lives.ts';
import { slot } from '../../stand/world.ts';

/** Who has nothing to do for so long has come to the end of its work alive. */
const LIFE_MS = 800;
/** Calls that come by the clock are counted as well: one life that goes on for longer than its work proves little. */
const SURVIVORS = 3;
/** Webhook, queue, claim, intent, event, link, row, flush and what is confirmed of it: a good part of them is more than one call. */
const CALLS_MIN = 25;

export function testKillAtEvery(step: number): void {
  let mortal: Awaited<ReturnType<typeof startMortalWorld>>;
  beforeEach(async () => {
    mortal = await startMortalWorld();
  });
  afterEach(() => mortal.close());

  test('P1, P2, P3: a worker that dies before the first, second, third … call after a booking leaves nothing missing, doubled or stale (cases 6, 33, 72)', async () => {
    const { world } = mortal;
    const { dashboard } = world.platform;
    const { anna, boris } = world.company;
    let deaths = 0;
    let survivors = 0;
    let call = 1;
    for (let lives = 1, lifeMs = LIFE_MS; survivors < SURVIVORS; lives += 1) {
      const life = await mortal.begin();
      const ending = life.dieBefore(call, lifeMs);
      const id = world.book({ hours: 24 + lives, resourceId: anna });
      const isDead = await ending;
      life.end();
      // What the dead did not know: every third appointment is somebody else's by the time that the next worker looks.
      if (lives % 3 === 0) dashboard.reschedule(id, { startsAt: slot(224 + lives), resourceId: boris });
      if (lives % 7 === 0) dashboard.cancel(id);
      if (!isDead && call <= CALLS_MIN) {
        // It was only slow, and is to die at this call all the same.
        lifeMs *= 2;
        continue;
      }
      if (isDead) deaths += 1;
      else survivors += 1;
      call += step;
    }
    expect(deaths * step).toBeGreaterThan(CALLS_MIN);
    const url = await mortal.beginForGood();
    await untilSame(world);
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status.dead_letters.count).toBe(0);
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  }, 600_000);
}
