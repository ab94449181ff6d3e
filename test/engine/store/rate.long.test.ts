import { Random } from '@slotbridge/sandbox/platform/random';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { keySpace } from '../../../src/engine/key-space.ts';
import { openRedis } from '../../../src/engine/redis-client.ts';
import { RedisBudget } from '../../../src/google/budget.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { rowsOf } from '../../stand/runs.ts';
import { type Call, type Change, SlidingMinute, work } from './rate-stand.ts';

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

// The same course of events in each run.
beforeEach(seed);
afterEach(() => {
  vi.restoreAllMocks();
});

function seed(): void {
  const random = new Random(11);
  vi.spyOn(Math, 'random').mockImplementation(() => random.next());
}

/** Processes of one installation, on one clock that the test moves. */
async function open(perMinute: readonly number[] = [600, 600]) {
  spaces += 1;
  const keys = keySpace(`rate-${spaces}`);
  const clock = new HandClock(Date.parse('2026-11-21T10:00:00Z'));
  const budgets = await Promise.all(
    perMinute.map(async (limit) => {
      const client = openRedis(redis.url, 'commands');
      opened.push(client);
      await new Promise<void>((done) => client.once('ready', () => done()));
      const limits = { 'google-calendar:': limit };
      return new RedisBudget({ redis: client, keys, clock, storeClock: clock, perMinute: limits });
    }),
  );
  return { clock, budgets };
}

const changesOf = (count: number, calendars = 20): Change[] =>
  Array.from({ length: count }, (_, at) => ({ target: `calendar:${at % calendars}` }));
const refusedShare = (calls: readonly Call[]) =>
  calls.filter(({ isRefused }) => isRefused).length / calls.length;

/** By the number of changes; the same in each test, so that it is worked off once. */
const undisturbed = new Map<number, Promise<number>>();

async function undisturbedMs(count: number): Promise<number> {
  const known =
    undisturbed.get(count) ??
    open()
      .then((world) => work({ ...world, changes: changesOf(count), judge: () => undefined }))
      .then(({ tookMs }) => tookMs);
  undisturbed.set(count, known);
  const tookMs = await known;
  // What follows begins the same, whether this was worked off just now or in another test.
  seed();
  return tookMs;
}

const REASONS = [
  ['userRateLimitExceeded', { reason: 'userRateLimitExceeded', mayMeanTarget: false }],
  ['rateLimitExceeded', { reason: 'rateLimitExceeded', mayMeanTarget: true }],
  [
    'quotaExceeded',
    {
      reason: 'quotaExceeded',
      mayMeanTarget: true,
      stop: { firstMs: 900_000, times: 2, longestMs: 7_200_000, atOnce: false },
    },
  ],
  ['no reason', { reason: '429', mayMeanTarget: true }],
] as const;

describe('refusals that come by chance', () => {
  test.each(
    rowsOf(
      REASONS.flatMap(([name, refusal]) => [
        { name, refusal, share: 0.1, times: 2 },
        { name, refusal, share: 0.3, times: 4 },
      ]),
      3,
    ),
  )(
    '$name, $share of the calls: 200 changes take at most $times times as long',
    async ({ refusal, share, times }) => {
      const plainMs = await undisturbedMs(200);
      const random = new Random(7);
      const judge = () => (random.next() < share ? refusal : undefined);
      const { tookMs, left } = await work({ ...(await open()), changes: changesOf(200), judge });
      expect(left).toBe(0);
      expect(tookMs).toBeLessThanOrEqual(times * plainMs);
    },
  );
});

describe('refusals that come by chance, and sooner than answers', () => {
  test.each(
    rowsOf(
      REASONS.flatMap(([name, refusal]) => [400, 1_200].map((count) => ({ name, refusal, count }))),
      8,
    ),
  )(
    '$name, 30 % of the calls: no row of them is taken for a spent quota, and $count changes take at most twice as long',
    async ({ refusal, count }) => {
      const plainMs = await undisturbedMs(count);
      const random = new Random(7);
      const judge = () => (random.next() < 0.3 ? refusal : undefined);
      const { tookMs, left } = await work({
        ...{ ...(await open()), changes: changesOf(count, 10), judge },
        refusedAfterMs: 1,
      });
      expect(left).toBe(0);
      expect(tookMs / plainMs).toBeLessThanOrEqual(2);
    },
  );
});

test('a quota of 120 a minute where the settings say 600: the permitted calls do work, and after 30 s few are refused', async () => {
  const world = await open();
  const minute = new SlidingMinute(world.clock, 120);
  const judge = () => (minute.mayPass() ? undefined : REASONS[0][1]);
  const { calls, tookMs, left } = await work({ ...world, changes: changesOf(500), judge });
  const late = calls.filter(({ atMs }) => atMs > 30_000);
  expect(left).toBe(0);
  // Google permits 120 at once and as many after each minute, so that 500 are done after four minutes at best.
  expect(240_000 / tookMs).toBeGreaterThanOrEqual(0.9);
  expect(refusedShare(late)).toBeLessThanOrEqual(0.05);
});

test.each([undefined, 'calendar:a'])(
  'P1: if a call from before a loss of Redis is refused late, the stop ends with the first answer to a later call (%s)',
  async (target) => {
    const { budgets, clock } = await open([600]);
    const [budget] = budgets as [RedisBudget];
    const spending = { ...(target !== undefined && { target }) };
    const asOld = await budget.spend('google-calendar:robot', spending);
    // It was sent as number 500 of a count that Redis has lost.
    const old = { ...asOld, turn: 500 };
    const stop = { firstMs: 1_000, times: 1, longestMs: 1_000, atOnce: true };
    await budget.refused(old, { reason: 'rateLimitExceeded', mayMeanTarget: target !== undefined, stop });
    clock.advance(1_000);
    await budget.answered(await budget.spend('google-calendar:robot', spending));
    clock.advance(1_000);
    for (let at = 0; at < 3; at += 1) await budget.spend('google-calendar:robot', spending);
  },
);
