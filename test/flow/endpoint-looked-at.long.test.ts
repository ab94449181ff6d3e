import { afterEach, expect, test, vi } from 'vitest';
import { FORMATION_MS } from '../../src/engine/coverage.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

test('P8: nothing is taken for covered of the time in which the endpoint was off, however seldom it is looked at by itself', async () => {
  world = await startWorld({
    webhook: ', check_every: 1h',
    formationMs: FORMATION_MS,
    platform: { switches: { feedWhileDisabled: 'skipped' } },
  });
  const port = await world.door();
  const endpointId = await world.subscribe(port);
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  world.platform.dashboard.disableEndpoint(endpointId);
  world.book();
  const bookedAt = Date.now();
  const status = await vi.waitFor(
    async () => {
      const found = await world.status(worker.url);
      expect(Date.parse(found.coverage.feed.covered_until ?? '1970')).toBeGreaterThan(bookedAt);
      return found;
    },
    { timeout: PATIENCE_MS, interval: 100 },
  );
  expect(status).toMatchObject({ idle: false, holes: [{ cause: 'endpoint-disabled', to: null }] });
  expect(Date.parse(status.holes[0]?.from ?? '')).toBeLessThan(bookedAt);
  world.platform.dashboard.enableEndpoint(endpointId);
  await world.untilIdle(worker.url);
  expect(world.rows('Visits').filter((cells) => cells[0] !== undefined && cells[0] !== '').length).toBe(2);
});
