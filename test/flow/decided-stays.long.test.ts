/** What people did under one setting of `staff_edits` was decided then: an edit of the YAML carries none of it to the platform. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, BORIS, EditStands, type EditWorld, GRACE_MS, TUESDAY_12, TUESDAY_14 } from '../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

type Act = (world: EditWorld, id: string) => void;
const toHour =
  (hour: string): Act =>
  (world, id) =>
    world.staff.move({ ...world.at(id), start: hour });
const toBoris: Act = (world, id) => world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
const ACTS: Readonly<Record<string, Act>> = {
  'moved to another hour': toHour(TUESDAY_12),
  'dragged to a colleague': toBoris,
  'dragged to a colleague and another hour': (world, id) => {
    toHour(TUESDAY_12)(world, id);
    toBoris(world, id);
  },
  deleted: (world, id) => world.staff.remove(world.at(id)),
};
const LATER: Readonly<Record<string, Act>> = {
  'nothing else': () => undefined,
  'a colour': (world, id) => {
    const at =
      world.google.truth.event(BORIS, world.at(id).eventId)?.['status'] === 'confirmed' ? BORIS : ANNA;
    if (world.google.truth.event(at, world.at(id, at).eventId)?.['status'] === 'confirmed')
      world.staff.recolour({ ...world.at(id, at), colorId: '5' });
  },
  'a full list': (world) => {
    for (const calendarId of [ANNA, BORIS]) world.staff.purgeTombstones({ calendarId });
  },
};
const SETTINGS = [
  { moved: 'ignore', deleted: 'ignore' },
  { moved: 'ignore', deleted: 'restore' },
  { moved: 'revert', deleted: 'restore' },
  { moved: 'revert', deleted: 'ignore' },
] as const;

async function look(world: EditWorld, id: string): Promise<void> {
  for (let looks = 0; looks < 4; looks += 1) {
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
  }
}

const CASES = Object.keys(ACTS).flatMap((act) =>
  SETTINGS.flatMap((first) => Object.keys(LATER).map((later) => [act, first, later] as const)),
);

test.each(CASES)(
  'E61: %s under %o, then the YAML carries everything, then %s: the appointment stays',
  async (act, first, later) => {
    const world = await stands.start(first);
    const id = await world.bookWithEvent();
    const before = world.appointment(id);
    ACTS[act]?.(world, id);
    await look(world, id);
    expect(world.appointment(id)).toEqual(before);
    await world.reedit({ moved: 'reschedule', deleted: 'cancel' }, id);
    await world.settle(id);
    LATER[later]?.(world, id);
    await look(world, id);
    expect(world.appointment(id)).toMatchObject({
      ...{ status: 'confirmed', resource_id: world.platform.annaId },
      starts_at: before?.['starts_at'],
    });
    expect(await world.letters()).toEqual([]);
    // One event at most, and one where nobody deleted it.
    expect(world.events().length).toBeLessThanOrEqual(1);
    if (act !== 'deleted') expect(world.events()).toHaveLength(1);
  },
);

test('P4: what people do next is a wish by the new setting', async () => {
  const world = await stands.start({ moved: 'ignore', deleted: 'ignore' });
  const id = await world.bookWithEvent();
  toBoris(world, id);
  await look(world, id);
  await world.reedit({ moved: 'reschedule', deleted: 'cancel' }, id);
  await world.settle(id);
  world.staff.move({ ...world.at(id, BORIS), start: TUESDAY_12 });
  await look(world, id);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(Date.parse(String(world.appointment(id)?.['starts_at']))).toBe(Date.parse(TUESDAY_12));
});

test('P4: the same where only its hour was let be', async () => {
  const world = await stands.start({ moved: 'ignore', deleted: 'ignore' });
  const id = await world.bookWithEvent();
  toHour(TUESDAY_14)(world, id);
  await look(world, id);
  await world.reedit({ moved: 'reschedule' }, id);
  await world.settle(id);
  toHour(TUESDAY_12)(world, id);
  await look(world, id);
  expect(Date.parse(String(world.appointment(id)?.['starts_at']))).toBe(Date.parse(TUESDAY_12));
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
});
