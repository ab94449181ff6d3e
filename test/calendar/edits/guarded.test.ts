/** What the guards stop before the platform is asked: no other check is behind them. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { editTally } from '../../../src/engine/edit-guard.ts';
import {
  ANNA,
  BORIS,
  type EditGround,
  EditStands,
  type EditWorld,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function marked({ store }: EditWorld, tally: string, times: number) {
  for (let n = 0; n < times; n += 1) await store.tally.count(tally, `other ${n}`, 600_000);
}

test('a move is not carried for the eleventh time in ten minutes: two programs fight over the event (P5)', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  await marked(world, editTally(`appointment/${id}`), 10);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.settle(id);
  expect(await world.letters()).toEqual(['edit-loop']);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  expect(world.startsAt(id)).toBe(TUESDAY_12);
});

/** Turns until nothing is left to do, or a person has to decide. */
async function untilDone(world: EditWorld, id: string, own = world.ground) {
  for (let turns = 0; turns < 12; turns += 1) {
    const next = await world.turn(id, own);
    if (next.next === 'done') return;
    if (next.next === 'defer') world.clock.advance(next.afterMs);
  }
  throw new Error('does not end');
}

test('deletions that are noticed while one is searched for stop its cancellation as well (P7)', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  let isSearched = false;
  const events: EditGround['events'] = {
    upcoming: (...asked) => world.ground.events.upcoming(...asked),
    isMissed: (...asked) => world.ground.events.isMissed(...asked),
    read: async (calendarId, eventId) => {
      if (calendarId === BORIS && !isSearched) {
        isSearched = true;
        await marked(world, `deleting:${ANNA}`, 5);
      }
      return world.ground.events.read(calendarId, eventId);
    },
  };
  await untilDone(world, id, { ...world.ground, events });
  expect(isSearched).toBe(true);
  expect(await world.letters()).toEqual(['mass-deletion']);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
});

test('the events of an emptied calendar are not searched for one by one', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  await marked(world, `deleting:${ANNA}`, 5);
  world.staff.remove(world.at(id));
  await world.sight(id);
  const searched: string[] = [];
  const events: EditGround['events'] = {
    upcoming: (...asked) => world.ground.events.upcoming(...asked),
    isMissed: (...asked) => world.ground.events.isMissed(...asked),
    read: (calendarId, eventId) => {
      searched.push(calendarId);
      return world.ground.events.read(calendarId, eventId);
    },
  };
  await untilDone(world, id, { ...world.ground, events });
  expect(await world.letters()).toEqual(['mass-deletion']);
  expect(searched).not.toContain(BORIS);
});

test('a deletion that was carried waits no longer, and counts with the others of its hour (P7)', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await untilDone(world, id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  const counted = (tally: string) => world.store.tally.count(`${tally}:${ANNA}`, 'another', 3_600_000);
  expect(await counted('deleted')).toBe(2);
  expect(await counted('deleting')).toBe(1);
});

test('a move of which no customer is mailed goes on while deletions and mails wait for a person', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  await marked(world, `deleting:${ANNA}`, 6);
  await marked(world, 'mailed', 21);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await untilDone(world, id);
  expect(await world.letters()).toEqual([]);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
});
