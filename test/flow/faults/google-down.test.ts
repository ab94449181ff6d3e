import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences } from '../../stand/judge.ts';
import { rowsOf } from '../../stand/runs.ts';
import { startWorld } from '../../stand/world.ts';

/**
 * An hour in short: long enough for the breaker of every target to open, with so few attempts (6 instead of 40) that every key would be
 * a dead letter if each of its turns counted. What is left out is more of the same: a target that has rested for half a minute is a
 * standing problem, is asked once in 15 s, and costs no attempt (test/google/breaker.test.ts).
 */
const OUTAGE_MS = 9_000;

// Worlds of their own, which mostly wait: they stand beside each other.
test.concurrent.for(
  rowsOf(
    [
      [
        'answers 503 or breaks the connection off',
        [{ share: 0.5, fault: { kind: 'status', status: 503 } }, { fault: { kind: 'reset' } }],
      ],
      ['performs what it is asked and loses every answer', [{ fault: { kind: 'commit-then-reset' } }]],
    ] as const,
    2,
  ),
)(
  'P1, P2: Google %s for long: nothing becomes a dead letter, and all of it is written once when it is back (cases 33, 35, 70)',
  async ([_, faults], { onTestFinished }) => {
    const world = await startWorld({
      rewrite: (yaml) => yaml.replace('worker: {', 'worker: { attempts: 6,'),
    });
    onTestFinished(() => world.close());
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    await bustle(world, { rounds: 3 });
    for (const rule of faults) world.google.faults.add({ ...rule });
    await bustle(world, { rounds: 4, from: 20 });
    await sleep(OUTAGE_MS);
    const during = await world.status(url);
    expect(during).toMatchObject({ idle: false, dead_letters: { count: 0 } });
    world.google.faults.clear();
    const status = await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status).toMatchObject({ dead_letters: { count: 0 }, problems: [] });
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  },
);
