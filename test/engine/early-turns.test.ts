import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { RetryableError, TerminalError } from '../../src/engine/errors.ts';
import type { Handler } from '../../src/engine/handler.ts';
import { Intake } from '../../src/engine/intake.ts';
import { DirectTurns } from '../../src/engine/keyed-queue.ts';
import type { PlatformEvent } from '../../src/engine/platform.ts';
import { type ReconcileParts, reconcile } from '../../src/engine/reconcile.ts';
import { type Disposition, IDLE } from '../../src/engine/work.ts';
import { WORKER_DEFAULTS } from '../stand/defaults.ts';
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

/** An intake whose turns are the worker's own, over one mirror. `made`: what it was asked to bring; `said`: how the turns ended. */
function opened() {
  const added: string[] = [];
  const ends: Promise<unknown>[] = [];
  const said: Disposition[] = [];
  const made: string[] = [];
  const state: { fails: boolean; waits?: boolean } = { fails: false };
  const handler: Handler = {
    name: 'a',
    from: 'appointment',
    async reconcile(claim) {
      made.push(`${claim.key.id} ${claim.desiredRev}`);
      if (state.fails) throw new TerminalError('google-refused', 'no');
      if (state.waits) throw new RetryableError('google-timeout', 'late');
      return 'updated';
    },
  };
  const { work, history } = store;
  const parts: ReconcileParts = {
    ...{ work, history, reader: {} as never, handlers: [handler] },
    editCarrier: { carry: async (claim) => ({ claim, failures: [] }) },
    ...WORKER_DEFAULTS,
    clock: { now: Date.now },
    log: SILENT_LOG,
    meter: NO_METER,
  };
  const direct = new DirectTurns(8);
  direct.open(
    async (key, isEarly) => {
      const end = await reconcile(parts, key, { isEarly });
      said.push(end);
      return end;
    },
    (key) => added.push(`again ${key}`),
  );
  const begin = async (key: string) => {
    const end = direct.begin(key, true);
    ends.push(end ?? Promise.resolve());
    const disposition = await end;
    return disposition !== undefined && disposition !== IDLE;
  };
  const intake = new Intake({
    ...{ store: store.intake, queue: { add: (keys: readonly string[]) => void added.push(...keys), begin } },
    ...{ kinds: ['appointment', 'lead'], clock: { now: Date.now }, log: SILENT_LOG, meter: NO_METER },
  });
  const rest = async () => {
    await Promise.all(ends);
    await sleep(20);
  };
  return { intake, added, made, said, rest, state };
}

function event(id: string, minute = 0, kind = 'appointment'): PlatformEvent {
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
  } as PlatformEvent;
}

test('P7: a webhook that tells nothing new gives no turn to an object that waits for a person, or was discarded', async () => {
  const { intake, made, rest, state } = opened();
  state.fails = true;
  const first = event('a');
  await intake.takeEvent(first, 'webhook');
  await rest();
  state.fails = false;
  expect(await intake.takeEvent(first, 'webhook')).toBe('duplicate');
  expect(await intake.takeEvent(event('a'), 'webhook')).toBe('unchanged');
  await rest();
  const [letter] = await store.deadLetters.all();
  expect(letter?.key).toBe('appointment/a');
  if (letter !== undefined) await store.deadLetters.discard(letter, 'a test booking');
  expect(await intake.takeEvent(first, 'webhook')).toBe('duplicate');
  await rest();
  expect(made).toEqual(['a 1']);
  await intake.takeEvent(event('a', 1), 'webhook');
  await rest();
  expect(made).toEqual(['a 1', 'a 2']);
});

test('P1: a restarted Redis that knows only the script of the claim: a change of an object that was dirty already is queued', async () => {
  const { intake, made, added, rest, state } = opened();
  for (const fails of [false, true]) {
    const id = `fails-${fails}`;
    state.fails = fails;
    await intake.takeEvent(event(id), 'feed');
    added.length = 0;
    await store.redis.script('FLUSH');
    await store.work.claim({ kind: 'appointment', id: 'none' });
    expect(await intake.takeEvent(event(id, 2), 'webhook')).toBe('fresh');
    await rest();
    expect(made).toContain(`${id} 1`);
    expect(added).toEqual([`appointment/${id}`]);
  }
});

test('while a full Redis refuses the observation of a known object, no turn is tried again and again', async () => {
  const { intake, rest, said } = opened();
  await intake.takeEvent(event('a'), 'webhook');
  await rest();
  await store.redis.config('SET', 'maxmemory', '1');
  await expect(intake.takeEvent(event('a', 2), 'webhook')).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  await rest();
  await store.redis.config('SET', 'maxmemory', '0');
  expect(said).toEqual([{ next: 'done' }, IDLE]);
  expect(said[1]).toBe(IDLE);
});

test('a webhook that tells nothing new gives no turn to an object that waits for its time', async () => {
  const { intake, made, rest, state } = opened();
  state.waits = true;
  const first = event('a');
  await intake.takeEvent(first, 'webhook');
  await rest();
  expect(await intake.takeEvent(first, 'webhook')).toBe('duplicate');
  await rest();
  expect(await store.work.due(Date.now() + 600_000, 10)).toEqual(['appointment/a']);
  const claim = await store.work.newest({ kind: 'appointment', id: 'a' });
  expect(Object.values(claim?.waits ?? {}).map(({ attempts }) => attempts)).toEqual([1]);
  expect(made).toEqual(['a 1']);
});

test('a full Redis that refuses the claim of a due object: its turn is left to the sweep', async () => {
  const { intake, rest, said } = opened();
  await intake.takeEvent(event('a'), 'feed');
  await store.redis.config('SET', 'maxmemory', '1');
  await expect(intake.takeEvent(event('a', 2), 'webhook')).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  await rest();
  await store.redis.config('SET', 'maxmemory', '0');
  expect(said.length).toBe(1);
  expect(said[0]).toBe(IDLE);
  expect(await store.work.due(Date.now(), 10)).toEqual(['appointment/a']);
});

test('P1: the turn of a webhook claims what the webhook told, and needs no second one', async () => {
  const { intake, added, made, rest } = opened();
  const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => intake.takeEvent(event(id), 'webhook')));
  await rest();
  expect(outcomes).toEqual(['fresh', 'fresh', 'fresh']);
  expect({ made, added }).toEqual({ made: ['a 1', 'b 1', 'c 1'], added: [] });
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
});

test('P1: two webhooks of one object have a turn that sees both, or one after another', async () => {
  const { intake, added, made, rest } = opened();
  await Promise.all([1, 2].map((minute) => intake.takeEvent(event('a', minute), 'webhook')));
  await rest();
  expect(made).toContain('a 2');
  expect(added.length).toBe(1);
});

test('a webhook that tells nothing new gives nobody a turn', async () => {
  const { intake, added, made, rest } = opened();
  const told = event('a');
  await intake.takeEvent(told, 'webhook');
  await rest();
  expect(await intake.takeEvent(told, 'webhook')).toBe('duplicate');
  expect(await intake.takeEvent(event('a'), 'webhook')).toBe('unchanged');
  await rest();
  expect({ added, made }).toEqual({ added: [], made: ['a 1'] });
});

test('P1: a restarted Redis that knows only the script of the claim: what was observed is queued', async () => {
  const { intake, added, rest } = opened();
  await store.redis.script('FLUSH');
  await store.work.claim({ kind: 'appointment', id: 'none' });
  expect(await intake.takeEvent(event('a'), 'webhook')).toBe('fresh');
  await rest();
  expect(added).toEqual(['appointment/a']);
});

test('what the feed or a merged kind tells goes to the queue', async () => {
  const { intake, added, made, rest } = opened();
  await intake.takeEvent(event('a'), 'feed');
  await intake.takeEvent(event('p', 0, 'lead'), 'webhook');
  await rest();
  expect({ added, made }).toEqual({ added: ['appointment/a', 'lead/p'], made: [] });
});
