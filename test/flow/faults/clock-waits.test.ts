// What waits for people to come to rest goes on in its time after a clock that was hours ahead was set right.
import { afterAll, afterEach, expect, test } from 'vitest';
import { EditStands, GRACE_MS } from '../../stand/edits.ts';
import { ANNA, OutsideStands, STILL_MS, TUESDAY_10 } from '../../stand/outside.ts';

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

test('P4: an event in a calendar that was first read, empty, while the clock was ahead is booked', async () => {
  const world = await outside.start();
  world.clock.aheadMs = 3 * HOUR;
  await world.sync();
  world.clock.aheadMs = 0;
  world.clock.advance(60_000);
  world.drop();
  await world.book();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

test.each([3 * HOUR, 0])(
  'P4: an event after an edit of the YAML is booked though the clock was ahead at the last reading, and is %s ms ahead now',
  async (aheadMs) => {
    const world = await outside.start();
    world.drop({ summary: 'Lunch' });
    world.clock.aheadMs = 3 * HOUR;
    await world.settle();
    world.clock.aheadMs = aheadMs;
    await world.rewrite({ when: { title: '#book*' } });
    world.clock.advance(60_000);
    world.drop();
    await world.book();
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  },
);

test('P7: what was left alone by a clock that was behind is not booked by an edit of the YAML', async () => {
  const world = await outside.start();
  const id = world.drop({ summary: '#walk Vera Orlova' });
  world.clock.aheadMs = -3 * HOUR;
  world.clock.advance(120_000);
  await world.settle();
  await world.rewrite({ when: { title: '#*' } });
  world.staff.expireSyncTokens({ calendarId: ANNA });
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(world.description(id)).toBe('+7 495 000-11-01');
});

test('P4: an event that was over before it could be read is answered though the clock was ahead at the last reading', async () => {
  const world = await outside.start();
  world.clock.aheadMs = 3 * HOUR;
  await world.sync();
  world.clock.aheadMs = 0;
  world.clock.advance(120_000);
  const id = world.drop({ startsAt: new Date(world.clock.now() + 60_000).toISOString() });
  world.clock.advance(HOUR);
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(world.description(id)).toMatch(/Not booked: this time had passed/);
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
