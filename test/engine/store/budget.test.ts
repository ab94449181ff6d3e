import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeferredError } from '../../../src/engine/errors.ts';
import { keySpace } from '../../../src/engine/key-space.ts';
import type { Admission, BudgetRank } from '../../../src/engine/quotas.ts';
import { openRedis } from '../../../src/engine/redis-client.ts';
import { RedisBudget } from '../../../src/google/budget.ts';
import { RedisPauseStore } from '../../../src/platform/http-rate.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

function process(perMinute: Record<string, number>) {
  const client = openRedis(redis.url, 'commands');
  const keys = keySpace('budget-test');
  return {
    budget: new RedisBudget({ redis: client, keys, clock: { now: Date.now }, perMinute }),
    pause: new RedisPauseStore({ redis: client, keys, name: 'platform' }),
    ready: new Promise<void>((done) => client.once('ready', () => done())),
    close: () => client.disconnect(),
  };
}

test('a budget is shared by all processes of a credential, and what is over it waits for seconds (case 67)', async () => {
  const a = process({ 'google-sheets-write:': 60 });
  const b = process({ 'google-sheets-write:': 60 });
  await Promise.all([a.ready, b.ready]);
  const spent = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? a : b).budget.spend('google-sheets-write:robot')),
  );
  // A quarter of a minute at once; then one a second, and this takes less than a few of them.
  const admitted = spent.filter((each) => each.status === 'fulfilled').length;
  expect(admitted).toBeGreaterThanOrEqual(15);
  expect(admitted).toBeLessThan(25);
  const refused = spent.flatMap((each) => (each.status === 'rejected' ? [each.reason as DeferredError] : []));
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['quota-spent']));
  const waits = refused.map(({ retryAfterMs }) => retryAfterMs);
  expect(Math.min(...waits)).toBeGreaterThan(0);
  expect(Math.min(...waits)).toBeLessThanOrEqual(1_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
  a.close();
  b.close();
});

test('another credential and another quota have budgets of their own (case 67)', async () => {
  const a = process({ 'google-sheets-write:': 1, 'google-sheets-read:': 8 });
  await a.ready;
  await a.budget.spend('google-sheets-write:other');
  await expect(a.budget.spend('google-sheets-write:other')).rejects.toMatchObject({ code: 'quota-spent' });
  for (let times = 0; times < 2; times += 1) await a.budget.spend('google-sheets-read:other');
  await expect(a.budget.spend('google-sheets-read:other')).rejects.toMatchObject({ code: 'quota-spent' });
  await a.budget.spend('google-sheets-write:third');
  a.close();
});

test('without Redis no call is admitted, and none waits for it for long', async () => {
  const a = process({ 'google-sheets-write:': 60 });
  await a.ready;
  a.close();
  const away = { family: 'retryable', code: 'store-unavailable' };
  await expect(a.budget.spend('google-sheets-write:robot')).rejects.toMatchObject(away);
});

test('a pause holds for every process, and the newest one counts', async () => {
  const a = process({});
  const b = process({});
  await Promise.all([a.ready, b.ready]);
  await a.pause.pause(3_600_000);
  expect(await b.pause.leftMs()).toBeGreaterThan(1_800_000);
  await b.pause.pause(600_000);
  expect(await a.pause.leftMs()).toBeLessThanOrEqual(600_000);
  expect(await a.pause.leftMs()).toBeGreaterThan(0);
  a.close();
  b.close();
});

test('answers that leave together count as those that leave alone: a limited target and a row of refusals end', async () => {
  const client = openRedis(redis.url, 'commands');
  await new Promise<void>((done) => client.once('ready', () => done()));
  const keys = keySpace('answers');
  const states = [];
  for (const answersWithinMs of [0, 20]) {
    const storeClock = { now: () => 1_000_000_000 };
    const perMinute = { 'google-calendar:': 600 };
    const parts = { redis: client, keys, clock: storeClock, storeClock, perMinute, answersWithinMs };
    const budget = new RedisBudget(parts);
    const name = 'google-calendar:robot';
    await client.del(keys.rate(name), keys.rate(`${name} calendar:a`));
    const spend = (target: string) => budget.spend(name, { target });
    const first = await spend('calendar:a');
    await budget.refused(first, { reason: 'userRateLimitExceeded', mayMeanTarget: true });
    const admissions = [await spend('calendar:a'), await spend('calendar:a'), await spend('calendar:b')];
    await Promise.all(admissions.map((each) => budget.answered(each)));
    states.push([
      await client.hgetall(keys.rate(name)),
      await client.hgetall(keys.rate(`${name} calendar:a`)),
    ]);
    expect(await client.pttl(keys.rate(name))).toBeGreaterThan(0);
  }
  expect(states[1]).toEqual(states[0]);
  const answered = Object.entries(states[1]?.[0] ?? {}).filter(([field]) => /^o\d/.test(field));
  expect(answered.map(([, count]) => count)).toEqual(['3']);
  client.disconnect();
});

test('a target that Google stopped for hours stays stopped, also if an older version of the worker noted it', async () => {
  const client = openRedis(redis.url, 'commands');
  await new Promise<void>((done) => client.once('ready', () => done()));
  const keys = keySpace('stopped-target');
  const perMinute = { 'google-calendar:': 600 };
  const budget = new RedisBudget({ redis: client, keys, clock: { now: Date.now }, perMinute });
  const name = 'google-calendar:robot';
  const [target, hoursMs] = ['calendar:a', 10 * 3_600_000];
  const stop = { firstMs: hoursMs, times: 1, longestMs: hoursMs, atOnce: true };
  const admission = await budget.spend(name, { target });
  await budget.refused(admission, { reason: 'quotaExceeded', mayMeanTarget: true, stop });
  const paused = { code: 'quota-paused' };
  await expect(budget.spend(name, { target })).rejects.toMatchObject(paused);
  await budget.spend(name, { target: 'calendar:b' });
  // The budget knows for as long as it may matter that a target has a state of its own.
  const [ofBudget, ofTarget] = [keys.rate(name), keys.rate(`${name} ${target}`)];
  expect(await client.pttl(ofBudget)).toBeGreaterThan(hoursMs);
  expect(await client.pttl(ofBudget)).toBeGreaterThan((await client.pttl(ofTarget)) - 60_000);
  await client.hdel(ofBudget, 'targets-until');
  await expect(budget.spend(name, { target })).rejects.toMatchObject(paused);
  client.disconnect();
});

type Act =
  | { readonly act: 'spend'; readonly rank: BudgetRank; readonly target: string | undefined }
  | { readonly act: 'answer' | 'refuse'; readonly nth: number }
  | { readonly act: 'wait'; readonly ms: number };

test('a call that a few fields admit is admitted as by the whole state, and leaves the same', async () => {
  const client = openRedis(redis.url, 'commands');
  let nowMs = 0;
  const storeClock = { now: () => nowMs };
  const open = (prefix: string) => {
    const keys = keySpace(prefix);
    const perMinute = { 'calendar:': 40 };
    const budget = new RedisBudget({ redis: client, keys, clock: { now: Date.now }, perMinute, storeClock });
    return { budget, admitted: [] as Admission[], key: (name: string) => keys.rate(name) };
  };
  const target = fc.constantFrom(undefined, 'calendar:anna', 'calendar:boris');
  const rank = fc.constantFrom<BudgetRank[]>('live', 'catch-up', 'list');
  const nth = fc.nat(20);
  const acts = fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.record({ act: fc.constant('spend' as const), rank, target }) },
      { weight: 3, arbitrary: fc.record({ act: fc.constant('answer' as const), nth }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constant('refuse' as const), nth }) },
      {
        weight: 4,
        arbitrary: fc.record({
          act: fc.constant('wait' as const),
          ms: fc.oneof(
            { weight: 9, arbitrary: fc.nat(900) },
            { weight: 1, arbitrary: fc.constantFrom(15_000, 70_000) },
          ),
        }),
      },
    ),
    { minLength: 30, maxLength: 120 },
  );
  /** The bucket is refilled to the end, and the minute is full before. */
  const fullMinute = Array.from({ length: 300 }, (): Act[] => [
    { act: 'spend', rank: 'live', target: 'calendar:anna' },
    { act: 'wait', ms: 310 },
  ]).flat();
  let runs = 0;
  let atOnce = 0;
  await fc.assert(
    fc.asyncProperty(acts, async (given: readonly Act[]) => {
      runs += 1;
      nowMs = 1_900_000_000_000;
      const [quick, whole] = [open(`quick-${runs}`), open(`whole-${runs}`)];
      for (const each of given) {
        if (each.act === 'wait') nowMs += each.ms;
        if (each.act === 'wait') continue;
        const slot = String(Math.floor(nowMs / 2_000));
        if ((await client.hget(quick.key('calendar:x'), 'past-slot')) === slot) atOnce += 1;
        await client.hdel(whole.key('calendar:x'), 'past-slot');
        const ends = await Promise.all([quick, whole].map((side) => carryOut(side, each)));
        expect(ends[0]).toEqual(ends[1]);
        for (const name of ['calendar:x', 'calendar:x calendar:anna', 'calendar:x calendar:boris'])
          expect(stateOf(await client.hgetall(quick.key(name)), nowMs)).toEqual(
            stateOf(await client.hgetall(whole.key(name)), nowMs),
          );
      }
    }),
    { numRuns: 15, endOnFailure: true, examples: [[fullMinute]] },
  );
  expect(atOnce).toBeGreaterThan(100);
  client.disconnect();
});

async function carryOut(
  { budget, admitted }: { readonly budget: RedisBudget; readonly admitted: Admission[] },
  act: Exclude<Act, { act: 'wait' }>,
): Promise<unknown> {
  if (act.act === 'spend') {
    const { rank, target } = act;
    const spent = budget.spend('calendar:x', { rank, ...(target !== undefined && { target }) });
    return spent.then(
      (admission) => {
        admitted.push(admission);
        return [admission.turn, admission.atMs];
      },
      ({ code }: DeferredError) => code,
    );
  }
  const [admission] = admitted.splice(act.nth % Math.max(1, admitted.length), 1);
  if (admission === undefined) return undefined;
  if (act.act === 'answer') return budget.answered(admission);
  return (await budget.refused(admission, { reason: 'rateLimitExceeded', mayMeanTarget: true })).quota;
}

/** Without what the next whole reading leaves out or computes anew: slots that are no part of the minute, and the sum of those before. */
function stateOf(fields: Readonly<Record<string, string>>, nowMs: number): unknown {
  const isKept = (name: string) => {
    const slot = Number(/^[so](\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(slot)) return name !== 'past' && name !== 'past-slot';
    return slot >= Math.floor((nowMs - 60_000) / 2_000) && slot <= Math.floor(nowMs / 2_000);
  };
  const kept = Object.entries(fields).filter(([name]) => isKept(name));
  // A value may be a key, which names its key space.
  return Object.fromEntries(kept.map(([name, value]) => [name, value.replace(/^\{[^}]*\}/, '')]));
}
