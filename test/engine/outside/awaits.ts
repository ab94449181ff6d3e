/**
 * A death at every await of a turn, found by counting: the n-th call to Google, the platform or Redis does not come back, before or after it
 * was carried out, for n = 1, 2, … until a turn needs no more. After each, a new handler starts over from what stands then.
 */
import { afterAll, afterEach, expect, test } from 'vitest';
import { doomed, withCalls } from '../../stand/doom.ts';
import {
  ANNA,
  BORIS,
  GRACE_MS,
  type OutsideGround,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/outside.ts';
import { combined, rowsOf } from '../../stand/runs.ts';
import { type Chosen, MOMENTS, sweepCalls, variantOf } from '../../stand/sweep.ts';

const CALLS_MAX = 80;

interface Scenario {
  readonly name: string;
  readonly rules?: Parameters<OutsideStands['start']>[0];
  /** Everything up to the turn of the booking in which the death comes. Its event. */
  prepare(world: OutsideWorld): Promise<string>;
  /** Between the death and the next handler. */
  meanwhile?(world: OutsideWorld, id: string): Promise<void>;
  after(world: OutsideWorld, id: string): void;
}

export async function seen(world: OutsideWorld): Promise<string> {
  const id = world.drop();
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  return id;
}

export function isBookedOnce(world: OutsideWorld, id: string): void {
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova', description: '+74950001101' });
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'an event is booked', prepare: seen, after: isBookedOnce },
  {
    name: 'the platform’s event comes first (case 40)',
    prepare: seen,
    async meanwhile(world) {
      await world.hear();
      for (const each of world.appointments()) {
        if (each['status'] !== 'cancelled') await world.turn(`appointment/${String(each['id'])}`);
      }
    },
    after: isBookedOnce,
  },
  {
    name: 'Redis is lost with the process',
    prepare: seen,
    async meanwhile(world) {
      await world.loseRedis();
    },
    after: isBookedOnce,
  },
  {
    name: 'the event is moved meanwhile',
    prepare: seen,
    async meanwhile(world, id) {
      world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_12 });
    },
    after(world, id) {
      expect(world.booked()).toEqual([`${TUESDAY_12} Anna`]);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
      expect(world.event(id)?.['status']).toBe('confirmed');
    },
  },
  {
    name: 'the event is deleted meanwhile',
    prepare: seen,
    async meanwhile(world, id) {
      world.staff.remove({ calendarId: ANNA, eventId: id });
    },
    after(world) {
      expect(world.booked()).toEqual([]);
      expect(world.events()).toEqual([]);
    },
  },
  {
    name: 'the event becomes no booking meanwhile',
    prepare: seen,
    async meanwhile(world, id) {
      world.staff.retitle({ calendarId: ANNA, eventId: id, summary: 'Lunch' });
    },
    after(world) {
      // Booked before, it stays booked, as the mirror of its appointment; else nothing has happened.
      expect(world.booked().length).toBeLessThanOrEqual(1);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    },
  },
  {
    name: 'a taken hour is refused',
    async prepare(world) {
      const { serviceId, annaId: resourceId } = world.platform;
      world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
      return seen(world);
    },
    after(world, id) {
      expect(world.booked()).toHaveLength(1);
      expect(world.description(id).match(/already taken/g)).toHaveLength(1);
    },
  },
  {
    name: 'an event that is refused is mended meanwhile',
    rules: { refusedColorId: '11' },
    async prepare(world) {
      const id = world.drop({ description: 'calls back', colorId: '5' });
      await world.sync();
      world.clock.advance(STILL_MS + 1_000);
      return id;
    },
    async meanwhile(world, id) {
      world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-01' });
    },
    after(world, id) {
      isBookedOnce(world, id);
      expect(world.event(id)).toMatchObject({ colorId: '5' });
    },
  },
];

const DRAGS = [
  ['and the colleague’s calendar is read at once', [BORIS]],
  ['and both calendars are read at once', [ANNA, BORIS]],
  ['and no calendar is read before the turn has ended', []],
] as const;

export function testDeathsOfABooking({ deaths, drags }: { deaths: Chosen; drags: Chosen }): void {
  const stands = new OutsideStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  const variants = combined([...SCENARIOS.entries()], MOMENTS);
  test.each(
    rowsOf(
      variants.map(([[nth, scenario], moment]) => ({ ...scenario, nth, moment })),
      3,
    ),
  )('$name: a death $moment any call ends in one of each', async ({ nth, moment, ...scenario }) => {
    const world = await stands.start(scenario.rules);
    const variant = variantOf(nth, moment);
    const end = await sweepCalls({ chosen: deaths, variant, callsMax: CALLS_MAX }, async (at) => {
      const doom = { at, moment, made: 0 };
      const id = await scenario.prepare(world);
      await world.turn(world.keyAt(id), doomed(world.ground, doom));
      await scenario.meanwhile?.(world, id);
      world.clock.advance(60_000);
      await world.book();
      world.clock.advance(GRACE_MS + 1_000);
      await world.hear();
      await world.book();
      scenario.after(world, id);
      expect(await world.letters(), `call ${at}`).toEqual([]);
      await world.clear();
      return doom.made >= at;
    });
    expect(end).toBeGreaterThan(5);
  });

  test.each(
    rowsOf(
      DRAGS.map(([name, read], variant) => [name, read, variant] as const),
      2,
    ),
  )(
    'B28: an event dragged to a colleague before any call of its turn (%s) gives one appointment, with that colleague',
    async (_, read, variant) => {
      const world = await stands.start();
      const end = await sweepCalls({ chosen: drags, variant, callsMax: CALLS_MAX }, async (at) => {
        const id = await seen(world);
        const drag = {
          at,
          made: 0,
          async act() {
            world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
            if (read.length === 0) return;
            await world.sync(...read);
            // This turn hangs for so long that the colleague's has its own.
            world.clock.advance(STILL_MS + 1_000);
            await world.turn(world.keyAt(id, BORIS));
          },
        };
        await world.turn(world.keyAt(id), hurried(world.ground, drag));
        if (drag.made < at) await drag.act();
        for (let minutes = 0; minutes < 8; minutes += 1) {
          await world.settle();
          world.clock.advance(60_000);
        }
        await world.hear();
        await world.settle();
        expect(world.booked(), `call ${at}`).toEqual([`${TUESDAY_10} Boris`]);
        expect(world.events(), `call ${at}`).toEqual([`${BORIS} ${TUESDAY_10}`]);
        expect(await world.letters(), `call ${at}`).toEqual([]);
        await world.clear();
        return drag.made >= at;
      });
      expect(end).toBeGreaterThan(5);
    },
  );
}

/** Something is done right before one call of a turn, whichever port it is made to. */
function hurried(
  ground: OutsideGround,
  hurry: { readonly at: number; made: number; readonly act: () => Promise<void> },
): OutsideGround {
  return withCalls(ground, async (call) => {
    hurry.made += 1;
    if (hurry.made === hurry.at) await hurry.act();
    return call();
  });
}
