/** The platform's own time goes back: two of its hosts disagree, or a backup is restored. Whoever asks for the object gets it as it is. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, EditStands, type EditWorld, TUESDAY_10, TUESDAY_12, TUESDAY_14 } from '../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const HOUR_MS = 3_600_000;

/** The mirror shows noon; the platform has it at two, with an older `updated_at`. */
async function begin(): Promise<{ readonly world: EditWorld; readonly id: string }> {
  const world = await stands.start();
  const id = await world.bookWithEvent();
  const nowMs = world.clock.now();
  world.clock.advance(HOUR_MS);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
  await world.hear(id);
  await world.settle(id);
  world.clock.freeze(nowMs + 1_000);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
  return { world, id };
}

const key = (id: string) => ({ kind: 'appointment', id }) as const;
const ASKS: Readonly<Record<string, (world: EditWorld, id: string) => Promise<unknown>>> = {
  'a replay': ({ store }, id) => store.dirtyMarks.markDirty([key(id)], { read: true }),
  'an audit that mends': async ({ store }, id) => {
    await store.dirtyMarks.doubt([key(id)], 'staff');
    await store.dirtyMarks.markDirty([key(id)], { read: true });
  },
  'an audit that takes away': ({ store }, id) => store.dirtyMarks.release([key(id)], 'staff'),
};

test.each(Object.keys(ASKS))('P3: %s settles it by one read', async (by) => {
  const { world, id } = await begin();
  await ASKS[by]?.(world, id);
  await world.settle(id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
  expect(await world.isDirty(id)).toBe(false);
});

test('P3: an event that comes late is no such question, and nothing goes back', async () => {
  const world = await stands.start();
  const id = await world.bookWithEvent();
  const old = structuredClone(world.appointment(id));
  world.clock.advance(HOUR_MS);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
  await world.hear(id);
  await world.settle(id);
  await world.hear(id, old);
  await world.settle(id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  expect(world.events()).not.toContain(`${ANNA} ${TUESDAY_10}`);
});

test('P3: what is seen while the answer is on its way counts, and the object is read once more', async () => {
  const { world, id } = await begin();
  await world.store.dirtyMarks.markDirty([key(id)], { read: true });
  const { work } = world.store;
  const claim = await work.claim(key(id));
  const found = structuredClone(world.appointment(id)) as never;
  world.clock.advance(2 * HOUR_MS);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_10 });
  await world.hear(id);
  if (claim !== undefined) await work.refresh(claim, { found });
  await world.settle(id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});
