/** Before an event is booked it is nobody's mirror: two programs that flip it are stopped here. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { ANNA, OutsideStands, STILL_MS, TUESDAY_10, TUESDAY_12 } from '../stand/outside.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('an event that is flipped between two taken hours is stopped', async () => {
  const world = await stands.start();
  const { serviceId, annaId: resourceId } = world.platform;
  for (const startsAt of [TUESDAY_10, TUESDAY_12])
    world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt, notify: false });
  const eventId = world.drop();
  for (let flips = 1; flips <= 13; flips += 1) {
    await world.settle();
    world.clock.advance(STILL_MS + 1_000);
    await world.settle();
    const start = flips % 2 === 1 ? TUESDAY_12 : TUESDAY_10;
    world.staff.move({ calendarId: ANNA, eventId, start });
  }
  expect(await world.letters()).toEqual(['edit-loop']);
  expect(world.booked()).toHaveLength(2);
});
