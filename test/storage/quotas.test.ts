import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeferredError } from '../../src/domain/errors.ts';
import { RedisBudget } from '../../src/storage/budget.ts';
import { KeySpace } from '../../src/storage/key-space.ts';
import { openRedis } from '../../src/storage/redis-client.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';

const NAME = 'google-calendar:robot';
const MINUTE = { reason: 'rateLimitExceeded', firstMs: 2_000, longestMs: 60_000 };
const HOURS = { reason: 'quotaExceeded', firstMs: 900_000, longestMs: 7_200_000 };

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

/** Several processes of one installation. */
async function processes(count: number, clock: HandClock, perMinute: Record<string, number> = {}) {
  spaces += 1;
  const keys = new KeySpace(`quotas-${spaces}`);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = openRedis(redis.url, 'commands');
      opened.push(client);
      await new Promise<void>((done) => client.once('ready', () => done()));
      const limits = { 'google-calendar:': 1_000, ...perMinute };
      return new RedisBudget({ redis: client, keys, clock, perMinute: limits });
    }),
  );
}

const now = () => new HandClock(Date.parse('2026-11-21T10:00:00Z'));
const paused = { family: 'deferred', code: 'quota-paused', quota: NAME };

describe('what Google itself refuses (cases 36, 67)', () => {
  test('pauses the budget of the credential for every process, and no other budget', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    await a?.spend(NAME);
    const { waitMs } = (await a?.refused(NAME, { ...MINUTE, leftAtMs: clock.now() })) ?? { waitMs: 0 };
    expect(waitMs).toBeGreaterThanOrEqual(2_000);
    expect(waitMs).toBeLessThanOrEqual(2_200);
    await expect(b?.spend(NAME)).rejects.toMatchObject(paused);
    await expect(a?.spend(NAME)).rejects.toMatchObject(paused);
    await b?.spend('google-calendar:other');
    clock.advance(2_000);
    await b?.spend(NAME);
    await a?.spend(NAME);
  });

  test('pauses nobody when it was met by a clock that has been put back by hours since, until it is refused again', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    await a?.refused(NAME, { ...HOURS, leftAtMs: clock.now() });
    await expect(b?.spend(NAME)).rejects.toMatchObject(paused);
    clock.advance(-3 * 3_600_000);
    await a?.spend(NAME);
    await b?.spend(NAME);
    const { waitMs } = (await b?.refused(NAME, { ...MINUTE, leftAtMs: clock.now() })) ?? { waitMs: 0 };
    expect(waitMs).toBeLessThanOrEqual(2_200);
    await expect(a?.spend(NAME)).rejects.toMatchObject(paused);
    clock.advance(2_200);
    await a?.spend(NAME);
  });

  test('pauses for twice as long each time it is refused again, up to a minute', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    const pauses: number[] = [];
    for (const budget of [a, b, a, b, a, b, a]) {
      await budget?.spend(NAME);
      const leftAtMs = clock.now();
      clock.advance(20);
      await budget?.refused(NAME, { ...MINUTE, leftAtMs });
      const [state] = (await b?.read()) ?? [];
      pauses.push((state?.pausedUntilMs ?? 0) - clock.now());
      clock.advance(pauses.at(-1) ?? 0);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('is one refusal, however many calls were under way', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    const leftAtMs = clock.now();
    clock.advance(100);
    await Promise.all([a, b, a, b, a].map((budget) => budget?.refused(NAME, { ...MINUTE, leftAtMs })));
    const [state] = (await a?.read()) ?? [];
    expect((state?.pausedUntilMs ?? 0) - clock.now()).toBe(2_000);
  });

  test('met late by calls that left before it does not prolong a pause that has grown', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    await a?.refused(NAME, { ...MINUTE, leftAtMs: clock.now() });
    clock.advance(2_000);
    const leftAtMs = clock.now();
    clock.advance(20);
    await a?.refused(NAME, { ...MINUTE, leftAtMs });
    const untilMs = clock.now() + 4_000;
    for (let times = 0; times < 3; times += 1) {
      clock.advance(300);
      await b?.refused(NAME, { ...MINUTE, leftAtMs });
    }
    expect(await b?.read()).toMatchObject([{ pausedUntilMs: untilMs }]);
  });

  test('begins anew after a quiet time', async () => {
    const clock = now();
    const [a] = await processes(1, clock);
    for (let times = 0; times < 2; times += 1)
      await a?.refused(NAME, { ...MINUTE, leftAtMs: clock.now() + times });
    // Redis forgets by its own clock: what is asked for here is that the entry has an end.
    const client = openRedis(redis.url, 'commands');
    opened.push(client);
    const ttlMs = await client.pttl(new KeySpace(`quotas-${spaces}`).quotaPause(NAME));
    expect(ttlMs).toBeGreaterThan(10_000);
    expect(ttlMs).toBeLessThanOrEqual(14_100);
  });

  test('for hours is not cut short by what is refused for seconds, and who waits looks after its other mirrors meanwhile', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    const refused = await a?.refused(NAME, { ...HOURS, leftAtMs: clock.now() });
    expect(refused?.waitMs).toBeLessThanOrEqual(305_000);
    // Under way when the pause began, one from before it was met and one from after.
    for (const before of [-1, 1]) await b?.refused(NAME, { ...MINUTE, leftAtMs: clock.now() - before });
    const [state] = (await b?.read()) ?? [];
    expect(state).toMatchObject({ pausedUntilMs: clock.now() + 900_000, reason: 'quotaExceeded' });
    clock.advance(899_000);
    await expect(b?.spend(NAME)).rejects.toMatchObject(paused);
  });
});

describe('one calendar that Google limits by itself (cases 36, 70)', () => {
  const A = 'calendar:a';
  const B = 'calendar:b';
  type Process = Awaited<ReturnType<typeof processes>>[number] | undefined;
  const refuse = (budget: Process, clock: HandClock, target: string) => {
    const leftAtMs = clock.now();
    clock.advance(20);
    return budget?.refused(NAME, { ...MINUTE, target, leftAtMs });
  };
  const answer = (budget: Process, clock: HandClock) => {
    const leftAtMs = clock.now();
    clock.advance(20);
    budget?.answered(NAME, leftAtMs);
  };

  test('rests alone in every process, for longer each time, and says what is waited for', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    const waits: number[] = [];
    for (let times = 0; times < 7; times += 1) {
      const refused = await refuse(a, clock, A);
      expect(refused?.quota).toBe(`${NAME} ${A}`);
      const alone = { family: 'deferred', code: 'quota-paused', quota: `${NAME} ${A}`, target: A };
      for (const budget of [a, b]) {
        await expect(budget?.spend(NAME, { target: A })).rejects.toMatchObject(alone);
        await budget?.spend(NAME, { target: B });
      }
      await b?.waits('appointment/1', [`${NAME} ${A}`], clock.now() + 60_000);
      const [whole, one] = (await b?.read()) ?? [];
      expect(whole).toMatchObject({ name: NAME, target: undefined, pausedUntilMs: undefined, waiting: 0 });
      expect(one).toMatchObject({ name: NAME, target: A, reason: 'rateLimitExceeded', waiting: 1 });
      waits.push((one?.pausedUntilMs ?? 0) - clock.now());
      clock.advance(waits.at(-1) ?? 0);
      await a?.spend(NAME, { target: A });
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('and another one do not make the credential limited while a call in between was answered', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    for (let times = 0; times < 4; times += 1) {
      await refuse(a, clock, A);
      answer(b, clock);
      expect(await refuse(b, clock, B)).toMatchObject({ quota: `${NAME} ${B}` });
      answer(a, clock);
    }
    await a?.spend(NAME, { target: 'calendar:c' });
  });

  test('met before the clock was put back by hours says nothing of another one now', async () => {
    const clock = now();
    const [a] = await processes(1, clock);
    const refuse = (target: string) => a?.refused(NAME, { ...MINUTE, target, leftAtMs: clock.now() });
    await refuse('calendar:anna');
    clock.advance(-3 * 3_600_000);
    expect(await refuse('calendar:boris')).toMatchObject({ quota: `${NAME} calendar:boris` });
  });

  test('and another one are the credential’s although an answer came before the clock was put back', async () => {
    const clock = now();
    const [a] = await processes(1, clock);
    a?.answered(NAME, clock.now());
    clock.advance(-3 * 3_600_000);
    const refuse = (target: string) => a?.refused(NAME, { ...MINUTE, target, leftAtMs: clock.now() });
    await refuse('calendar:anna');
    expect(await refuse('calendar:boris')).toMatchObject({ quota: NAME });
  });

  test('and another one right after it, in whichever process, are the whole credential refused', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock);
    const early = clock.now();
    await refuse(a, clock, A);
    // Left before the refusal: it says nothing of what Google lets through now.
    b?.answered(NAME, early);
    expect(await refuse(b, clock, B)).toMatchObject({ quota: NAME });
    for (const target of [A, B, 'calendar:c'])
      await expect(a?.spend(NAME, { target })).rejects.toMatchObject({ code: 'quota-paused' });
    const [whole] = (await a?.read()) ?? [];
    expect(whole).toMatchObject({ target: undefined, reason: 'rateLimitExceeded' });
  });
});

describe('when a budget runs low', () => {
  test('lists stop first, then what is caught up with, live work last (case 57)', async () => {
    const clock = now();
    const [a] = await processes(1, clock, { 'google-calendar:': 20 });
    const spent = { list: 0, 'catch-up': 0, live: 0 };
    for (const rank of ['list', 'catch-up', 'live'] as const) {
      for (;;) {
        const failure = await a?.spend(NAME, { rank }).catch((error: DeferredError) => error);
        if (failure !== undefined) {
          expect(failure).toMatchObject({ code: 'quota-spent', quota: NAME });
          expect(failure.retryAfterMs).toBeGreaterThan(0);
          break;
        }
        spent[rank] += 1;
      }
    }
    expect(spent).toEqual({ list: 15, 'catch-up': 3, live: 2 });
  });
});

describe('the ledger', () => {
  test('says what is spent and how many wait, until they come back', async () => {
    const clock = now();
    const [a, b] = await processes(2, clock, { 'google-calendar:': 3 });
    await a?.spend(NAME, { cost: 2 });
    await a?.waits('appointment/1', [NAME], clock.now() + 5_000);
    await b?.waits('appointment/2', [NAME, 'google-sheets-read:robot'], clock.now() + 9_000);
    await b?.waits('appointment/1', [NAME], clock.now() + 6_000);
    const quota = { name: NAME, spent: 2, limit: 3, pausedUntilMs: undefined, reason: undefined };
    // A budget without a limit is not counted, and not shown.
    expect(await b?.read()).toEqual([{ ...quota, waiting: 2 }]);
    clock.advance(7_000);
    expect(await b?.read()).toEqual([{ ...quota, waiting: 1 }]);
    clock.advance(3_600_000);
    expect(await b?.read()).toEqual([]);
  });
});
