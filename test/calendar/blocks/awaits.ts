/**
 * A death at every await of a turn of blocks, found by counting and not by hand: the n-th call to the platform, the intents or the work
 * store does not come back, before or after it was carried out. After each, a new worker starts over, at times on an empty Redis.
 */
import { afterAll, afterEach, expect, test } from 'vitest';
import { BlockStands, march, PRIVATE, tuesday } from '../../stand/blocks.ts';
import { doomed } from '../../stand/doom.ts';
import { type Chosen, sweepCalls } from '../../stand/sweep.ts';

const CALLS_MAX = 60;

export function testDeathsOfBlocks(chosen: Chosen): void {
  const stands = new BlockStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  test.each([
    { moment: 'before', redis: 'kept', variant: 0 },
    { moment: 'after', redis: 'kept', variant: 1 },
    { moment: 'before', redis: 'lost', variant: 2 },
    { moment: 'after', redis: 'lost', variant: 3 },
  ] as const)(
    'a death $moment any call, Redis $redis: each block is booked, moved and cancelled once',
    async ({ moment, redis, variant }) => {
      const end = await sweepCalls({ chosen, variant, callsMax: CALLS_MAX }, async (at) => {
        const world = await stands.start();
        const moved = world.busy(tuesday('10:00'), tuesday('11:00'));
        const gone = world.busy(march(4, '10:00'), march(4, '13:00'));
        await world.settle();
        world.staff.move({ calendarId: PRIVATE, eventId: moved, start: tuesday('10:30') });
        world.staff.remove({ calendarId: PRIVATE, eventId: gone });
        world.busy(tuesday('15:00'), tuesday('17:00'));
        await world.poll();
        const doom = { at, moment, made: 0 };
        await world.turn(doomed(world.ground, doom));
        if (redis === 'lost') await world.store.redis.flushall();
        // The next worker comes somewhat later.
        world.clock.advance(10_000);
        await world.settle();
        expect(world.blocks()).toEqual(['03T10:30-11:30', '03T15:00-17:00']);
        // Two at first, and one that came later: whatever died, none was booked twice.
        expect(world.all()).toHaveLength(3);
        expect(world.sandbox.stats().customerMails).toBe(0);
        await stands.closeWorlds();
        return doom.made >= at;
      });
      // List, cancel, move and book, each stored before it leaves: else nothing was enumerated.
      expect(end).toBeGreaterThan(12);
    },
    600_000,
  );
}
