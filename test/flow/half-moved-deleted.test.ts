/** The worker gets half way with moving an event to its new calendar, and people delete it: that counts as it would without the move (P1, P7). */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { CalendarMirror, StaffEdits } from '../../src/engine/mirror.ts';
import { inheritLinks, type LinkedMirror } from '../../src/operate/mapping-change/inherit-links.ts';
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
} from '../stand/edits.ts';
import { SILENT_LOG } from '../stand/store.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const mapped = (anna: string, boris: string): CalendarMirror['calendars'] => [
  { resource: 'Anna', calendarId: anna },
  { resource: 'Boris', calendarId: boris },
  { resource: 'Room', calendarId: ROOM },
];

/** Where the worker got with the move to the new calendar. */
interface Half {
  readonly name: string;
  /** People have added something, so the event itself is moved. */
  readonly isTheirs: boolean;
  /** Google does not answer such calls. */
  readonly without?: { readonly method: string; readonly path?: RegExp };
  /** The worker dies right after this call. */
  readonly deadAfter?: string;
  readonly leftIn: string;
}

const HALVES: readonly Half[] = [
  { name: 'not moved', isTheirs: true, without: { method: 'POST', path: /\/move/ }, leftIn: ANNA },
  { name: 'not made anew', isTheirs: false, without: { method: 'POST' }, leftIn: ANNA },
  { name: 'moved, not written', isTheirs: true, without: { method: 'PATCH' }, leftIn: OTHER },
  { name: 'moved, and nobody knows', isTheirs: true, deadAfter: 'move', leftIn: OTHER },
];

/** `boris`: the calendar of Boris after the edit. */
async function begin(half: Half, { boris = ANNA, edits = {} as Partial<StaffEdits> } = {}) {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel', ...edits });
  await world.adopt('a first run');
  const id = await world.bookWithEvent();
  if (half.isTheirs) {
    world.staff.addReminder({ ...world.at(id), minutes: 5 });
    await world.sight(id);
    await world.settle(id);
  }
  world.forgetMails();
  const { without, deadAfter } = half;
  const lift = without && world.google.faults.add({ ...without, fault: { kind: 'status', status: 503 } });
  const dead = withCalls({ api: world.ground.api }, async (call, name) => {
    const answer = await call();
    if (name === deadAfter) throw new Death();
    return answer;
  });
  world.remap('staff', mapped(OTHER, boris));
  await world.reedit({}, id);
  await world.turn(id, { ...world.ground, ...(deadAfter && dead) }).catch(() => undefined);
  lift?.();
  expect(world.events()).toEqual([`${half.leftIn} ${TUESDAY_10}`]);
  return { world, id };
}

async function pass(world: EditWorld, id: string): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
}

describe.each(HALVES)('$name', (half) => {
  const remove = (world: EditWorld, id: string) => world.staff.remove(world.at(id, half.leftIn));

  test.each([true, false])('a deletion cancels, sighted: %s', async (isSighted) => {
    const { world, id } = await begin(half);
    remove(world, id);
    if (isSighted) await world.sight(id, half.leftIn);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(world.events()).toEqual([]);
  });

  test('a deletion is undone where the mapping says so', async () => {
    const { world, id } = await begin(half, { edits: { deleted: 'restore' } });
    remove(world, id);
    await world.sight(id, half.leftIn);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
  });

  test('without a deletion it comes to its calendar, and nothing is cancelled', async () => {
    const { world, id } = await begin(half);
    await world.sight(id, ANNA);
    await world.sight(id, OTHER);
    await world.settle(id);
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
    expect(world.description(id, OTHER)).not.toContain('Not');
    expect(world.mails()).toEqual([]);
  });
});

describe.each(HALVES.filter(({ leftIn }) => leftIn === ANNA))('P7: $name', (half) => {
  test('tidying a calendar that the YAML has dropped cancels nothing', async () => {
    const { world, id } = await begin(half, { boris: BORIS });
    world.staff.remove(world.at(id));
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
  });
});

describe.each(HALVES)('P7: $name, and all calendars leave the YAML', (half) => {
  test.each([true, false])('and come back, deleted meanwhile: %s', async (isDeleted) => {
    const { world, id } = await begin(half);
    const { store } = world;
    const take = (mirrors: readonly LinkedMirror[]) =>
      inheritLinks({ mirrors, moves: store.linkMoves, memory: store.memory, log: SILENT_LOG });
    const { annaId, borisId } = world.platform;
    const calendarIds = [ANNA, OTHER, ROOM];
    const staff: LinkedMirror = {
      ...{
        kind: 'calendar',
        name: 'staff',
        from: 'appointment',
        calendarIds,
        resourceIds: [annaId, borisId],
      },
    };
    await take([staff]);
    await take([]);
    if (isDeleted) world.staff.remove(world.at(id, half.leftIn));
    world.clock.advance(10 * GRACE_MS);
    await take([staff]);
    await world.sight(id, half.leftIn);
    await world.reedit({}, id);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: annaId });
    expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
    world.staff.remove(world.at(id, OTHER));
    await world.sight(id, OTHER);
    await pass(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });
});

test('P7: whoever deletes the event that is left in the former calendar cancels nothing: it stands in the new one', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  await world.adopt('a first run');
  const id = await world.bookWithEvent();
  world.remap('staff', mapped(OTHER, ANNA));
  await world.reedit({}, id);
  let writes = Number.NEGATIVE_INFINITY;
  const { api, links } = world.ground;
  const mortal = withCalls({ api, links }, async (call, name) => {
    if (name === 'write') writes += 1;
    // The new event is recorded, and nothing says that the former one is about to leave.
    if (writes > 1) throw new Death();
    const answer = await call();
    if (name === 'insert') writes = 0;
    return answer;
  });
  await world.turn(id, { ...world.ground, ...mortal }).catch(() => undefined);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${OTHER} ${TUESDAY_10}`]);
  world.staff.remove(world.at(id));
  await world.sight(id);
  await pass(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${OTHER} ${TUESDAY_10}`]);
  // Deleted there, it is a deletion.
  world.staff.remove(world.at(id, OTHER));
  await world.sight(id, OTHER);
  await pass(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});
