import { afterEach, expect, test, vi } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { rowsOf } from '../../stand/runs.ts';
import { startWorld, type World } from '../../stand/world.ts';

/**
 * The worker's own clock jumps, in the hand of the test: what it notes, compares and puts off by it. What goes by the clock of the
 * machine under it stands: the timers of Node and the delays of BullMQ (which are as long as they are), and Redis' expiries.
 */
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };
const HOUR = 3_600_000;

let world: World;
afterEach(async () => {
  aheadMs = 0;
  await world.close();
});

test.each(
  rowsOf(
    [
      ['five hours forward', 5 * HOUR],
      ['five hours back', -5 * HOUR],
    ] as const,
    2,
  ),
)(
  'P1, P8: the clock of the worker jumps %s in the middle of work, and back again: nothing is lost, put off or claimed for good (case 69)',
  async (_, jumpMs) => {
    world = await startWorld({ clock });
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    await bustle(world, { rounds: 2 });
    await untilSame(world);
    // Refusals that ask for patience: until when is noted on the clock that is wrong.
    world.google.faults.add({ share: 0.2, fault: { kind: 'status', status: 503 } });
    world.platform.faults.add({
      path: /\/v1\/events/,
      times: 2,
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '2' } },
    });
    aheadMs = jumpMs;
    await bustle(world, { rounds: 4, from: 20, pauseMs: 150 });
    // A signature of another time is refused, and the feed brings what it signed.
    await vi.waitFor(
      async () =>
        expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
          /slotbridge_webhooks_total\{outcome="signature-too-old"\} [1-9]/,
        ),
      { timeout: PATIENCE_MS },
    );
    aheadMs = 0;
    const setRightMs = Date.now();
    await bustle(world, { rounds: 2, from: 40 });
    world.google.faults.clear();
    await untilSame(world);
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status.dead_letters.count).toBe(0);
    // What was proved while the clock was wrong is not claimed any more.
    await vi.waitFor(
      async () => {
        const covered = Date.parse((await world.status(url)).coverage.feed.covered_until ?? '');
        expect(covered).toBeGreaterThan(setRightMs);
        expect(covered).toBeLessThanOrEqual(Date.now());
      },
      { timeout: PATIENCE_MS },
    );
  },
);
