/** Events that people delete or drag while the platform does not answer the booking. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { calendarOrigin } from '../../../src/engine/ids.ts';
import { createPlatformWriter } from '../../../src/platform/client.ts';
import { ANNA, BORIS, OutsideStands, type OutsideWorld, seen, TUESDAY_10 } from '../../stand/outside.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function unanswered(world: OutsideWorld): Promise<string> {
  const id = await seen(world);
  world.platform.sandbox.faults.add({
    ...{ method: 'POST', path: /appointments$/, times: 1, fault: { kind: 'status', status: 503 } },
  });
  expect(await world.turn(world.keyAt(id))).toMatchObject({ next: 'retry' });
  return id;
}

test('P4: an event that is deleted before the platform answers is not booked, but is booked once restored', async () => {
  const world = await stands.start();
  const id = await unanswered(world);
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await world.sync();
  world.clock.advance(1_800_000);
  await world.book();
  expect(world.appointments()).toEqual([]);
  world.staff.restore({ calendarId: ANNA, eventId: id });
  await world.sync();
  await world.book();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

test.each([
  ['is not carried out', false],
  ['is carried out a moment later', true],
])(
  'P2: an event dragged to a colleague while its unanswered booking %s gives one appointment',
  async (_, isLate) => {
    const world = await stands.start();
    const id = await unanswered(world);
    const open = (await world.store.intents.read(calendarOrigin(ANNA, id)))?.open;
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await world.sync();
    await world.book();
    if (isLate) {
      const writer = createPlatformWriter(world.platform.client());
      await writer.create({ body: String(open?.body), idempotencyKey: String(open?.key) });
    }
    for (let rounds = 0; rounds < 3; rounds += 1) {
      world.clock.advance(60_000);
      await world.hear();
      await world.sync();
      await world.book();
    }
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  },
);
