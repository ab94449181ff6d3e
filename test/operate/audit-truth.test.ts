import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Difference } from '../../src/engine/finding.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { startWorld, type World } from '../stand/world.ts';

const DAY = 24 * 3_600_000;

let world: World;
let port: number;

beforeEach(async () => {
  world = await startWorld();
  port = await world.door();
  await world.subscribe(port);
});
afterEach(() => world.close());

/** Starts a worker, lets it mirror what there is, and stops it. */
async function mirrorAll(): Promise<void> {
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
}

/** Nothing has changed within the last seconds at that moment. */
async function audit(laterMs = 60_000) {
  const desk = await openSession(world.config(), { now: () => Date.now() + laterMs });
  try {
    const told: string[] = [];
    const tell = ({ what, why, mirror }: Difference) => told.push(`${mirror}: ${what}, ${why}`);
    const { unjudged } = await desk.audit({ tell, progress() {} });
    return { told: told.sort(), unjudged: [...unjudged.values()] };
  } finally {
    await desk.close();
  }
}

test('a contact that was deleted without a word is told, whatever the worker believes of it (case 21)', async () => {
  const { dashboard } = world.platform;
  const emma = dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  dashboard.createContact({ projectId: world.company.projectId, name: 'Olga' });
  await mirrorAll();
  world.platform.silently(() => dashboard.deleteContact(emma));
  expect(await audit()).toEqual({ told: ['contacts: orphaned, missed-event'], unjudged: [] });
});

test('the audit also reports unannounced changes in appointments that are older than all windows', async () => {
  const [kept, cancelled] = [world.book({ hours: 24 }), world.book({ hours: 30 })];
  await mirrorAll();
  world.platform.silently(() => world.platform.dashboard.cancel(cancelled));
  const { told } = await audit(40 * DAY);
  expect(kept).not.toBe(cancelled);
  expect(told).toContain('visits: stale, missed-event');
});

test('of what the key does not show, because its project left the key, nothing is concluded (case 17)', async () => {
  const { dashboard } = world.platform;
  const other = dashboard.createProject({ name: 'Elsewhere' });
  dashboard.createContact({ projectId: other, name: 'Olga' });
  world.book();
  await mirrorAll();
  world.platform.createKey({ key: world.apiKey, projectIds: [world.company.projectId] });
  expect(await audit()).toEqual({ told: [], unjudged: ['project-not-in-key'] });
});
