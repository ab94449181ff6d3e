/** What Redis keeps of booking events long after they are over, and that nothing is booked twice (P2). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { parseKey } from '../../src/engine/object.ts';
import { ANNA, OutsideStands, TUESDAY_10, TUESDAY_12, TUESDAY_14 } from '../stand/outside.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DAY_MS = 86_400_000;
const NEXT_YEAR = '2027-03-02T07:00:00.000Z';

async function start() {
  const world = await stands.start();
  const booked = world.drop();
  const refused = world.drop({ description: 'Vera will call', startsAt: TUESDAY_12 });
  const deleted = world.drop({ description: 'Vera too', startsAt: TUESDAY_14 });
  await world.book();
  await world.hear();
  world.staff.remove({ calendarId: ANNA, eventId: deleted });
  await world.settle();
  const keys = [booked, refused, deleted].map((id) => world.keyAt(id));
  // Each of them has this turn a while after its decision.
  await world.store.dirtyMarks.markDirty(
    keys.flatMap((key) => parseKey(key) ?? []),
    { read: false },
  );
  await world.settle();
  return {
    ...{ world, booked, refused, deleted, keys },
    kept: async () => {
      const texts = await Promise.all(
        keys.map((key) => world.store.redis.hgetall(world.store.keys.object(key))),
      );
      return texts.map((fields) => JSON.stringify(fields));
    },
    /** Lets this time pass without any event. */
    async rest(days: number) {
      world.clock.advance(days * DAY_MS);
      // Redis has a clock of its own.
      for (const key of keys)
        await world.store.redis.hset(world.store.keys.object(key), 'f', world.clock.now() - days * DAY_MS);
      return world.store.retention.ageObjects();
    },
    async readAnew() {
      await world.store.redis.del(world.store.keys.calendar(ANNA));
      await world.store.dirtyMarks.markDirty(
        keys.flatMap((key) => parseKey(key) ?? []),
        { read: true },
      );
      await world.hear();
      await world.settle();
    },
  };
}

test('P2: the texts of events that are over are deleted, and no event is booked or answered again', async () => {
  const { world, booked, refused, rest, kept, readAnew } = await start();
  const appointments = world.appointments();
  const events = world.events();
  const said = [booked, refused].map((id) => world.event(id));
  await rest(89);
  expect((await kept()).map((text) => text.includes('Vera'))).toEqual([true, true, true]);
  await rest(91);
  expect((await kept()).map((text) => /Vera|#book/.test(text))).toEqual([false, false, false]);
  await readAnew();
  expect(world.appointments()).toEqual(appointments);
  expect(world.events()).toEqual(events);
  expect([booked, refused].map((id) => world.event(id))).toEqual(said);
  expect(await world.letters()).toEqual([]);
  expect((await kept()).map((text) => /Vera|#book/.test(text))).toEqual([false, false, false]);
});

test('P2: an event whose texts were deleted is booked once when people move it into the future', async () => {
  const { world, refused, rest, readAnew } = await start();
  await rest(91);
  world.staff.describe({ calendarId: ANNA, eventId: refused, description: '+7 495 000-11-02' });
  world.staff.move({ calendarId: ANNA, eventId: refused, start: NEXT_YEAR });
  await world.book();
  await readAnew();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`, `${NEXT_YEAR} Anna`]);
});

test('the record of a deleted event is removed at last if the event is over, and kept if it is still to come', async () => {
  const { world, deleted, refused, rest, keys } = await start();
  const ahead = world.drop({ startsAt: NEXT_YEAR });
  await world.book();
  await rest(91);
  const { redis, keys: names } = world.store;
  const ttls = await Promise.all(
    [deleted, refused, ahead].map((id) => redis.ttl(names.object(world.keyAt(id)))),
  );
  expect(ttls.map((ttl) => ttl > 0)).toEqual([true, false, false]);
  expect(await redis.hget(names.object(world.keyAt(ahead)), 's')).toContain('Vera');
  expect(keys).toHaveLength(3);
});
