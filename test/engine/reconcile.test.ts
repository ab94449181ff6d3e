import { problemFault } from '@slotbridge/sandbox/platform/problem-fault';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EditCarrier } from '../../src/engine/carriers.ts';
import { DeferredError, RetryableError, TerminalError } from '../../src/engine/errors.ts';
import type { Handler } from '../../src/engine/handler.ts';
import { MirrorBreaker, type ReconcileParts, reconcile } from '../../src/engine/reconcile.ts';
import { type Claim, IDLE } from '../../src/engine/work.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { WORKER_DEFAULTS } from '../stand/defaults.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

let redis: TestRedis;
let platform: TestPlatform;
let store: TestStore;
let seen: Claim[];
let clock: HandClock;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  platform = await startTestPlatform();
  store = openTestStore(redis.url);
  await store.ready();
  seen = [];
  clock = new HandClock(Date.now());
});
afterEach(async () => {
  store.close();
  await platform.close();
});

function target(name: string, fails?: Error): Handler {
  return {
    name,
    from: 'contact',
    async reconcile(claim) {
      if (fails !== undefined) throw fails;
      seen.push(claim);
      return 'updated';
    },
  };
}

function parts(
  handlers: readonly Handler[],
  { apiKey = platform.key, ...own }: { apiKey?: string; attempts?: number; breaker?: MirrorBreaker } = {},
): ReconcileParts {
  const reader = platform.client(apiKey).reader;
  const { work, history } = store;
  const editCarrier: EditCarrier = { carry: async (claim) => ({ claim, failures: [] }) };
  return {
    work,
    history,
    reader,
    handlers,
    editCarrier,
    ...{ ...WORKER_DEFAULTS, ...own },
    clock,
    log: SILENT_LOG,
    meter: NO_METER,
  };
}

async function hint(id: string, as: 'reduced' | 'deleted', projectId = platform.projectId): Promise<string> {
  await store.intake.observe({
    key: { kind: 'contact', id },
    source: 'webhook',
    projectId,
    occurredAtMs: 1,
    seen: { as },
  });
  return `contact/${id}`;
}

const due = () => store.work.due(Date.now() + 1e12, 10);

test('a handler for objects that hold its links is called for no other', async () => {
  const id = platform.createContact('Vera');
  const former: Handler = { ...target('former'), onlyLinkedAs: 'classes' };
  await reconcile(parts([former, target('every')]), await hint(id, 'reduced'));
  expect(seen).toHaveLength(1);
  const held = seen[0] as Claim;
  await store.links.write(held, 'classes', { slots: ['s-1 r-1 2026-11-03T09:00:00.000Z'] });
  await reconcile(parts([former]), await hint(id, 'deleted'));
  expect(seen).toHaveLength(2);
});

test('an object of which only the id is known is read, and mirrored as it is now (case 17)', async () => {
  const id = platform.createContact('Vera');
  expect(await reconcile(parts([target('a')]), await hint(id, 'reduced'))).toEqual({ next: 'done' });
  expect(seen[0]?.snapshot).toMatchObject({ id, name: 'Vera' });
  expect(await due()).toEqual([]);
});

test('an object that is gone, with its project in the key, is treated as deleted (case 17)', async () => {
  const id = platform.createContact();
  platform.dashboard.deleteContact(id);
  await reconcile(parts([target('a')]), await hint(id, 'reduced'));
  expect(seen).toMatchObject([{ deleted: true }]);
});

test('P7: an object that is not shown because its project is not in the key is no deletion, but a dead letter (cases 17, 35)', async () => {
  const elsewhere = platform.dashboard.createProject({ name: 'Other' });
  const id = platform.dashboard.createContact({ projectId: elsewhere, name: 'Vera' });
  const key = platform.sandbox.createKey({ projectIds: [platform.projectId] });
  await reconcile(parts([target('a')], { apiKey: key }), await hint(id, 'reduced', elsewhere));
  expect(seen).toEqual([]);
  const { letters } = await store.ledger.deadLetters(1);
  expect(letters[0]?.reasons).toMatchObject([{ code: 'project-not-in-key' }]);
});

test('P7: an object whose project comes back into the key during the look is not deleted (case 17)', async () => {
  const id = platform.createContact('Vera');
  const hidden = { method: 'GET', path: /contacts\//, times: 1, fault: problemFault('not-found') };
  platform.sandbox.faults.add(hidden);
  await reconcile(parts([target('a')]), await hint(id, 'reduced'));
  expect(seen).toMatchObject([{ deleted: false, snapshot: { id, name: 'Vera' } }]);
});

test('an appointment that is not shown is never a deletion: the platform deletes none', async () => {
  const key = { kind: 'appointment', id: '00000000-0000-4000-8000-000000000001' } as const;
  await store.intake.observe({ key, source: 'webhook', occurredAtMs: 1, seen: { as: 'reduced' } });
  await reconcile(parts([target('a')]), `appointment/${key.id}`);
  expect((await store.ledger.deadLetters(1)).letters[0]?.reasons).toMatchObject([
    { code: 'object-not-visible' },
  ]);
});

test('an answer that is no RFC 7807 body is no absence', async () => {
  const id = platform.createContact();
  platform.sandbox.faults.add({
    path: /contacts\//,
    fault: { kind: 'status', status: 404, contentType: 'text/html', body: 'no' },
  });
  expect(await reconcile(parts([target('a')]), await hint(id, 'reduced'))).toMatchObject({
    next: 'retry',
  });
  expect(await due()).toEqual([`contact/${id}`]);
});

test('a deletion that the platform told is mirrored without asking again', async () => {
  const id = platform.createContact();
  await reconcile(parts([target('a')]), await hint(id, 'deleted'));
  expect(seen).toMatchObject([{ deleted: true }]);
});

test('one mirror that fails does not keep the others from theirs (case 70)', async () => {
  const id = platform.createContact();
  const failing = target('bad', new RetryableError('google-unavailable', 'no answer'));
  const outcome = await reconcile(parts([failing, target('good')]), await hint(id, 'reduced'));
  expect(outcome).toMatchObject({ next: 'retry', code: 'google-unavailable' });
  expect(seen.length).toBe(1);
  expect(await due()).toEqual([`contact/${id}`]);
});

test('what may get through by itself is no dead letter, however many attempts others have used up', async () => {
  const id = platform.createContact();
  const waiting = target('waits', new DeferredError('google-quota', 'quota', { retryAfterMs: 7_000 }));
  const hopeless = target('refused', new TerminalError('google-refused', 'bad request'));
  const outcome = await reconcile(parts([waiting, hopeless], { attempts: 1 }), await hint(id, 'reduced'));
  expect(outcome).toEqual({ next: 'defer', afterMs: 7_000 });
  expect((await store.ledger.deadLetters(1)).count).toBe(0);
});

test('the last attempt that fails makes a dead letter with its reason and its Request-Id', async () => {
  const id = platform.createContact();
  const details = { requestId: 'req_1', target: 'platform', advice: 'Ask support.' };
  const failing = target('bad', new RetryableError('platform-unavailable', 'answered 500', details));
  const key = await hint(id, 'reduced');
  for (let attempt = 1; attempt < 3; attempt += 1) {
    const next = await reconcile(parts([failing], { attempts: 3 }), key);
    expect(next).toMatchObject({ next: 'retry', code: 'platform-unavailable' });
    clock.advance(next.next === 'retry' ? (next.afterMs ?? 0) : 0);
  }
  expect(await reconcile(parts([failing], { attempts: 3 }), key)).toEqual({ next: 'done' });
  const { letters } = await store.ledger.deadLetters(1);
  expect(letters[0]).toMatchObject({ key: `contact/${id}`, attempts: 3 });
  expect(letters[0]?.reasons).toEqual([
    { mirror: 'bad', code: 'platform-unavailable', message: 'answered 500', ...details },
  ]);
  expect(await due()).toEqual([]);
});

test('P1: a key that another handler took over before its burial is no dead letter, and comes back soon', async () => {
  const id = platform.createContact();
  const key = await hint(id, 'reduced');
  const overtaken: Handler = {
    ...target('bad'),
    async reconcile(claim) {
      await store.work.claim(claim.key);
      throw new TerminalError('google-refused', 'bad request');
    },
  };
  const counted: string[] = [];
  const meter = { ...NO_METER, add: (name: string) => void counted.push(name) };
  const outcome = await reconcile({ ...parts([overtaken]), meter }, key);
  expect(outcome).toEqual({ next: 'defer', afterMs: expect.any(Number) });
  expect(counted).not.toContain('slotbridge_dead_letters_total');
  expect(await due()).toEqual([key]);
  expect((await store.history.of(key)).filter(({ what }) => what === 'failed')).toMatchObject([
    { next: 'defer' },
  ]);
});

test('P1: a key that another handler took over before it was settled comes back soon', async () => {
  const id = platform.createContact();
  const key = await hint(id, 'reduced');
  const overtaken: Handler = {
    ...target('slow'),
    async reconcile(claim) {
      await store.work.claim(claim.key);
      return 'updated';
    },
  };
  expect(await reconcile(parts([overtaken]), key)).toEqual({ next: 'defer', afterMs: expect.any(Number) });
  expect(await due()).toEqual([key]);
});

test('a defect of ours is told by its kind only: its text may hold anything', async () => {
  const id = platform.createContact();
  const failing = target('bad', new TypeError('Vera +74950001101'));
  await reconcile(parts([failing], { attempts: 1 }), await hint(id, 'reduced'));
  const letter = JSON.stringify((await store.ledger.deadLetters(1)).letters);
  expect(letter).toContain('TypeError');
  expect(letter).not.toContain('Vera');
});

test('a key that is settled already costs nothing', async () => {
  const id = platform.createContact();
  const key = await hint(id, 'reduced');
  await reconcile(parts([target('a')]), key);
  const before = platform.sandbox.stats().requests;
  expect(await reconcile(parts([target('a')]), key)).toBe(IDLE);
  expect(seen.length).toBe(1);
  expect(platform.sandbox.stats().requests).toBe(before);
});

test('a lead of which only the id came is a dead letter with advice, never a deletion', async () => {
  const id = platform.dashboard.leads.order({ projectId: platform.projectId, phone: '+74950001101' });
  await store.intake.observe({
    key: { kind: 'lead', id },
    source: 'webhook',
    occurredAtMs: 1,
    seen: { as: 'reduced' },
  });
  const leads: Handler = { ...target('leads'), from: 'lead' };
  expect(await reconcile(parts([leads]), `lead/${id}`)).toEqual({ next: 'done' });
  expect(seen).toEqual([]);
  const { letters } = await store.ledger.deadLetters(10);
  expect(letters[0]).toMatchObject({
    key: `lead/${id}`,
    reasons: [{ code: 'object-not-readable', advice: expect.stringContaining('dashboard') }],
  });
});

async function stoppedMirror() {
  const called: string[] = [];
  const breaker = new MirrorBreaker({
    ...{ mirrors: ['a'], problems: new MemoryProblemBoard(), clock, log: SILENT_LOG, putOff: store.putOff },
    queue: { add: (keys) => void called.push(...keys) },
    placeOf: (path) => path.join('.'),
  });
  for (let n = 0; n < 20; n += 1)
    await breaker.failed('a', `contact/${n}`, new TerminalError('template-failed', 'no such filter'));
  return { breaker, called };
}

test('P1: an object that waits for a stopped mirror is tried after the pause, though its hour is not over', async () => {
  const { breaker, called } = await stoppedMirror();
  const key = await hint(platform.createContact('Zoe'), 'reduced');
  const all = parts([target('a')], { breaker });
  expect(await reconcile(all, key)).toMatchObject({ next: 'defer' });
  expect(await reconcile(all, key)).toMatchObject({ next: 'defer' });
  expect(seen).toEqual([]);
  clock.advance(20_000);
  await breaker.tryWaiting();
  expect(called).toEqual([key]);
  expect(await reconcile(all, key)).toEqual({ next: 'done' });
  expect(seen).toMatchObject([{ snapshot: { name: 'Zoe' } }]);
});

test('P1: an object that waits for a stopped mirror gets its turn at once when the stop ends during the turn', async () => {
  const { breaker } = await stoppedMirror();
  const another: Handler = {
    name: 'b',
    from: 'contact',
    reconcile: async () => {
      await breaker.wrote('a');
      return 'nothing';
    },
  };
  const key = await hint(platform.createContact('Zoe'), 'reduced');
  const all = parts([target('a'), another], { breaker });
  expect(await reconcile(all, key)).toEqual({ next: 'defer', afterMs: 0 });
  expect(await store.work.due(clock.now(), 10)).toEqual([key]);
  expect(await reconcile(all, key)).toEqual({ next: 'done' });
  expect(seen).toMatchObject([{ snapshot: { name: 'Zoe' } }]);
});
