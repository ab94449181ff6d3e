/** Turns that overlap, and events that look alike. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { BORIS, OutsideStands, TUESDAY_10, TUESDAY_12 } from '../../stand/outside.ts';
import { isBookedOnce, seen } from './awaits.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('two handlers at once make one appointment', async () => {
  const world = await stands.start();
  const id = await seen(world);
  await Promise.all([world.turn(world.keyAt(id)), world.turn(world.keyAt(id))]);
  world.clock.advance(60_000);
  await world.book();
  isBookedOnce(world, id);
  expect(world.appointments()).toHaveLength(1);
});

test('two calendars with an event of one id make two appointments (case 51)', async () => {
  const world = await stands.start();
  const id = world.drop();
  world.staff.add({
    calendarId: BORIS,
    id,
    event: {
      summary: '#book Olga',
      description: '+7 495 000-11-02',
      start: { dateTime: TUESDAY_10 },
      end: { dateTime: TUESDAY_12 },
    },
  });
  await world.book();
  expect(world.visits().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_10} Boris`]);
});
