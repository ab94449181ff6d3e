/**
 * An appointment with a person and a room has an event under one id in both calendars. One of the two is deleted and the other dragged into its
 * calendar before the worker looks: the event lives, so nothing is cancelled (P7), and both calendars show the appointment in the end (P1, P2).
 */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, BORIS, EditStands, type EditWorld, GRACE_MS, ROOM, TUESDAY_10 } from '../stand/edits.ts';
import { combined, rowsOf } from '../stand/runs.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function read(world: EditWorld, id: string, calendars: readonly string[]): Promise<void> {
  for (const calendarId of calendars) {
    await world.sight(id, calendarId);
    await world.settle(id);
  }
}

async function toTheEnd(world: EditWorld, id: string): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await read(world, id, [ANNA, ROOM]);
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle(id);
}

const READ = {
  'the calendar of the person is read first': (world, id) => read(world, id, [ANNA, ROOM]),
  'the calendar of the room is read first': (world, id) => read(world, id, [ROOM, ANNA]),
  'both are read at once': async (world, id) => {
    await world.sight(id, ANNA);
    await world.sight(id, ROOM);
    await world.settle(id);
  },
  'only that of the person is read within the grace': async (world, id) => {
    for (let round = 0; round < 3; round += 1) {
      await read(world, id, [ANNA]);
      world.clock.advance(GRACE_MS + 1_000);
    }
  },
  'the mirrors write before either is read': async (world, id) => {
    world.clock.advance(1_000);
    const updated_at = new Date(world.clock.now()).toISOString();
    await world.hear(id, { ...world.appointment(id), customer_name: 'Vera O.', updated_at });
    await world.settle(id);
  },
} as const satisfies Record<string, (world: EditWorld, id: string) => Promise<void>>;

const COPIES = [
  ['the room’s', ROOM, ANNA],
  ['the person’s', ANNA, ROOM],
] as const;

test.each(
  rowsOf(combined(['cancel', 'restore', 'ignore'], COPIES, Object.keys(READ) as (keyof typeof READ)[]), 7),
)(
  'E60: with deleted: %s, $1.0 copy is deleted and the other one dragged there: %s',
  async (deleted, [, to, from], how) => {
    const world = await stands.start({ moved: 'reschedule', deleted, notifyCustomer: true });
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
    world.forgetMails();
    world.staff.remove(world.at(id, to));
    world.staff.moveToCalendar({ ...world.at(id, from), to });
    await READ[how](world, id);
    await toTheEnd(world, id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_10 });
    expect(world.mails()).not.toContain('cancelled');
    const left = deleted === 'ignore' ? [expect.stringContaining(TUESDAY_10)] : [];
    expect(world.events()).toEqual(
      deleted === 'ignore'
        ? expect.arrayContaining(left)
        : [`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`],
    );
    expect(await world.letters()).toEqual([]);
    expect(await world.isDirty(id)).toBe(false);
  },
);

const ORDERS = [
  ['the room’s calendar first', [ROOM, BORIS, ANNA]],
  ['the colleague’s calendar first', [BORIS, ROOM, ANNA]],
  ['the person’s calendar first', [ANNA, BORIS, ROOM]],
  ['not the person’s calendar', [ROOM, BORIS]],
] as const;

test.each(rowsOf(combined(['cancel', 'restore'], ORDERS, ['at once', 'one after the other']), 5))(
  'E60: with deleted: %s, the room’s copy is deleted and the person’s dragged to a colleague: nothing is cancelled, read in this order: $1.0, %s',
  async (deleted, [, order], when) => {
    const world = await stands.start({ moved: 'reschedule', deleted, notifyCustomer: true });
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    world.forgetMails();
    world.staff.remove(world.at(id, ROOM));
    world.staff.moveToCalendar({ ...world.at(id, ANNA), to: BORIS });
    for (const calendarId of order) {
      await world.sight(id, calendarId);
      if (when !== 'at once') await world.settle(id);
    }
    await world.settle(id);
    for (let round = 0; round < 5; round += 1) {
      await read(world, id, [ANNA, BORIS, ROOM]);
      world.clock.advance(GRACE_MS + 1_000);
    }
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_10 });
    expect(world.mails()).not.toContain('cancelled');
    expect(await world.isDirty(id)).toBe(false);
  },
);
