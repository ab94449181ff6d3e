// What waits for people to come to rest goes on in its time after a clock that was hours ahead was set right.
import { afterAll, afterEach, expect, test } from 'vitest';
import { EditStands, GRACE_MS } from '../../stand/edits.ts';
import { OutsideStands, STILL_MS, TUESDAY_10 } from '../../stand/outside.ts';

const HOUR = 3_600_000;

const outside = new OutsideStands();
const edits = new EditStands();
afterEach(async () => {
  await outside.closeWorlds();
  await edits.closeWorlds();
});
afterAll(async () => {
  await outside.close();
  await edits.close();
});

test('P4: an event that was typed while the clock was ahead is booked in its time', async () => {
  const world = await outside.start();
  world.clock.aheadMs = 3 * HOUR;
  const id = world.drop();
  await world.settle();
  expect(world.booked()).toEqual([]);
  world.clock.aheadMs = 0;
  // The sweep gives what was put off its turn (test/engine/clock-setback.test.ts).
  for (const waitMs of [0, STILL_MS, 1_000]) {
    world.clock.advance(waitMs);
    await world.turn(world.keyAt(id));
  }
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

test('P7: a deletion that was seen while the clock was ahead cancels after its grace, and not before', async () => {
  const world = await edits.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.clock.aheadMs = 3 * HOUR;
  world.staff.remove(world.at(id));
  await world.sight(id);
  expect(await world.settle(id)).toMatchObject({ next: 'defer' });
  world.clock.aheadMs = 0;
  expect(await world.settle(id)).toMatchObject({ next: 'defer' });
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});
