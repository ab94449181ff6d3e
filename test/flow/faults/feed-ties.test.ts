import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterEach, expect, test } from 'vitest';
import { differences, untilSame } from '../../stand/judge.ts';
import { rowsOf } from '../../stand/runs.ts';
import { slot, startWorld, type World } from '../../stand/world.ts';

let world: World;
afterEach(() => world.close());

test.each(rowsOf([1, 2], 2))(
  'P1, P3: hundreds of events of one and the same moment, over many pages, in an order of chance that new ones join anywhere: the feed alone brings all of them (case 4, luck %i)',
  async (seed) => {
    const clock = new SandboxClock();
    world = await startWorld({
      platform: {
        clock,
        seed,
        switches: { feedOrder: 'created', feedTies: 'any', timestamps: 'seconds' },
        delivery: { loseShare: 1 },
      },
    });
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    await world.untilIdle(url);
    clock.freeze();
    const { dashboard } = world.platform;
    const { projectId, boris } = world.company;
    // Three walks, each of which finds what has come in between above, below and among what it has seen.
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 50; at += 1) {
        const id = dashboard.createContact({ projectId, name: `Contact ${round} ${at}` });
        dashboard.changeContact(id, { name: `Renamed ${round} ${at}` });
      }
      const appointments = Array.from({ length: 5 }, (_, at) => world.book({ hours: 24 + 10 * round + at }));
      dashboard.reschedule(appointments[0] ?? '', { startsAt: slot(100 + round), resourceId: boris });
      dashboard.cancel(appointments[1] ?? '');
      await untilSame(world);
    }
    clock.thaw();
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status).toMatchObject({ holes: [], dead_letters: { count: 0 } });
  },
);
