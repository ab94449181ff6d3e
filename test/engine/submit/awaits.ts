/**
 * A death at every await of the push, found by counting and not by hand: the n-th call to the store, the lease or the platform does not
 * come back, before or after it was carried out, for n = 1, 2, … until a run needs no more calls. After each, a new submitter starts over.
 */

import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import { afterAll, afterEach, expect, test } from 'vitest';
import { DeferredError, RetryableError } from '../../../src/engine/errors.ts';
import type { Wish } from '../../../src/engine/outside-booking.ts';
import type { BookingSubmitter } from '../../../src/engine/submitter.ts';
import { Death, doomed } from '../../stand/doom.ts';
import { combined, rowsOf } from '../../stand/runs.ts';
import { type Chosen, MOMENTS, sweepCalls, variantOf } from '../../stand/sweep.ts';
import { appointmentOf, ORIGIN, PHONE, PushStands, type PushWorld, TUESDAY_12 } from './stand.ts';

const RUNS_MAX = 60;

type Scenario = {
  readonly name: string;
  prepare(world: PushWorld): Promise<void>;
  wish(world: PushWorld): Wish;
  readonly verdict: 'done' | 'slot-unavailable';
  /** What must stand on the platform afterwards, and nothing else. */
  after(world: PushWorld): void;
};

const SCENARIOS: Scenario[] = [
  {
    name: 'a booking of a new customer',
    prepare: async () => {},
    wish: (world) => world.book({ notifyCustomer: true }),
    verdict: 'done',
    after: (world) => {
      expect(world.sandbox.truth.contacts()).toMatchObject([{ phone: PHONE }]);
      expect(world.sandbox.truth.appointments()).toMatchObject([
        { status: 'confirmed', starts_at: '2026-03-03T07:00:00.000Z', resource_ids: [world.annaId] },
      ]);
      expect(mails(world)).toEqual(['created']);
    },
  },
  {
    name: 'a booking into a taken hour',
    prepare: async (world) => {
      const { serviceId, annaId: resourceId } = world;
      world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: world.book().startsAt, notify: false });
    },
    wish: (world) => world.book({ notifyCustomer: true }),
    verdict: 'slot-unavailable',
    after: (world) => {
      expect(world.sandbox.truth.appointments()).toHaveLength(1);
      expect(mails(world)).toEqual([]);
    },
  },
  {
    name: 'a move to another hour and resource',
    prepare: bookOnce,
    verdict: 'done',
    wish: (world) =>
      world.move(onlyId(world), TUESDAY_12, { resourceId: world.borisId, notifyCustomer: true }),
    after: (world) => {
      expect(world.sandbox.truth.appointments()).toMatchObject([
        { status: 'confirmed', starts_at: '2026-03-03T09:00:00.000Z', resource_ids: [world.borisId] },
      ]);
      expect(mails(world)).toEqual(['rescheduled']);
    },
  },
  {
    name: 'a cancellation',
    prepare: bookOnce,
    verdict: 'done',
    wish: (world) => world.cancel(onlyId(world), { notifyCustomer: true }),
    after: (world) => {
      expect(world.sandbox.truth.appointments()).toMatchObject([
        { status: 'cancelled', cancelled_by: 'api' },
      ]);
      expect(mails(world)).toEqual(['cancelled']);
    },
  },
];

/** Under the memories of the platform that differ for a repeated request. */
const MEMORIES: [string, Partial<SilentSwitches>, 'kept' | 'lost'][] = [
  ['as it is by default', {}, 'kept'],
  ['that remembers 2xx only', { idempotencyRemembers: '2xx' }, 'kept'],
  ['that compares byte by byte', { idempotencyCompares: 'bytes' }, 'kept'],
  ['that forgets keys at once', { idempotencyHours: 0 }, 'kept'],
  ['as it is by default, and Redis lost with the process', {}, 'lost'],
];

export function testDeathsOfAPush(chosen: Chosen): void {
  const stands = new PushStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  const variants = combined([...MEMORIES.entries()], [...SCENARIOS.entries()]).map(
    ([[memory, [platform, switches, redis]], [at, scenario]]) => ({
      ...scenario,
      platform,
      switches,
      redis,
      at: memory + at,
    }),
  );
  test.each(rowsOf(variants, 3))(
    'a platform $platform: $name is done once, whatever call a death takes',
    async ({ switches, redis, ...scenario }) => {
      for (const moment of MOMENTS) {
        const variant = variantOf(scenario.at, moment);
        const end = await sweepCalls({ chosen, variant, callsMax: RUNS_MAX }, async (at) => {
          const world = await stands.start({ switches });
          await scenario.prepare(world);
          const wish = scenario.wish(world);
          const died = await isDeath(
            world.submitter(doomed(world.ground, { at, moment, made: 0 })).submit(ORIGIN, wish),
          );
          if (redis === 'lost') await world.forgetAll();
          // Dead processes stay dead for a while; the platform's clock goes on.
          world.clock.advance(10_000);
          expect(await untilVerdict(world.submitter(), wish, world)).toBe(scenario.verdict);
          scenario.after(world);
          // Once more, by somebody who never heard the verdict.
          expect(await untilVerdict(world.submitter(), wish, world)).toBe(scenario.verdict);
          scenario.after(world);
          expect((await world.store.intents.read(ORIGIN))?.open).toBeUndefined();
          await stands.closeWorlds();
          return died;
        });
        // Read, look, begin, send, settle at least: else nothing was enumerated.
        expect(end).toBeGreaterThan(5);
      }
    },
    600_000,
  );
}

async function bookOnce(world: PushWorld): Promise<void> {
  appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
}

function onlyId(world: PushWorld): string {
  return String(world.sandbox.truth.appointments()[0]?.['id']);
}

function mails(world: PushWorld): string[] {
  return world.sandbox.truth.customerMails().map(({ reason }) => reason);
}

async function isDeath(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (error instanceof Death) return true;
    throw error;
  }
}

async function untilVerdict(submitter: BookingSubmitter, wish: Wish, world: PushWorld): Promise<string> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      const verdict = await submitter.submit(ORIGIN, wish);
      expect(verdict.earlier).toBeUndefined();
      return verdict.outcome === 'done' ? 'done' : verdict.refusal.code;
    } catch (error) {
      if (!(error instanceof RetryableError || error instanceof DeferredError)) throw error;
      world.clock.advance(1_000);
    }
  }
  throw new Error('no verdict');
}
