/** Turns that overlap, or that know less than another. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, EditStands, TUESDAY_12 } from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('two handlers at once carry one move', async () => {
  const world = await stands.start({ moved: 'reschedule', notifyCustomer: true });
  const id = await world.visit();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  world.forgetMails();
  await Promise.all([world.turn(id), world.turn(id)]);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  expect(world.mails()).toEqual(['rescheduled']);
});

test('an older state of the visit that comes after the move changes nothing', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.visit();
  const older = world.appointment(id);
  world.clock.advance(1_000);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.settle(id);
  await world.hear(id, older);
  await world.settle(id);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
});
