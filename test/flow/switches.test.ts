import { setTimeout as sleep } from 'node:timers/promises';
import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import { expect, test } from 'vitest';
import { differences, untilSame } from '../stand/judge.ts';
import { rowsOf } from '../stand/runs.ts';
import { slot, startWorld } from '../stand/world.ts';

/** Places where the platform's document is silent: the worker is right under each answer. */
const ANSWERS: readonly (readonly [string, Partial<SilentSwitches>])[] = [
  ['objects have no updated_at', { updatedAt: 'null' }],
  ['times have whole seconds only', { timestamps: 'seconds' }],
  ['the feed is ordered by creation, ties as they fall', { feedOrder: 'created', feedTies: 'any' }],
  ['a cancelled appointment names no main resource', { cancelledResourceId: 'null' }],
];

// Worlds of their own, which mostly wait: three stand beside each other.
test.concurrent.for(rowsOf(ANSWERS, 3))(
  'P1, P3: a busy day ends the same when %s (case 18)',
  async ([_, switches], { onTestFinished }) => {
    const world = await startWorld({
      platform: {
        eventDelayMs: [0, 1_500],
        switches,
        delivery: { loseShare: 0.4, doubleShare: 0.2, delayMs: [0, 300] },
      },
    });
    onTestFinished(() => world.close());
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    const { dashboard } = world.platform;
    const { anna, boris, massage, projectId } = world.company;
    for (let round = 0; round < 12; round += 1) {
      const resourceId = round % 2 === 0 ? anna : boris;
      const moved = world.book({ hours: 24 + 4 * round, resourceId });
      const cancelled = world.book({ hours: 25 + 4 * round, resourceId });
      const marked = world.book({ hours: 26 + 4 * round, resourceId, serviceId: massage });
      const contact = dashboard.createContact({ projectId, name: `Contact ${round}` });
      await sleep(40);
      dashboard.reschedule(moved, {
        startsAt: slot(27 + 4 * round),
        resourceId: resourceId === anna ? boris : anna,
      });
      dashboard.cancel(cancelled);
      dashboard.changeContact(contact, { name: `Renamed ${round}` });
      if (round % 3 === 0) dashboard.markAppointment(marked, 'no_show');
    }
    await untilSame(world);
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status.dead_letters.count).toBe(0);
  },
);
