import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import { afterEach, expect, test } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { rowsOf } from '../../stand/runs.ts';
import { startWorld, type World } from '../../stand/world.ts';

/** Those that bear on mirroring and are not in test/flow/switches.test.ts; the rest concerns bookings (test/engine) and endpoints. */
const OTHERS: Partial<SilentSwitches> = {
  unknownPath: 'forbidden',
  unknownCursor: 'validation',
  feedWhileDisabled: 'recorded',
  feedFilter: 'todays-subscription',
  feedUnreadableGroups: 'forbidden',
  companyWideEndpoint: 'every-key',
  wildcard: 'beside-others',
  mergeAppointments: 'contact-null',
};

let world: World;
afterEach(() => world.close());

test.each(
  rowsOf(
    [
      ['each of the other silent places is answered the other way', OTHERS],
      [
        'every one of them at once, the order of the feed included',
        {
          ...OTHERS,
          unknownPath: 'not-found',
          timestamps: 'seconds',
          feedOrder: 'created',
          feedTies: 'any',
          cancelledResourceId: 'null',
          updatedAt: 'null',
        },
      ],
    ] as const satisfies readonly (readonly [string, Partial<SilentSwitches>])[],
    2,
  ),
)(
  'P1, P3: a busy day with lost, doubled and late webhooks and a restart ends the same when %s (case 18)',
  async (_, switches) => {
    world = await startWorld({
      platform: {
        eventDelayMs: [0, 1_000],
        switches,
        delivery: { loseShare: 0.4, doubleShare: 0.2, delayMs: [0, 300] },
      },
    });
    const port = await world.door();
    await world.subscribe(port);
    const worker = await world.startWorker(port);
    await bustle(world, { rounds: 5 });
    await world.stopWorker(worker);
    const { dashboard } = world.platform;
    const { projectId } = world.company;
    const survivor = dashboard.createContact({ projectId, name: 'Survivor', phone: '+74950002201' });
    dashboard.changeContact(survivor, { name: 'Survivor, renamed' });
    await bustle(world, { rounds: 4, from: 20 });
    const { url } = await world.startWorker(port);
    await untilSame(world);
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status.dead_letters.count).toBe(0);
  },
);
