/** Redis is put back to a backup: what the worker itself did since then is no wish of people (P3, P7). */
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import {
  ANNA,
  BORIS,
  EditStands,
  type EditWorld,
  GRACE_MS,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/edits.ts';
import { untilSame } from '../stand/judge.ts';
import { startMortalRedis } from '../stand/mortal-redis.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { rowsOf } from '../stand/runs.ts';
import { backupOf } from '../stand/store.ts';
import { MIRRORS, slot, startWorld } from '../stand/world.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const CARRIED = { moved: 'reschedule', deleted: 'cancel', notifyCustomer: true } as const;
const FIRST = ['the calendars', 'the feed', 'the marked events'] as const;
type First = (typeof FIRST)[number];

async function backup(world: EditWorld): Promise<() => Promise<void>> {
  const { store, clock } = world;
  const fromMs = clock.now();
  const putBack = await backupOf(store.redis);
  return async () => {
    await putBack();
    world.forgotten = { fromMs, untilMs: clock.now() };
  };
}

interface Change {
  readonly id: string;
  readonly startsAt: string;
  readonly resourceId: string;
}

/** A minute passes, and the worker has heard of it. */
async function heard(world: EditWorld, { id, ...change }: Change): Promise<void> {
  world.clock.advance(60_000);
  world.dashboard.reschedule(id, change);
  await world.hear(id);
  await world.settle(id);
}

/** The same, and no worker hears of it. */
function unheard(world: EditWorld, { id, ...change }: Change): void {
  world.clock.advance(60_000);
  world.dashboard.reschedule(id, change);
  world.clock.advance(60_000);
  world.forgetMails();
}

async function catchUp(world: EditWorld, id: string, first: First): Promise<void> {
  if (first === 'the feed') await world.hear(id);
  if (first === 'the marked events') await world.adopt('a second run', { isInPart: true });
  for (const calendarId of [ANNA, BORIS]) await world.sight(id, calendarId);
  await world.adopt('a second run', { isInPart: true });
  await world.hear(id);
  for (let round = 0; round < 3; round += 1) {
    for (const calendarId of [ANNA, BORIS]) await world.sight(id, calendarId);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle(id);
}

/** As the platform has it, and nobody was mailed. */
function standsAt(world: EditWorld, id: string, startsAt: string): void {
  const { annaId } = world.platform;
  expect(world.appointment(id)).toMatchObject({
    status: 'confirmed',
    resource_id: annaId,
    starts_at: startsAt,
  });
  expect(world.events()).toEqual([`${ANNA} ${startsAt}`]);
  expect(world.mails()).toEqual([]);
}

/** A colleague without a calendar has the appointment for a while. */
async function givenAwayAndBack(deleted: 'cancel' | 'ignore') {
  const world = await stands.start({ ...CARRIED, deleted });
  const { annaId, branchId, projectId } = world.platform;
  const dora = world.dashboard.createResource({ branchId, name: 'Dora' });
  const styling = { projectId, name: 'Styling', resourceIds: [annaId, dora] };
  const id = await world.bookWithEvent({ serviceId: world.dashboard.createService(styling) });
  const putBack = await backup(world);
  await heard(world, { id, startsAt: TUESDAY_10, resourceId: dora });
  expect(world.events()).toEqual([]);
  unheard(world, { id, startsAt: TUESDAY_10, resourceId: annaId });
  await putBack();
  return { world, id };
}

describe('E65: an event that the worker removed since', () => {
  test.each(rowsOf(FIRST, 2))('cancels nothing and comes back, where %s tell first', async (first) => {
    const { world, id } = await givenAwayAndBack('cancel');
    await catchUp(world, id, first);
    standsAt(world, id, TUESDAY_10);
    expect(world.description(id)).toContain('moved in the booking system in the meantime');
  });

  test('comes back where deletions are let be', async () => {
    const { world, id } = await givenAwayAndBack('ignore');
    await catchUp(world, id, 'the calendars');
    standsAt(world, id, TUESDAY_10);
  });

  test('is told from one that people deleted since', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.clock.advance(600_000);
    const putBack = await backup(world);
    world.clock.advance(60_000);
    world.staff.remove(world.at(id));
    world.clock.advance(60_000);
    await putBack();
    await catchUp(world, id, 'the calendars');
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });

  test('is told from one that people deleted after the worker had moved it', async () => {
    const world = await stands.start(CARRIED);
    const { annaId } = world.platform;
    const id = await world.bookWithEvent();
    const putBack = await backup(world);
    await heard(world, { id, startsAt: TUESDAY_14, resourceId: annaId });
    world.clock.advance(120_000);
    world.staff.remove(world.at(id));
    world.clock.advance(60_000);
    await putBack();
    await catchUp(world, id, 'the calendars');
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('E65: an event that the worker moved since', () => {
  test.each(rowsOf(['platform', 'latest', 'staff'] as const, 2))(
    'moves no appointment that the platform moved back (conflict: %s)',
    async (conflict) => {
      const world = await stands.start({ ...CARRIED, conflict });
      const { annaId } = world.platform;
      const id = await world.bookWithEvent();
      const putBack = await backup(world);
      await heard(world, { id, startsAt: TUESDAY_14, resourceId: annaId });
      unheard(world, { id, startsAt: TUESDAY_10, resourceId: annaId });
      await putBack();
      await catchUp(world, id, 'the calendars');
      standsAt(world, id, TUESDAY_10);
    },
  );

  test('moves no appointment that the platform moved on, where staff win', async () => {
    const world = await stands.start({ ...CARRIED, conflict: 'staff' });
    const { annaId } = world.platform;
    const id = await world.bookWithEvent();
    const putBack = await backup(world);
    await heard(world, { id, startsAt: TUESDAY_14, resourceId: annaId });
    unheard(world, { id, startsAt: TUESDAY_12, resourceId: annaId });
    await putBack();
    await catchUp(world, id, 'the calendars');
    standsAt(world, id, TUESDAY_12);
  });

  test('is told from one that people dragged since, and back', async () => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    world.clock.advance(60_000);
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    world.clock.advance(600_000);
    const putBack = await backup(world);
    world.clock.advance(60_000);
    world.staff.move({ ...world.at(id), start: TUESDAY_10 });
    world.clock.advance(60_000);
    await putBack();
    await catchUp(world, id, 'the calendars');
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  });
});

describe('E65: after a restart of Redis that lost nothing', () => {
  async function draggedAndCarried(): Promise<{ readonly world: EditWorld; readonly id: string }> {
    const world = await stands.start({ ...CARRIED, conflict: 'platform' });
    const id = await world.bookWithEvent();
    const fromMs = world.clock.now();
    world.clock.advance(60_000);
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    world.clock.advance(60_000);
    world.forgotten = { fromMs, untilMs: world.clock.now() + 60_000 };
    return { world, id };
  }

  test('an event is dragged on from where it was carried', async () => {
    const { world, id } = await draggedAndCarried();
    world.staff.move({ ...world.at(id), start: TUESDAY_14 });
    await catchUp(world, id, 'the calendars');
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
  });

  test('an event is deleted where it was carried', async () => {
    const { world, id } = await draggedAndCarried();
    world.clock.advance(30_000);
    world.staff.remove(world.at(id));
    await catchUp(world, id, 'the calendars');
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });
});

test.each(rowsOf([TUESDAY_10, TUESDAY_14], 1))(
  'E65: an event whose texts the worker wrote since says nothing about it (at %s)',
  async (startsAt) => {
    const world = await stands.start(CARRIED);
    const id = await world.bookWithEvent();
    const putBack = await backup(world);
    world.clock.advance(60_000);
    world.dashboard.reschedule(id, { startsAt, resourceId: world.platform.annaId });
    const told = { ...world.appointment(id), customer_name: 'Vera Stein' };
    await world.hear(id, { ...told, updated_at: new Date(world.clock.now()).toISOString() });
    await world.settle(id);
    world.clock.advance(60_000);
    await putBack();
    await catchUp(world, id, 'the calendars');
    expect(world.events()).toEqual([`${ANNA} ${startsAt}`]);
    expect(world.description(id)).toBe('+74950001101');
  },
);

test('E65: a worker whose Redis is put back under it cancels no appointment by an event that it removed itself', async () => {
  const redis = await startMortalRedis();
  const edits = 'staff_edits: { moved: reschedule, deleted: cancel, grace: 1s, notify_customer: true }';
  const mirrors = MIRRORS.replace('    event:\n', `    ${edits}\n    event:\n`);
  const world = await startWorld({ redis, mirrors, watch: '{ every: 5s, settle: 100ms }' });
  try {
    const { dashboard } = world.platform;
    const { anna, branchId, projectId } = world.company;
    const dora = dashboard.createResource({ branchId, name: 'Dora' });
    const styling = dashboard.createService({ projectId, name: 'Styling', resourceIds: [anna, dora] });
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    const id = world.book({ hours: 30, serviceId: styling });
    await untilSame(world);
    await world.untilIdle(url);
    const from = redis.copyDisk();
    dashboard.reschedule(id, { startsAt: slot(30), resourceId: dora });
    await vi.waitFor(() => expect(world.events(ANNA)).toEqual([]), { timeout: PATIENCE_MS });
    await world.untilIdle(url);
    await redis.kill();
    dashboard.reschedule(id, { startsAt: slot(30), resourceId: anna });
    await redis.revive({ from });
    await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(1), { timeout: PATIENCE_MS });
    await world.untilIdle(url);
    expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: anna });
    expect(world.events(ANNA)).toHaveLength(1);
  } finally {
    await world.close();
  }
});
