import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeferredError } from '../../../src/engine/errors.ts';
import { keySpace } from '../../../src/engine/key-space.ts';
import type { Admission, QuotaRefusal } from '../../../src/engine/quotas.ts';
import { openRedis } from '../../../src/engine/redis-client.ts';
import { RedisBudget } from '../../../src/google/budget.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { atLength, rowsOf } from '../../stand/runs.ts';

const NAME = 'google-calendar:robot';
const RATE = { reason: 'userRateLimitExceeded', mayMeanTarget: false };
const ONE = { reason: 'rateLimitExceeded', mayMeanTarget: true };
const DAILY = {
  reason: 'dailyLimitExceeded',
  mayMeanTarget: false,
  stop: { firstMs: 900_000, times: 2, longestMs: 7_200_000, atOnce: true },
};
const MINUTE_MS = 60_000;

let redis: TestRedis;
let spaces = 0;
const opened: { disconnect(): void }[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(async () => {
  for (const client of opened) client.disconnect();
  await redis.stop();
});

/** Processes of one installation, one for each setting, by a clock that the test moves. */
async function open(...settings: number[]) {
  spaces += 1;
  const keys = keySpace(`quotas-${spaces}`);
  const clock = new HandClock(Date.parse('2026-11-21T10:00:00Z'));
  const processes = await Promise.all(
    settings.map(async (setting) => {
      const client = openRedis(redis.url, 'commands');
      opened.push(client);
      await new Promise<void>((done) => client.once('ready', () => done()));
      const perMinute = { 'google-calendar:': setting };
      return new RedisBudget({ redis: client, keys, clock, storeClock: clock, perMinute });
    }),
  );
  const [a, b = a] = processes as [RedisBudget, RedisBudget?];
  return {
    ...{ a, b, clock },
    /** The budget as `status` shows it. */
    whole: async () => (await b.read()).find(({ target }) => target === undefined),
    one: async () => (await b.read()).find(({ target }) => target !== undefined),
    /** Calls until none is admitted; how many were. */
    async drain(more: Parameters<RedisBudget['spend']>[1] = {}): Promise<number> {
      for (let calls = 0; ; calls += 1) {
        const denied = await a.spend(NAME, more).then(
          () => undefined,
          (error: DeferredError) => error,
        );
        if (denied === undefined) continue;
        expect(denied).toMatchObject({ family: 'deferred', code: 'quota-spent', quota: NAME });
        expect(denied.retryAfterMs).toBeGreaterThan(0);
        return calls;
      }
    },
    /** One call for each target, all under way together, and all refused in the order in which they left. */
    async refuse(refusal: QuotaRefusal, targets: readonly (string | undefined)[]) {
      const left: Admission[] = [];
      for (const target of targets) left.push(await a.spend(NAME, target === undefined ? {} : { target }));
      clock.advance(20);
      const pauses: Awaited<ReturnType<RedisBudget['refused']>>[] = [];
      for (const admission of left) pauses.push(await b.refused(admission, refusal));
      return pauses;
    },
    async answer(target = 'calendar:fine'): Promise<void> {
      const admission = await a.spend(NAME, { target });
      clock.advance(20);
      await b.answered(admission);
    },
  };
}

const PAUSED = { family: 'deferred', code: 'quota-paused', quota: NAME };
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('a budget', () => {
  test('refills continuously: spent to the last call, it admits the next one after one call’s share of a minute', async () => {
    const { a, clock, drain } = await open(600);
    expect(await drain()).toBe(150);
    const denied = await a.spend(NAME).catch((error: DeferredError) => error);
    expect((denied as DeferredError).retryAfterMs).toBeLessThanOrEqual(300);
    clock.advance(100);
    await a.spend(NAME);
    await expect(a.spend(NAME)).rejects.toMatchObject({ code: 'quota-spent' });
    clock.advance(1_000);
    expect(await drain()).toBe(10);
  });

  test('admits within any minute no more than the settings say, although a burst came first', async () => {
    const { clock, drain } = await open(600);
    let calls = await drain();
    for (let ms = 0; ms < MINUTE_MS - 2_000; ms += 500) {
      clock.advance(500);
      calls += await drain();
    }
    expect(calls).toBe(600);
  });

  test('sends those away one after the other, the first come first', async () => {
    const { a, drain } = await open(600);
    await drain();
    const waits: number[] = [];
    for (let index = 0; index < 5; index += 1)
      waits.push(await a.spend(NAME).then(Number, (error: DeferredError) => error.retryAfterMs));
    expect(waits).toEqual(waits.toSorted((x, y) => x - y));
    expect(new Set(waits).size).toBe(5);
  });

  test('lists stop first, then what is caught up with, live work last, in a burst and over the minute (case 57)', async () => {
    const { clock, drain } = await open(600);
    expect(await drain({ rank: 'list' })).toBe(112);
    expect(await drain({ rank: 'catch-up' })).toBe(23);
    expect(await drain({ rank: 'live' })).toBe(15);
    let lists = 0;
    for (let ms = 0; ms < 56_000; ms += 500) {
      clock.advance(500);
      lists += await drain({ rank: 'list' });
    }
    // Three quarters of the minute are the most that lists can take.
    expect(112 + 23 + 15 + lists).toBeLessThanOrEqual(450);
    expect(await drain({ rank: 'live' })).toBeGreaterThanOrEqual(100);
  });

  test('never refills for a clock that was set back, and waits no longer for it', async () => {
    const { a, clock, drain } = await open(600);
    await drain();
    clock.advance(-3 * 3_600_000);
    await expect(a.spend(NAME)).rejects.toMatchObject({ code: 'quota-spent' });
    clock.advance(1_000);
    expect(await drain()).toBe(10);
  });

  atLength.test(
    'goes by the lowest setting of the processes that called within the last minute',
    async () => {
      const { a, b, clock, whole } = await open(600, 60);
      await a.spend(NAME);
      expect(await whole()).toMatchObject({ admitted: 600 });
      await b.spend(NAME);
      let calls = 0;
      while (calls < 100 && (await a.spend(NAME).then(Boolean, () => false))) calls += 1;
      expect(calls).toBeLessThanOrEqual(14);
      expect(await whole()).toMatchObject({ admitted: 60 });
      clock.advance(MINUTE_MS + 1);
      await a.spend(NAME);
      expect(await whole()).toMatchObject({ admitted: 600 });
    },
  );
});

describe('a refusal of the credential (cases 36, 67)', () => {
  test('lowers the rate for every process, and pauses nobody', async () => {
    const { a, b, refuse, whole, drain, clock } = await open(600, 600);
    await drain();
    clock.advance(10_000);
    const [pause] = await refuse(RATE, [undefined]);
    expect(pause).toEqual({ quota: NAME, waitMs: 0 });
    const state = await whole();
    expect(state).toMatchObject({ pausedUntilMs: undefined, reason: 'userRateLimitExceeded', limit: 600 });
    expect(state?.admitted).toBeLessThan(600);
    await a.spend(NAME);
    await b.spend(NAME);
  });

  test('lowers it the more, the fuller the minute was', async () => {
    const lowered = async (calls: number) => {
      const world = await open(600);
      for (let call = 0; call < calls; call += 1) {
        await world.a.spend(NAME);
        world.clock.advance(100);
      }
      await world.refuse(RATE, [undefined]);
      return 600 - ((await world.whole())?.admitted ?? 0);
    };
    const [few, many] = [await lowered(60), await lowered(500)];
    expect(few).toBeLessThan(10);
    expect(many).toBeGreaterThan(100);
  });

  atLength.test('of calls that were under way together lowers it once', async () => {
    const world = await open(600, 600);
    await world.drain();
    world.clock.advance(10_000);
    const { a, b, clock } = world;
    const left = [await a.spend(NAME), await a.spend(NAME), await a.spend(NAME)];
    await b.refused(left[0] as Admission, RATE);
    const lowered = (await world.whole())?.admitted;
    for (const admission of left.slice(1)) {
      clock.advance(2_000);
      await b.refused(admission, RATE);
    }
    expect((await world.whole())?.admitted).toBe(lowered);
  });

  atLength.test('is forgotten by and by as calls are answered', async () => {
    const { a, b, clock, drain, refuse, whole } = await open(120);
    await drain();
    clock.advance(30_000);
    await refuse(RATE, [undefined]);
    const lowered = (await whole())?.admitted ?? 0;
    expect(lowered).toBeLessThan(120);
    for (let call = 0; call < 200; call += 1) {
      clock.advance(600);
      await b.answered(await a.spend(NAME));
    }
    expect(await whole()).toMatchObject({ admitted: 120, reason: undefined });
  });

  test('eight in a row stop everything for a second; then one call tries, and its success ends the stop', async () => {
    const { a, b, clock, refuse, whole } = await open(600, 600);
    await refuse(RATE, times(8, undefined));
    expect((await whole())?.pausedUntilMs).toBe(clock.now() + 1_000);
    for (const budget of [a, b]) await expect(budget.spend(NAME)).rejects.toMatchObject(PAUSED);
    clock.advance(1_000);
    const probe = await a.spend(NAME);
    for (const budget of [a, b]) await expect(budget.spend(NAME)).rejects.toMatchObject(PAUSED);
    await a.answered(probe);
    clock.advance(6_000);
    await b.spend(NAME);
    expect((await whole())?.pausedUntilMs).toBeUndefined();
  });

  atLength.test('of the call that tries makes the stop twice as long, up to five seconds', async () => {
    const { a, clock, refuse } = await open(600);
    await refuse(RATE, times(8, undefined));
    const stops: number[] = [];
    clock.advance(1_000);
    for (let tries = 0; tries < 4; tries += 1) {
      const { waitMs } = await a.refused(await a.spend(NAME), RATE);
      stops.push(waitMs);
      clock.advance(waitMs);
    }
    for (const [at, ms] of [2_000, 4_000, 5_000, 5_000].entries()) {
      expect(stops[at]).toBeGreaterThanOrEqual(ms);
      expect(stops[at]).toBeLessThanOrEqual(ms * 1.1 + 1);
    }
  });

  atLength.test('when the call that tries is lost, another one tries', async () => {
    const { a, b, clock, refuse } = await open(600);
    await refuse(RATE, times(8, undefined));
    clock.advance(1_000);
    await a.spend(NAME);
    clock.advance(11_000);
    await expect(b.spend(NAME)).rejects.toMatchObject(PAUSED);
    clock.advance(1_000);
    await b.spend(NAME);
  });

  atLength.test('never takes the rate below one call in five seconds', async () => {
    const { a, clock, refuse, whole } = await open(600);
    await refuse(RATE, times(8, undefined));
    for (let tries = 0; tries < 20; tries += 1) {
      clock.advance(6_000);
      await a.refused(await a.spend(NAME), RATE);
    }
    expect((await whole())?.admitted).toBe(12);
  });

  atLength.test('is not undone by a success of a call that left before it', async () => {
    const { a, b, clock, refuse, whole } = await open(600, 600);
    const early = await a.spend(NAME);
    await refuse(RATE, times(7, undefined));
    await b.answered(early);
    await refuse(RATE, [undefined]);
    expect((await whole())?.pausedUntilMs).toBe(clock.now() + 1_000);
    // It left before the stop as well, and does not end it.
    await b.answered(early);
    await expect(a.spend(NAME)).rejects.toMatchObject(PAUSED);
    clock.advance(1_000);
    await a.spend(NAME);
  });
});

describe('a daily limit', () => {
  test('stops at once, for every process; one call tries after a quarter of an hour, and its refusal doubles the stop', async () => {
    const { a, b, clock, refuse, whole } = await open(600, 600);
    const [pause] = await refuse(DAILY, [undefined]);
    // Whoever waits looks every five minutes.
    expect(pause?.waitMs).toBeGreaterThanOrEqual(300_000);
    expect(pause?.waitMs).toBeLessThanOrEqual(305_000);
    expect(await whole()).toMatchObject({
      pausedUntilMs: clock.now() + 900_000,
      reason: 'dailyLimitExceeded',
    });
    clock.advance(899_999);
    for (const budget of [a, b]) await expect(budget.spend(NAME)).rejects.toMatchObject(PAUSED);
    clock.advance(1);
    const probe = await b.spend(NAME);
    await expect(a.spend(NAME)).rejects.toMatchObject(PAUSED);
    await b.refused(probe, DAILY);
    expect((await whole())?.pausedUntilMs).toBe(clock.now() + 1_800_000);
    clock.advance(1_800_000);
    await b.answered(await b.spend(NAME));
    clock.advance(1_000);
    await refuse(DAILY, [undefined]);
    expect((await whole())?.pausedUntilMs).toBe(clock.now() + 900_000);
  });

  atLength.test('is not cut short by what was refused for its rate meanwhile', async () => {
    const { a, clock, refuse, whole } = await open(600);
    const early = await a.spend(NAME);
    await refuse(DAILY, [undefined]);
    await a.refused(early, RATE);
    expect((await whole())?.pausedUntilMs).toBe(clock.now() + 900_000);
  });

  atLength.test('lasts no longer than it was meant to when the clock is set back', async () => {
    const { a, clock, refuse } = await open(600);
    await refuse(DAILY, [undefined]);
    clock.advance(-3 * 3_600_000);
    await expect(a.spend(NAME)).rejects.toMatchObject(PAUSED);
    clock.advance(900_000);
    await a.spend(NAME);
  });
});

describe('one calendar that Google limits by itself (cases 36, 70)', () => {
  const A = 'calendar:a';
  const ALONE = { family: 'deferred', code: 'quota-paused', quota: `${NAME} ${A}`, target: A };

  test.each(rowsOf([600, 3_600], 2))(
    'for %i s waits alone, is tried once in five seconds, and the others go on at full speed',
    async (seconds) => {
      const { a, b, clock, refuse, answer, one, whole } = await open(600, 600);
      await answer();
      const pauses = await refuse(ONE, times(8, A));
      expect(pauses.every(({ quota }) => quota === `${NAME} ${A}`)).toBe(true);
      let refusals = 0;
      let others = 0;
      const endMs = clock.now() + seconds * 1_000;
      while (clock.now() < endMs) {
        const tried = await b.spend(NAME, { target: A }).catch((error: DeferredError) => error);
        if ('turn' in tried) {
          await a.refused(tried, ONE);
          refusals += 1;
        } else expect(tried).toMatchObject(ALONE);
        await a.answered(await a.spend(NAME, { target: `calendar:${others % 7}` }));
        others += 1;
        clock.advance(1_000);
      }
      expect(others).toBeGreaterThanOrEqual(seconds);
      expect(refusals).toBeLessThanOrEqual(seconds / 5 + 2);
      expect(refusals).toBeGreaterThan(seconds / 20);
      expect(await whole()).toMatchObject({ admitted: 600, pausedUntilMs: undefined, reason: undefined });
      expect(await one()).toMatchObject({ target: A, reason: 'rateLimitExceeded' });
      clock.advance(6_000);
      await b.answered(await b.spend(NAME, { target: A }));
      clock.advance(6_000);
      await a.spend(NAME, { target: A });
    },
  );

  test('and another one right after it, with no later call answered, are the credential’s', async () => {
    const { a, refuse } = await open(600, 600);
    const early = await a.spend(NAME);
    await refuse(ONE, [A]);
    // Left before the refusal: it says nothing of what Google lets through now.
    await a.answered(early);
    expect(await refuse(ONE, ['calendar:b'])).toMatchObject([{ quota: NAME }]);
  });

  atLength.test(
    'and another one are each limited by itself while a later call is answered in between',
    async () => {
      const { refuse, answer } = await open(600, 600);
      for (const target of [A, 'calendar:b', A, 'calendar:b']) {
        expect(await refuse(ONE, [target])).toMatchObject([{ quota: `${NAME} ${target}` }]);
        await answer();
      }
    },
  );

  atLength.test(
    'after three others are the credential’s, although calls in between are answered',
    async () => {
      const { refuse, answer } = await open(600, 600);
      const meant: (string | undefined)[] = [];
      for (const target of [A, 'calendar:b', 'calendar:c', 'calendar:d', 'calendar:e']) {
        const [pause] = await refuse(ONE, [target]);
        meant.push(pause?.quota);
        await answer();
      }
      expect(meant).toEqual([`${NAME} ${A}`, `${NAME} calendar:b`, `${NAME} calendar:c`, NAME, NAME]);
    },
  );

  atLength.test('says nothing of another one a minute later', async () => {
    const { clock, refuse } = await open(600);
    await refuse(ONE, [A]);
    clock.advance(MINUTE_MS + 1);
    expect(await refuse(ONE, ['calendar:b'])).toMatchObject([{ quota: `${NAME} calendar:b` }]);
  });

  atLength.test('is forgotten once its calls are answered again', async () => {
    const { a, b, clock, refuse, one } = await open(600);
    await refuse(ONE, times(8, A));
    clock.advance(1_000);
    for (let call = 0; call < 600; call += 1) {
      const admission = await a.spend(NAME, { target: A }).catch(() => undefined);
      if (admission !== undefined) await b.answered(admission);
      clock.advance(250);
    }
    expect(await one()).toBeUndefined();
  });
});

describe('the ledger', () => {
  test('says what is spent and how many wait, until they come back', async () => {
    const { a, b, clock } = await open(8, 8);
    await a.spend(NAME);
    await a.spend(NAME);
    await a.waits('appointment/1', [NAME], clock.now() + 5_000);
    await b.waits('appointment/2', [NAME, 'google-sheets-read:robot'], clock.now() + 9_000);
    await b.waits('appointment/1', [NAME], clock.now() + 6_000);
    const quota = {
      name: NAME,
      spent: 2,
      admitted: 8,
      limit: 8,
      pausedUntilMs: undefined,
      reason: undefined,
    };
    // A budget without a limit is not counted, and not shown.
    expect(await b.read()).toEqual([{ ...quota, waiting: 2 }]);
    clock.advance(7_000);
    expect(await b.read()).toEqual([{ ...quota, waiting: 1 }]);
    clock.advance(3_600_000);
    expect(await b.read()).toEqual([]);
  });
});
