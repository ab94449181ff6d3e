import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Act } from '../../src/engine/role.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: RunningWorker;
let config: string;

beforeAll(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
  config = world.writeConfig(port);
  world.book();
  await world.untilIdle(worker.url);
});
afterAll(() => world.close());

async function slotbridge(...args: string[]) {
  return runHere([...args, '--config', config]);
}

test('cursor tells of the feed and every watched calendar up to when it was read, and that there is no hole', async () => {
  const { code, stdout } = await slotbridge('cursor');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^feed: read up to .* UTC, proved .* ago$/m);
  expect(stdout).toMatch(new RegExp(`^calendar ${ANNA}: read up to .*, proved .* ago$`, 'm'));
  expect(stdout).toMatch(/^holes: none$/m);
  expect(stdout).toMatch(/^resync: none open; the last one read \d+ objects?$/m);
});

test('a hole stands there with its cause until its resync has ended, and a reset of the feed makes one', async () => {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const foundAtMs = Date.now();
  const open = { source: 'feed', fromMs: foundAtMs - 60_000, toMs: undefined, foundAtMs } as const;
  await store.coverage.putHole({ id: 'of-a-test', cause: 'endpoint-disabled', ...open });
  const { stdout } = await slotbridge('cursor', 'show');
  expect(stdout).toMatch(/of-a-test: endpoint-disabled, .* to now, still growing, found/);
  await store.coverage.removeHole('of-a-test');
  store.close();
  // Known here, and forgotten: only a reading of everything brings it back.
  expect((await slotbridge('cursor', 'reset', 'feed')).stdout).toContain('reads all lists');
  await vi.waitFor(async () => {
    const told = JSON.parse((await slotbridge('cursor', '--json')).stdout) as {
      holes: unknown[];
      resync: { ended?: { holes: string[] } };
    };
    expect(told.holes).toEqual([]);
    expect(told.resync.ended?.holes[0]).toMatch(/^operator-reset-/);
  }, 60_000);
});

test('a calendar that is reset is listed in full again', async () => {
  const listed = async () => {
    const told = JSON.parse((await slotbridge('cursor', '--json')).stdout) as {
      calendars: { calendar: string; listedAtMs?: number }[];
    };
    return told.calendars.find(({ calendar }) => calendar === ANNA)?.listedAtMs ?? 0;
  };
  const before = await listed();
  expect((await slotbridge('cursor', 'reset', ANNA)).code).toBe(0);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const cursor = await store.calendars.read(ANNA);
  store.close();
  expect(cursor.open?.isFull === true || (await listed()) > before).toBe(true);
  expect((await slotbridge('cursor', 'reset', 'nobody')).stderr).toContain('source-unknown');
  const { acts } = JSON.parse((await slotbridge('acts', '--json')).stdout) as { acts: readonly Act[] };
  const resets = acts.map(({ what, about, done }) => [what, about['source'], done]);
  expect(resets).toEqual([
    ['cursor-reset', 'nobody', undefined],
    ['cursor-reset', ANNA, 1],
    ['cursor-reset', 'feed', 1],
  ]);
});

test('status --check ends with 0 while nobody is needed, and with 1 when somebody is', async () => {
  await world.untilIdle(worker.url);
  expect((await slotbridge('status', '--check')).code).toBe(0);
  await world.stopWorker(worker);
  const { code, stdout } = await slotbridge('status', '--check');
  expect([code, stdout]).toEqual([1, expect.stringContaining('the worker is not running')]);
  expect((await slotbridge('status')).code).toBe(0);
});
