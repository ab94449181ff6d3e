import { afterEach, beforeEach, expect, test } from 'vitest';
import { parkedOrphans } from '../../src/engine/edit-guard.ts';
import type { Difference } from '../../src/engine/finding.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, BOOK, startWorld, type World } from '../stand/world.ts';

const PLACE = `calendar:${ANNA}`;
const TAB = `spreadsheet:${BOOK}/Contacts`;

let world: World;
let worker: RunningWorker;
let port: number;

beforeEach(async () => {
  world = await startWorld();
  port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
});
afterEach(() => world.close());

/** A minute later, when nothing is under way. */
const openLateDesk = () => openSession(world.config(), { now: () => Date.now() + 60_000 });

/** `slotbridge audit --fix <what>`, in this process. */
async function heal(what: Difference['what']) {
  const desk = await openLateDesk();
  try {
    const differences: Difference[] = [];
    const { standingIn } = await desk.audit({ tell: (each) => differences.push(each), progress() {} });
    const chosen = differences.filter((each) => each.what === what);
    return { found: chosen.length, ...(await desk.fixAll(chosen, standingIn)) };
  } finally {
    await desk.close();
  }
}

async function approve(place: string): Promise<void> {
  const desk = await openLateDesk();
  await desk.memory.set(`approved-orphans:${place}`, String(Date.now() + 3_600_000));
  await desk.close();
}

/** What whoever approves is told of the calendar. */
async function noted(): Promise<string | undefined> {
  const desk = await openLateDesk();
  const text = await desk.memory.get(parkedOrphans(PLACE));
  await desk.close();
  return text;
}

async function loseRedis(): Promise<void> {
  const store = openTestStore(world.redis.url);
  await store.ready();
  await store.redis.flushall();
  store.close();
}

/** The key is one for another project from now on, in which people have the same names. */
function swapKey(): void {
  const { dashboard } = world.platform;
  const projectId = dashboard.createProject({ name: 'Elsewhere' });
  const branchId = dashboard.createBranch({ projectId, name: 'North', timezone: 'Europe/Moscow' });
  for (const name of ['Anna Petrova', 'Boris Ivanov', 'Room 1']) dashboard.createResource({ branchId, name });
  world.platform.createKey({ key: world.apiKey, projectIds: [projectId] });
}

const contactRows = () =>
  world
    .rows('Contacts')
    .slice(1)
    .filter((cells) => cells[0] !== '' && cells[0] !== undefined);

test('after a loss of Redis, a key that does not show the appointments empties no calendar, and a person must approve (cases 17, 50)', async () => {
  for (let hours = 24; hours < 32; hours += 1) world.book({ hours });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  await loseRedis();
  swapKey();
  expect(await heal('orphaned')).toMatchObject({
    counts: { 'waits for a person': 8, nothing: 8 },
    parked: [PLACE],
  });
  expect(world.events(ANNA).length).toBe(8);
  await approve(PLACE);
  expect(await heal('orphaned')).toMatchObject({ counts: { 'taken away': 8, nothing: 8 }, parked: [] });
  expect(world.events(ANNA)).toEqual([]);
});

test('an event stays until a person approves if nothing proves that its appointment is gone from the platform', async () => {
  world.book();
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  await loseRedis();
  swapKey();
  expect(await heal('orphaned')).toMatchObject({ counts: { 'waits for a person': 1 }, parked: [PLACE] });
  expect(world.events(ANNA).length).toBe(1);
});

test('a contact whose row stands is not deleted because the key does not show it', async () => {
  world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  await loseRedis();
  swapKey();
  expect(await heal('orphaned')).toMatchObject({ counts: { 'waits for a person': 1 }, parked: [TAB] });
  expect(contactRows().length).toBe(1);
});

test('many events that the platform itself wants away wait for a person, a few do not (case 50)', async () => {
  const appointments = [24, 25, 26, 27, 28, 29, 30, 31, 32].map((hours) => world.book({ hours }));
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  world.platform.silently(() => {
    for (const appointment of appointments.slice(0, 3)) world.platform.dashboard.cancel(appointment);
  });
  expect(await heal('orphaned')).toMatchObject({ counts: { 'given a turn': 3 }, parked: [] });
  world.platform.silently(() => {
    for (const appointment of appointments.slice(3)) world.platform.dashboard.cancel(appointment);
  });
  // Three have their turn already.
  expect(await heal('orphaned')).toMatchObject({ counts: { 'waits for a person': 6 }, parked: [PLACE] });
  expect(JSON.parse((await noted()) ?? '')).toMatchObject({ count: 6 });
  await approve(PLACE);
  expect(await heal('orphaned')).toMatchObject({ counts: { 'given a turn': 6 }, parked: [] });
  expect(await noted()).toBeUndefined();
  worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  expect(world.events(ANNA)).toEqual([]);
});
