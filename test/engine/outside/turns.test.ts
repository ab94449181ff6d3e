/** Turns that overlap, and events that look alike. */
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  ANNA,
  BORIS,
  isBookedOnce,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  seen,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/outside.ts';

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
  expect(world.booked().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_10} Boris`]);
});

/** The process dies at the n-th record that it would store. */
function dyingAtWrite({ ground }: OutsideWorld, n: number): OutsideWorld['ground'] {
  let writes = 0;
  const write: typeof ground.links.write = async (...about) => {
    writes += 1;
    if (writes >= n) throw new Error('the worker dies');
    return ground.links.write(...about);
  };
  const links = new Proxy(ground.links, {
    get: (target, name) =>
      name === 'write' ? write : (Reflect.get(target, name) as () => unknown).bind(target),
  });
  return { ...ground, links };
}

test.each([1, 2, 3, 4, 5, 6])(
  'P4: an event that was refused before, and whose verdict was lost, shows no refusal after a death at write %i of its turn',
  async (n) => {
    const world = await stands.start({ refusedColorId: '11' });
    const id = world.drop({ description: 'calls back', colorId: '5' });
    await world.book();
    expect(world.event(id)).toMatchObject({ colorId: '11' });
    world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-01' });
    await world.sync();
    world.clock.advance(STILL_MS + 1_000);
    const { intents } = world.ground;
    const dying = Object.create(intents) as typeof intents;
    dying.seed = () => intents.seed();
    dying.read = (origin) => intents.read(origin);
    dying.begin = (...about) => intents.begin(...about);
    dying.settle = async (origin, end) => {
      const isSettled = await intents.settle(origin, end);
      if (end.op === 'book') throw new Error('the worker dies');
      return isSettled;
    };
    await world.turn(world.keyAt(id), { ...world.ground, intents: dying });
    expect(world.appointments()).toHaveLength(1);
    world.clock.advance(60_000);
    await world.turn(world.keyAt(id), dyingAtWrite(world, n));
    world.clock.advance(60_000);
    await world.book();
    isBookedOnce(world, id);
    expect(world.event(id)).toMatchObject({ colorId: '5' });
  },
);
