/** The YAML gives calendars to others while people's change of an event is not decided. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { CalendarMirror } from '../../src/engine/mirror.ts';
import {
  ANNA,
  BORIS,
  EditStands,
  type EditWorld,
  GRACE_MS,
  OTHER,
  ROOM,
  TUESDAY_10,
} from '../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const CARRIED = { moved: 'reschedule', deleted: 'cancel' } as const;
const mapped = (anna: string, boris: string): CalendarMirror['calendars'] => [
  { resource: 'Anna', calendarId: anna },
  { resource: 'Boris', calendarId: boris },
  { resource: 'Room', calendarId: ROOM },
];

async function begin() {
  const world = await stands.start(CARRIED);
  await world.adopt('a first run');
  const id = await world.bookWithEvent();
  world.forgetMails();
  return { world, id };
}

/** Turns for some minutes. */
async function pass(world: EditWorld, id: string): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
}

describe('P7, P2: an event that people dragged to a colleague while both get each other’s calendar', () => {
  test('stands where it then belongs, and nothing is cancelled, when only its absence is noticed first', async () => {
    const { world, id } = await begin();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    world.remap('staff', mapped(BORIS, ANNA));
    await world.sight(id);
    await world.reedit({}, id);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.mails()).toEqual([]);
  });

  test('nor when the request to give it to the colleague had no answer', async () => {
    const { world, id } = await begin();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    const lift = world.platform.sandbox.faults.add({
      method: 'POST',
      fault: { kind: 'status', status: 503 },
    });
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.turn(id);
    lift();
    world.remap('staff', mapped(BORIS, ANNA));
    await world.reedit({}, id);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.mails()).toEqual([]);
  });

  test('one that they deleted cancels, as before', async () => {
    const { world, id } = await begin();
    world.staff.remove(world.at(id));
    world.remap('staff', mapped(BORIS, ANNA));
    await world.sight(id);
    await world.reedit({}, id);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(world.events()).toEqual([]);
  });
});

test('P1: an event whose deletion was open when its calendar left the YAML is back when the calendar is', async () => {
  const { world, id } = await begin();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.turn(id);
  world.unname(ANNA);
  await pass(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([]);
  world.remap('staff', mapped(ANNA, BORIS));
  await world.reedit({}, id);
  await pass(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  // Deleted again, it is a deletion.
  world.staff.remove(world.at(id));
  await world.sight(id);
  await pass(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('P1: the same where its person had another calendar meanwhile', async () => {
  const { world, id } = await begin();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.turn(id);
  world.remap('staff', mapped(OTHER, BORIS));
  await world.reedit({}, id);
  await pass(world, id);
  expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
  world.remap('staff', mapped(ANNA, BORIS));
  await world.reedit({}, id);
  await pass(world, id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
});
