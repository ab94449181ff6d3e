/**
 * Whatever is interleaved, the platform ends with what the person outside wants last, and never holds two. The caller here does what a
 * handler of the queue does: finish, look, wish; it forgets its link whenever it dies before it has stored it.
 */

import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../../src/engine/errors.ts';
import type { Wish } from '../../../src/engine/outside-booking.ts';
import type { BookingSubmitter } from '../../../src/engine/submitter.ts';
import { Death, type Doom, doomed } from '../../stand/doom.ts';
import { runsOf } from '../../stand/runs.ts';
import { ORIGIN, PushStands, type PushWorld } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const RUNS = runsOf(100);
const DAY_MS = 24 * 3_600_000;
/** Far enough away for days to pass. */
const HOURS = ['10', '12', '14', '16'].map((hour) => `2026-04-07T${hour}:00:00+03:00`);

interface Wanted {
  readonly startsAt: string;
  readonly resource: 'annaId' | 'borisId';
}

type Act =
  | { readonly act: 'want'; readonly wanted: Wanted | undefined }
  | { readonly act: 'turn' }
  | { readonly act: 'dies'; readonly doom: Omit<Doom, 'made'> }
  | { readonly act: 'answer-lost' | 'unsent' | 'two-at-once' | 'keys-forgotten' | 'redis-lost' }
  | { readonly act: 'staff-moves'; readonly startsAt: string };

const wanted = fc.record({
  startsAt: fc.constantFrom(...HOURS),
  resource: fc.constantFrom('annaId' as const, 'borisId' as const),
});

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('want' as const), wanted: fc.option(wanted, { nil: undefined, freq: 3 }) }),
    fc.record({ act: fc.constant('turn' as const) }),
    fc.record({
      act: fc.constant('dies' as const),
      doom: fc.record({
        at: fc.integer({ min: 1, max: 16 }),
        moment: fc.constantFrom('before' as const, 'after' as const),
      }),
    }),
    fc.record({
      act: fc.constantFrom('answer-lost', 'unsent', 'two-at-once', 'keys-forgotten', 'redis-lost'),
    }) as fc.Arbitrary<Act>,
    fc.record({ act: fc.constant('staff-moves' as const), startsAt: fc.constantFrom(...HOURS) }),
  ),
  { minLength: 3, maxLength: 14 },
);

/** What the platform's document leaves open about its keys. */
const memories: fc.Arbitrary<Partial<SilentSwitches>> = fc.constantFrom(
  {},
  { idempotencyRemembers: '2xx' as const },
  { idempotencyRemembers: 'all-but-422' as const, idempotencyCompares: 'bytes' as const },
  { idempotencyHours: 0 },
  { workMs: 2, cancelledResourceId: 'null' as const, timestamps: 'seconds' as const },
);

class Caller {
  readonly #world: PushWorld;
  wanted: Wanted | undefined;
  link: string | undefined;

  constructor(world: PushWorld) {
    this.#world = world;
  }

  /** True when there was nothing left to do. */
  async turn(submitter: BookingSubmitter): Promise<boolean> {
    const begun = await submitter.finish(ORIGIN);
    if (begun?.outcome === 'done') this.link = begun.appointment.id;
    this.link ??= await submitter.made(ORIGIN);
    const wish = this.#wish();
    if (!wish) {
      if (begun?.outcome === 'open') await submitter.withdraw(ORIGIN);
      return begun === undefined || begun.outcome === 'open';
    }
    const verdict = await submitter.submit(ORIGIN, wish);
    if (verdict.outcome === 'done') this.link = verdict.appointment.id;
    return false;
  }

  #wish(): Wish | undefined {
    const stands = this.link === undefined ? undefined : this.#world.sandbox.truth.appointment(this.link);
    const isLive = stands !== undefined && stands['status'] !== 'cancelled';
    if (!this.wanted) return isLive ? this.#world.cancel(this.link ?? '') : undefined;
    const { startsAt } = this.wanted;
    const resourceId = this.#world[this.wanted.resource];
    if (!isLive) return this.#world.book({ startsAt, resourceId });
    const isThere =
      Date.parse(String(stands['starts_at'])) === Date.parse(startsAt) &&
      stands['resource_id'] === resourceId;
    return isThere ? undefined : this.#world.move(this.link ?? '', startsAt, { resourceId });
  }
}

test('one appointment per live wish, none for a dead one, and never two', async () => {
  await fc.assert(
    fc.asyncProperty(acts, memories, async (script, switches) => {
      const world = await stands.start({ switches });
      const caller = new Caller(world);
      for (const act of script) {
        await perform(act, world, caller);
        world.clock.advance(1_000);
        expect(world.live().length).toBeLessThanOrEqual(1);
      }
      await untilQuiet(world, caller);
      expect(
        world.live().map(({ starts_at, resource_id }) => [Date.parse(String(starts_at)), resource_id]),
      ).toEqual(caller.wanted ? [[Date.parse(caller.wanted.startsAt), world[caller.wanted.resource]]] : []);
      expect(world.sandbox.truth.contacts().length).toBeLessThanOrEqual(1);
      expect(world.sandbox.stats().customerMails).toBe(0);
      await stands.closeWorlds();
    }),
    { numRuns: RUNS },
  );
});

async function perform(act: Act, world: PushWorld, caller: Caller): Promise<void> {
  switch (act.act) {
    case 'want':
      caller.wanted = act.wanted;
      return;
    case 'turn':
      return survive(caller.turn(world.submitter()));
    case 'dies':
      return survive(caller.turn(world.submitter(doomed(world.ground, { ...act.doom, made: 0 }))));
    case 'answer-lost':
    case 'unsent': {
      const kind = act.act === 'unsent' ? 'reset' : 'commit-then-reset';
      const remove = world.sandbox.faults.add({ method: 'POST', fault: { kind } });
      await survive(caller.turn(world.submitter()));
      return remove();
    }
    case 'two-at-once': {
      const both = [caller.turn(world.submitter()), caller.turn(world.submitter())];
      await Promise.all(both.map(survive));
      return;
    }
    case 'keys-forgotten':
      world.clock.advance(2 * DAY_MS);
      return;
    case 'redis-lost':
      // Only a walk of the whole platform finds what nobody wants any more; that is not the submitter's task.
      if (!caller.wanted) return;
      await world.forgetAll();
      caller.link = undefined;
      return untilQuiet(world, caller);
    case 'staff-moves': {
      const [live] = world.live();
      if (live) world.dashboard.reschedule(String(live['id']), { startsAt: act.startsAt, notify: false });
    }
  }
}

/** What the queue tries again, and what killed the process. Everything else is a defect. */
async function survive(turn: Promise<unknown>): Promise<void> {
  try {
    await turn;
  } catch (error) {
    if (!(error instanceof Death || error instanceof RetryableError || error instanceof DeferredError))
      throw error;
  }
}

async function untilQuiet(world: PushWorld, caller: Caller): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) {
    let isQuiet = false;
    await survive(
      caller.turn(world.submitter()).then((quiet) => {
        isQuiet = quiet;
      }),
    );
    if (isQuiet) return;
    world.clock.advance(5_000);
  }
  throw new Error('never quiet');
}
