import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterEach, expect, test, vi } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { atLength, rowsOf } from '../../stand/runs.ts';
import { startWorld, type World } from '../../stand/world.ts';

const HOUR = 3_600_000;

let world: World;
afterEach(() => world.close());

/** The platform's clock is the worker's as well; Google's and Redis' stand where they are. */
async function begin(webhook: string, feedWhileDisabled: 'skipped' | 'recorded') {
  const clock = new SandboxClock();
  world = await startWorld({
    clock,
    webhook,
    platform: { clock, switches: { feedWhileDisabled }, delivery: { retryDelaysMs: [HOUR] } },
  });
  const port = await world.door();
  const endpointId = await world.subscribe(port);
  const worker = await world.startWorker(port);
  await bustle(world, { rounds: 3 });
  await untilSame(world);
  return { clock, port, endpointId, worker };
}

/** On the clock of this world. */
async function untilIdle(url: string) {
  const since = world.platform.clock.now();
  return vi.waitFor(
    async () => {
      const status = await world.status(url);
      const covered = Date.parse(status.coverage.feed.covered_until ?? '1970');
      if (!status.idle || covered < since) throw new Error(`not idle: ${status.not_idle_because.join('; ')}`);
      return status;
    },
    { timeout: PATIENCE_MS, interval: 100 },
  );
}

test.each(rowsOf(['skipped', 'recorded'] as const, 2))(
  'P1, P8: the worker is away for three days, the endpoint is disabled as failing, what happens then is never sent (feed: %s): enabled again, all of it is found (case 11)',
  async (feedWhileDisabled) => {
    const { clock, port, worker } = await begin(', reenable: true', feedWhileDisabled);
    await world.stopWorker(worker);
    await bustle(world, { rounds: 2, from: 20 });
    // An answer is missing from the first failure on: that is when the 72 hours begin. What is tried again has failed.
    await vi.waitFor(
      () => {
        const { webhookAttempts } = world.platform.stats();
        clock.advance(HOUR);
        expect(world.platform.stats().webhookAttempts).toBeGreaterThan(webhookAttempts);
      },
      { timeout: PATIENCE_MS, interval: 500 },
    );
    clock.advance(73 * HOUR);
    expect(world.platform.truth.endpoints()).toMatchObject([
      { status: 'disabled', disabled_reason: 'failing' },
    ]);
    await bustle(world, { rounds: 2, from: 40 });
    const { url } = await world.startWorker(port);
    const status = await untilIdle(url);
    expect(differences(world)).toEqual([]);
    expect(status).toMatchObject({ holes: [], dead_letters: { count: 0 } });
    expect(world.platform.truth.endpoints()).toMatchObject([{ status: 'enabled' }]);
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
    // And it is heard again.
    await bustle(world, { rounds: 1, from: 60 });
    await untilSame(world);
  },
);

atLength.test(
  'P8: somebody disables the endpoint under a running worker: it is told, stays a hole for three days, and is read again when somebody enables it (case 11)',
  async () => {
    const { clock, endpointId, worker } = await begin(', check_every: 1s', 'skipped');
    world.platform.dashboard.disableEndpoint(endpointId);
    await bustle(world, { rounds: 2, from: 20 });
    const cause = async () => (await world.status(worker.url)).holes.map((hole) => hole.cause);
    await vi.waitFor(async () => expect(await cause()).toEqual(['endpoint-disabled']), {
      timeout: PATIENCE_MS,
    });
    clock.advance(72 * HOUR);
    await bustle(world, { rounds: 2, from: 40 });
    const status = await world.status(worker.url);
    expect(status).toMatchObject({ idle: false, holes: [{ cause: 'endpoint-disabled', to: null }] });
    expect(status.problems.map((problem) => problem.code)).toEqual(['endpoint-disabled']);
    expect(differences(world).length).toBeGreaterThan(0);
    world.platform.dashboard.enableEndpoint(endpointId);
    await untilSame(world);
    expect(await untilIdle(worker.url)).toMatchObject({ holes: [], problems: [] });
  },
);
