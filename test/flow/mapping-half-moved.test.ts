/** The YAML gives a person another calendar, and the worker gets half way with the event. People touch it, and the YAML changes again. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { CalendarMirror } from '../../src/engine/mirror.ts';
import { Death, withCalls } from '../stand/doom.ts';
import {
  ANNA,
  BORIS,
  EditStands,
  type EditWorld,
  GRACE_MS,
  OTHER,
  ROOM,
  TUESDAY_10,
  TUESDAY_12,
} from '../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const mapped = (anna: string, boris: string): CalendarMirror['calendars'] => [
  { resource: 'Anna', calendarId: anna },
  { resource: 'Boris', calendarId: boris },
  { resource: 'Room', calendarId: ROOM },
];

async function begin() {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  await world.adopt('a first run');
  const id = await world.bookWithEvent();
  world.forgetMails();
  return { world, id };
}

async function edit(world: EditWorld, id: string, calendars: CalendarMirror['calendars']): Promise<void> {
  world.remap('staff', calendars);
  await world.reedit({}, id);
  await world.turn(id);
}

/** As `edit`, while Google does not answer such calls. */
async function editWithout(
  world: EditWorld,
  id: string,
  { calendars, ...calls }: { calendars: CalendarMirror['calendars']; method: string; path?: RegExp },
): Promise<void> {
  const lift = world.google.faults.add({ ...calls, fault: { kind: 'status', status: 503 } });
  await edit(world, id, calendars);
  lift();
}

/** Turns for some minutes. */
async function pass(world: EditWorld, id: string): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
}

test('P7: an event that never came to the new calendar was not dragged back: its appointment stays with its person', async () => {
  const { world, id } = await begin();
  world.staff.addReminder({ ...world.at(id), minutes: 5 });
  await world.sight(id);
  await world.settle(id);
  await editWithout(world, id, { calendars: mapped(OTHER, BORIS), method: 'POST', path: /\/move/ });
  world.staff.addReminder({ ...world.at(id), minutes: 7 });
  world.remap('staff', mapped(BORIS, ANNA));
  await world.sight(id);
  await world.reedit({}, id);
  await pass(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  expect(world.description(id, BORIS)).not.toContain('Not');
  expect(world.mails()).toEqual([]);
});

describe.each([
  ['that the YAML has dropped', BORIS],
  ['that is somebody else’s now', ANNA],
])('P3: an event that is still in the former calendar, %s', (_, boris) => {
  const beginThere = async () => {
    const { world, id } = await begin();
    await editWithout(world, id, { calendars: mapped(OTHER, boris), method: 'DELETE' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${OTHER} ${TUESDAY_10}`]);
    return { world, id };
  };
  const sight = (world: EditWorld, id: string) => (boris === ANNA ? world.sight(id) : undefined);

  test('was moved to no other calendar by somebody who only recolours it', async () => {
    const { world, id } = await beginThere();
    world.staff.recolour({ ...world.at(id), colorId: '5' });
    await sight(world, id);
    await pass(world, id);
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
    expect(world.description(id, OTHER)).not.toContain('Not');
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  });

  test('moves its appointment when it is dragged to another hour', async () => {
    const { world, id } = await beginThere();
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await sight(world, id);
    await pass(world, id);
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_12}`]);
    expect(world.description(id, OTHER)).not.toContain('Not');
    expect(world.appointment(id)).toMatchObject({
      ...{ status: 'confirmed', resource_id: world.platform.annaId, starts_at: TUESDAY_12 },
    });
  });
});

test('P1: an event that people dragged to a colleague follows to his new calendar, though the worker had not written it there yet', async () => {
  const { world, id } = await begin();
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
  await world.sight(id);
  await world.sight(id, BORIS);
  const dead = withCalls({ api: world.ground.api }, async () => {
    throw new Death();
  });
  await world.turn(id, { ...world.ground, ...dead });
  expect(world.appointment(id)).not.toMatchObject({ resource_id: world.platform.annaId });
  await edit(world, id, mapped(ANNA, OTHER));
  await pass(world, id);
  expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
});
