import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Intake } from '../../src/engine/intake.ts';
import { DirectTurns } from '../../src/engine/keyed-queue.ts';
import type { PlatformEvent } from '../../src/engine/platform.ts';
import { type Claim, type Disposition, IDLE } from '../../src/engine/work.ts';
import { isSettled } from '../../src/engine/work-store.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG } from '../stand/store.ts';

let redis: TestRedis;
let store: ReturnType<typeof openTestStore>;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  return () => store.close();
});

/** An intake whose turns claim and settle, over real scripts. `added`: keys that were left to the queue. */
function opened() {
  const added: string[] = [];
  const worked: Claim[] = [];
  const ends: Promise<unknown>[] = [];
  const turn = async (key: string, ifDue: boolean): Promise<Disposition> => {
    const claim = await store.work.claim({ kind: 'appointment', id: key.split('/')[1] ?? '' }, [], { ifDue });
    if (claim === undefined || isSettled(claim)) return IDLE;
    worked.push(claim);
    await store.work.settle(claim);
    return { next: 'done' };
  };
  const direct = new DirectTurns(8);
  direct.open(turn, (key) => added.push(`again ${key}`));
  const begin = async (key: string) => {
    const end = direct.begin(key, true);
    ends.push(end ?? Promise.resolve());
    const disposition = await end;
    return disposition !== undefined && disposition !== IDLE;
  };
  const intake = new Intake({
    ...{ store: store.intake, queue: { add: (keys) => void added.push(...keys), begin } },
    ...{ kinds: ['appointment', 'lead'], clock: { now: Date.now }, log: SILENT_LOG, meter: NO_METER },
  });
  const rest = async () => {
    await Promise.all(ends);
    await new Promise((done) => setImmediate(done));
  };
  return { intake, added, worked, rest };
}

function event(id: string, { kind = 'appointment', minute = 0 } = {}): PlatformEvent {
  const updated_at = `2026-03-02T08:0${minute}:00Z`;
  return {
    ...{
      id: randomUUID(),
      type: `${kind}.updated`,
      createdAt: updated_at,
      projectId: undefined,
      test: false,
    },
    object: { object: kind, id, updated_at, minute },
  };
}

test('P1: the turn of a webhook claims what the webhook told, and needs no second one', async () => {
  const { intake, added, worked, rest } = opened();
  const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => intake.takeEvent(event(id), 'webhook')));
  await rest();
  expect(outcomes).toEqual(['fresh', 'fresh', 'fresh']);
  expect(worked.map(({ key, desiredRev }) => [key.id, desiredRev])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
  expect(added).toEqual([]);
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
});

test('P1: two webhooks of one object have a turn that sees both, or one after another', async () => {
  const { intake, added, worked, rest } = opened();
  await Promise.all([1, 2].map((minute) => intake.takeEvent(event('a', { minute }), 'webhook')));
  await rest();
  expect(worked.map(({ snapshot }) => snapshot?.['minute'])).toContain(2);
  expect(added.length).toBe(1);
});

test('a webhook that tells nothing new gives nobody a turn', async () => {
  const { intake, added, worked, rest } = opened();
  const told = event('a');
  await intake.takeEvent(told, 'webhook');
  await rest();
  expect(await intake.takeEvent(told, 'webhook')).toBe('duplicate');
  expect(await intake.takeEvent(event('a'), 'webhook')).toBe('unchanged');
  await rest();
  expect({ added, turns: worked.length }).toEqual({ added: [], turns: 1 });
});

test('P1: a restarted Redis that knows only the script of the claim: what was observed is queued', async () => {
  const { intake, added, rest } = opened();
  await store.redis.script('FLUSH');
  await store.work.claim({ kind: 'appointment', id: 'none' });
  expect(await intake.takeEvent(event('a'), 'webhook')).toBe('fresh');
  await rest();
  expect(added).toEqual(['appointment/a']);
});

test('P1: while Redis refuses the observation, the sender is told, and nothing is queued', async () => {
  const { intake, added, worked, rest } = opened();
  await store.redis.config('SET', 'maxmemory', '1');
  await expect(intake.takeEvent(event('a'), 'webhook')).rejects.toMatchObject({ code: 'store-unavailable' });
  await store.redis.config('SET', 'maxmemory', '0');
  await rest();
  expect({ added, worked }).toEqual({ added: [], worked: [] });
});

test('what the feed, a list or a merged kind tells goes to the queue', async () => {
  const { intake, added, worked, rest } = opened();
  await intake.takeEvent(event('a'), 'feed');
  await intake.takeEvent(event('p', { kind: 'lead' }), 'webhook');
  await rest();
  expect(added).toEqual(['appointment/a', 'lead/p']);
  expect(worked).toEqual([]);
});
