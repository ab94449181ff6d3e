/**
 * A death at every await of a move, found by counting: the n-th call to Google or Redis does not come back, before or after it was carried out,
 * for n = 1, 2, … until a round needs no more. After each, another process starts over from what stands then.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Death, doomed } from '../stand/doom.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { rowsOf } from '../stand/runs.ts';
import { type Chosen, MOMENTS, sweepCalls, variantOf } from '../stand/sweep.ts';
import {
  APPOINTMENTS,
  type ArchiveGround,
  type ArchiveStand,
  DAY_MS,
  OFFICE,
  startArchiveStand,
} from './archive-stand.ts';
import { id } from './stand.ts';

/** More than a move makes, at the stride of `npm test` as well. */
const CALLS_MAX = 400;

/** What happens beside the move: nothing, or people and the platform go on. */
const SCENARIOS = [
  {
    name: 'and nothing else happens',
    meanwhile: async () => undefined,
    home: ['2 Name 2 confirmed  mine', '3 Name 3 confirmed'],
    old: ['1 Name 1 confirmed'],
  },
  {
    name: 'and the appointment changes after the death',
    meanwhile: (on: ArchiveStand) => on.seen(1, { customer_name: 'Renamed' }),
    home: ['2 Name 2 confirmed  mine', '3 Name 3 confirmed'],
    old: ['1 Renamed confirmed'],
  },
  {
    name: 'and the appointment is moved into the future after the death',
    meanwhile: (on: ArchiveStand) =>
      on.seen(1, { starts_at: new Date(on.clock.now() + 200 * DAY_MS).toISOString() }),
    home: ['1 Name 1 confirmed', '2 Name 2 confirmed  mine', '3 Name 3 confirmed'],
    old: [],
  },
] as const;

const PLACES = [
  ['the archive is a spreadsheet of its own', APPOINTMENTS.archive],
  ['the archive is a tab of the same spreadsheet', { ...APPOINTMENTS.archive, spreadsheetId: OFFICE }],
] as const;

const VARIANTS = PLACES.flatMap(([where, archive]) =>
  SCENARIOS.map((scenario) => ({ where, archive, scenario })),
);

export function testDeathsOfAMove(chosen: Chosen): void {
  let redis: TestRedis;
  let stand: ArchiveStand | undefined;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());
  afterEach(() => stand?.close());

  const variants = VARIANTS.flatMap((each, at) =>
    MOMENTS.map((moment) => ({ ...each, variant: variantOf(at, moment), moment })),
  );
  for (const { where, archive, scenario, variant, moment } of rowsOf(variants, 5)) {
    test(`${where}: a death ${moment} any call of a move leaves one row of each appointment in its place, ${scenario.name} (case 33, case 72)`, async () => {
      const on = await startArchiveStand(redis.url, {
        archive: archive as NonNullable<typeof archive>,
      } as object);
      stand = on;
      const end = await sweepCalls({ chosen, variant, callsMax: CALLS_MAX }, async (at) => {
        await on.store.redis.flushall();
        for (const tab of ['Visits', 'Old']) on.staff.blankTab({ spreadsheetId: OFFICE, tab });
        on.staff.blankTab({ spreadsheetId: 'cellar', tab: 'Old' });
        for (const [n, starts] of [20, 20, 300].entries()) {
          await on.seen(n + 1, {
            starts_at: new Date(on.clock.now() + (starts - 20) * DAY_MS).toISOString(),
          });
        }
        await on.settle();
        const row = on.sandbox.truth.values(OFFICE, 'Visits').findIndex(([key]) => key === id(2)) + 1;
        on.staff.setCell({ spreadsheetId: OFFICE, tab: 'Visits', cell: `E${row}`, value: 'mine' });
        on.clock.advance(31 * DAY_MS);
        const dying = doomed(on.ground, { at, moment, made: 0 });
        // The rounds of one process, until it dies.
        const died = await roundsOf(on, dying);
        if (!died) return false;
        await scenario.meanwhile(on);
        await on.settle();
        expect([at, on.home(), on.old()]).toEqual([at, scenario.home, scenario.old]);
        const { home, old } = await on.index();
        expect([at, home.length, old.length]).toEqual([at, scenario.home.length, scenario.old.length]);
        return true;
      });
      expect(end).toBeGreaterThan(11);
    }, 600_000);
  }
}

async function roundsOf(on: ArchiveStand, own: ArchiveGround): Promise<boolean> {
  for (let rounds = 0; rounds < 8; rounds += 1) {
    try {
      await on.round(own);
    } catch (error) {
      if (error instanceof Death) return true;
      throw error;
    }
    if ((await on.open()) === 0) return false;
    on.clock.advance(60_000);
  }
  // The handler hides a death: it is over when nothing gets on any more.
  return true;
}
