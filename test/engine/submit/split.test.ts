// Two workers whose Redis was split: each has the requests from before the split, and not those of the other.
import { afterAll, afterEach, expect, test } from 'vitest';
import { openTestStore } from '../../stand/store.ts';
import { appointmentOf, type Ground, ORIGIN, PushStands, type PushWorld, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
const closers: (() => void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await stands.closeWorlds();
});
afterAll(() => stands.close());

/** What the other side stands on: the same platform, and another Redis with the same seed. */
async function otherSide(world: PushWorld): Promise<Ground> {
  const { store, ground } = world;
  const path = store.redis.options as { path?: string };
  const other = openTestStore(`unix://${path.path}`);
  await other.ready();
  closers.push(() => other.close());
  for (const each of [store, other]) await each.memory.set('seed', 'of both');
  return { ...ground, intents: other.intents, leases: other.leases };
}

/** Nobody is named: the platform takes whoever has time, so a second request would succeed too. */
const ANYBODY = { resourceId: undefined as never };

test('a wish that both sides send at once becomes one appointment', async () => {
  const world = await stands.start();
  const other = await otherSide(world);
  let second: Promise<unknown> = Promise.resolve();
  const first: Ground = {
    ...world.ground,
    writer: {
      ...boundTo(world.ground.writer),
      // Both have looked for the appointment and found none.
      async create(request) {
        second = world.submitter(other).submit(ORIGIN, world.book(ANYBODY));
        await second;
        return world.ground.writer.create(request);
      },
    },
  };
  const made = appointmentOf(await world.submitter(first).submit(ORIGIN, world.book(ANYBODY)));
  expect(world.live().map(({ id }) => id)).toEqual([made.id]);
  expect(await second).toMatchObject({ outcome: 'done', appointment: { id: made.id } });
});

test('an answer of the other side whose appointment was cancelled since does not count', async () => {
  const world = await stands.start();
  const other = await otherSide(world);
  const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  world.dashboard.cancel(made.id);
  const again = appointmentOf(await world.submitter(other).submit(ORIGIN, world.book()));
  expect(world.live().map(({ id }) => id)).toEqual([again.id]);
});

test('a refusal of the other side is not repeated when the time is free by now', async () => {
  const world = await stands.start();
  const other = await otherSide(world);
  const taken = appointmentOf(await world.submitter().submit('calendar x event2', world.book()));
  expect(await world.submitter().submit(ORIGIN, world.book())).toMatchObject({ outcome: 'refused' });
  world.dashboard.cancel(taken.id);
  const made = appointmentOf(await world.submitter(other).submit(ORIGIN, world.book()));
  expect(world.live().map(({ id }) => id)).toEqual([made.id]);
});

test('a move that the other side made, and staff took back since, is made again', async () => {
  const world = await stands.start();
  const other = await otherSide(world);
  const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  const move = world.move(made.id, TUESDAY_12);
  const origin = 'appointment/edit';
  await world.submitter().submit(origin, move);
  world.dashboard.reschedule(made.id, { startsAt: String(made['starts_at']) });
  const moved = appointmentOf(await world.submitter(other).submit(origin, move));
  expect(Date.parse(String(moved['starts_at']))).toBe(Date.parse(TUESDAY_12));
  expect(world.live().map(({ starts_at }) => Date.parse(String(starts_at)))).toEqual([
    Date.parse(TUESDAY_12),
  ]);
});

test('another wish of the same generation has another key', async () => {
  const world = await stands.start();
  const other = await otherSide(world);
  const keys: string[] = [];
  const keeping = (ground: Ground): Ground => ({
    ...ground,
    writer: {
      ...boundTo(ground.writer),
      create: (request) => {
        keys.push(request.idempotencyKey);
        return ground.writer.create(request);
      },
    },
  });
  await world.submitter(keeping(world.ground)).submit(ORIGIN, world.book());
  world.dashboard.cancel(String(world.live()[0]?.['id']));
  await world.submitter(keeping(other)).submit(ORIGIN, world.book({ comment: 'another wish' }));
  expect(new Set(keys).size).toBe(2);
});

function boundTo(writer: Ground['writer']): Ground['writer'] {
  return {
    timeoutMs: writer.timeoutMs,
    create: (request) => writer.create(request),
    reschedule: (id, request) => writer.reschedule(id, request),
    cancel: (id, request) => writer.cancel(id, request),
    get: (id) => writer.get(id),
    list: (filters, after) => writer.list(filters, after),
    slots: (search) => writer.slots(search),
  };
}
