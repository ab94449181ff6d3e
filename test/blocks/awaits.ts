/**
 * A death at every await of a turn of blocks, found by counting and not by hand: the n-th call to the platform, the intents or the work
 * store does not come back, before or after it was carried out. After each, a new worker starts over, at times on an empty Redis.
 */
import { afterAll, afterEach, expect, test } from 'vitest';
import { type BlockGround, BlockStands, march, PRIVATE, tuesday } from '../stand/blocks.ts';
import { type Chosen, sweepCalls } from '../stand/sweep.ts';

const CALLS_MAX = 60;

class Death extends Error {}

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
        const calls = { made: 0 };
        await world.turn(doomed(world.ground, { at, moment, calls }));
        if (redis === 'lost') await world.store.redis.flushall();
        // The next worker comes somewhat later.
        world.clock.advance(10_000);
        await world.settle();
        expect(world.blocks()).toEqual(['03T10:30-11:30', '03T15:00-17:00']);
        // Two at first, and one that came later: whatever died, none was booked twice.
        expect(world.all()).toHaveLength(3);
        expect(world.sandbox.stats().customerMails).toBe(0);
        await stands.closeWorlds();
        return calls.made >= at;
      });
      // List, cancel, move and book, each stored before it leaves: else nothing was enumerated.
      expect(end).toBeGreaterThan(12);
    },
    600_000,
  );
}

interface Doom {
  /** Counted from 1. */
  readonly at: number;
  readonly moment: 'before' | 'after';
  readonly calls: { made: number };
}

/** The doomed call never comes back, and none after it is made. */
function doomed(ground: BlockGround, { at, moment, calls }: Doom): BlockGround {
  const counted = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          calls.made += 1;
          const isDoomed = calls.made === at;
          if (calls.made > at || (isDoomed && moment === 'before')) throw new Death();
          const result: unknown = await method.apply(target, args);
          if (isDoomed) throw new Death();
          return result;
        };
      },
    });
  return { writer: counted(ground.writer), intents: counted(ground.intents), work: counted(ground.work) };
}
