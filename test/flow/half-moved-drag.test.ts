/** The worker moves an event, and does not come to write it there. Meanwhile people drag it. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, BORIS, EditStands, type EditWorld, GRACE_MS, TUESDAY_10 } from '../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function pass(world: EditWorld, id: string): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
}

async function halfMoved() {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  await world.adopt('a first run');
  const id = await world.bookWithEvent();
  world.staff.addReminder({ ...world.at(id), minutes: 5 });
  await world.sight(id);
  await world.settle(id);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId, notify: false });
  await world.hear(id);
  const lift = world.google.faults.add({ method: 'PATCH', fault: { kind: 'status', status: 503 } });
  await world.turn(id);
  lift();
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
  return { world, id };
}

test('P1: an event that the worker has only moved is followed when people drag it back', async () => {
  const { world, id } = await halfMoved();
  world.staff.moveToCalendar({ ...world.at(id, BORIS), to: ANNA });
  await world.sight(id, BORIS);
  await world.sight(id, ANNA);
  await pass(world, id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
});

test('P1: an event that people drag away and back, each time sighted, stays with Anna', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  await world.adopt('a first run');
  const id = await world.bookWithEvent();
  for (let n = 0; n < 3; n += 1) {
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
    world.staff.moveToCalendar({ ...world.at(id, BORIS), to: ANNA });
    await world.sight(id, BORIS);
    await world.sight(id);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  }
});
