import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkTo } from '../../../src/engine/link.ts';
import { HeldLinks } from '../../../src/engine/link-store.ts';
import { type Claim, storeLast } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const KEY = { kind: 'appointment', id: '7' } as const;
const LINK = linkTo({ calendarId: 'anna', eventId: 'e7' }, { etag: 'one', coloured: false });

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(() => store.close());

async function claimed(): Promise<Claim> {
  const seen = { as: 'snapshot', snapshot: { id: '7', updated_at: '2026-11-01T00:00:00Z' } } as const;
  await store.intake.observe({ key: KEY, source: 'webhook', occurredAtMs: 1, force: true, seen });
  return { ...(await now()), last: {} };
}

async function now(): Promise<Claim> {
  const claim = await store.work.claim(KEY);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

async function putLast(claim: Claim): Promise<() => number> {
  let fenced = 0;
  const onFenced = async (): Promise<void> => {
    fenced += 1;
  };
  await new HeldLinks(store.links, claim, 'staff').putLast(LINK, { instead: undefined, onFenced });
  return () => fenced;
}

const stored = async () => (await now()).links['staff']?.calendars?.map(({ eventId }) => eventId);

test('P1: the last link of a turn stands once the turn has ended', async () => {
  const claim = await claimed();
  await putLast(claim);
  expect(await store.work.settle(claim)).toBe('settled');
  expect(await stored()).toEqual(['e7']);
});

test('P1: the last link of a turn that goes on is stored before anything else', async () => {
  const claim = await claimed();
  await putLast(claim);
  await storeLast(claim);
  expect(await stored()).toEqual(['e7']);
});

test('P2: a turn that was overtaken stores no link, and is told so once', async () => {
  const claim = await claimed();
  const timesFenced = await putLast(claim);
  await now();
  expect(await store.work.settle(claim)).toBe('fenced');
  expect([await stored(), timesFenced()]).toEqual([undefined, 1]);
});
