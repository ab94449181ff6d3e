// Appointments that `where.until` keeps out enter by themselves, whatever happens meanwhile.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AppointmentFilter, SheetMirror } from '../../src/engine/mirror.ts';
import { type ReconcileParts, reconcile } from '../../src/engine/reconcile.ts';
import { type LaterTurns, sweepOnce } from '../../src/engine/sweep.ts';
import type { WorkStore } from '../../src/engine/work-store.ts';
import { WHY } from '../../src/operate/codes/codes.ts';
import { opinionOf } from '../../src/operate/why.ts';
import { createSheetTarget } from '../../src/sheet/target.ts';
import { directory } from '../calendar/stand.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { WORKER_DEFAULTS } from '../stand/defaults.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';
import { sweepParts } from '../stand/sweep-parts.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 2, 9);
const day = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

let redis: TestRedis;
let store: TestStore;
let clock: HandClock;
let id: string;
let key: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  clock = new HandClock(NOW);
  store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  id = randomUUID();
  key = `appointment/${id}`;
});
afterEach(() => store.close());

function mirrorWith(where: Partial<AppointmentFilter>, name = 'visits'): SheetMirror {
  return {
    kind: 'sheet',
    name,
    from: 'appointment',
    where: { sinceMs: DAY_MS, ...where },
    spreadsheetId: 'book',
    tab: name,
    timezone: 'UTC',
    columns: [
      { header: 'ID', template: '{{ id }}' },
      { header: 'Start', template: '{{ starts_at }}' },
    ],
    keyHeader: 'ID',
    unmatched: 'clear',
    deleted: 'clear',
  };
}

const MONTH = mirrorWith({ untilMs: 30 * DAY_MS });

async function change(startsAt: string, fields: Record<string, unknown> = {}): Promise<void> {
  clock.advance(1_000);
  const snapshot = {
    id,
    status: 'confirmed',
    starts_at: startsAt,
    ends_at: startsAt,
    updated_at: new Date(clock.now()).toISOString(),
    ...fields,
  };
  await store.intake.observe({
    key: { kind: 'appointment', id },
    source: 'webhook',
    occurredAtMs: clock.now(),
    seen: { as: 'snapshot', snapshot },
  });
}

interface Ground {
  readonly work: WorkStore;
  readonly later: LaterTurns;
}

/** One handler, as a process would begin it. */
async function turn(mirrors: readonly SheetMirror[] = [MONTH], ground: Ground = store): Promise<void> {
  const log = new KeptLog();
  const parts: ReconcileParts = {
    work: ground.work,
    reader: { get: async () => undefined } as unknown as ReconcileParts['reader'],
    history: store.history,
    editCarrier: { carry: async (claim) => ({ claim, failures: [] }) },
    ...WORKER_DEFAULTS,
    handlers: mirrors.map((mirror) =>
      createSheetTarget({
        ...{ mirror, outbox: store.outbox, waker: { wake() {} }, clock, log, meter: new KeptMeter() },
        directory: { current: () => directory },
      }),
    ),
    ...{ clock, log, meter: new KeptMeter() },
  };
  await reconcile(parts, key);
}

/** What the sweep hands to the queue. */
async function sweep(later: LaterTurns = store.later): Promise<readonly string[]> {
  const added: string[] = [];
  const queue = { add: (keys: readonly string[]) => void added.push(...keys), addLater: () => undefined };
  await sweepOnce(sweepParts({ ...store, clock, later, queue }));
  return added;
}

const date = (days: number) => day(days).slice(0, 10);
/** Mirror and day of every row that is to be written; rows that are to be taken away, or only looked for, left aside. */
const rows = async () =>
  (await store.outbox.pending('book', 100)).flatMap(({ mirror, cells, onlyIfThere }) =>
    cells === undefined || onlyIfThere ? [] : [[mirror, String(cells['Start']).slice(0, 10)]],
  );
const moment = async () => {
  const score = await store.redis.zscore(store.keys.later, key);
  return score === null ? undefined : new Date(Number(score)).toISOString();
};

test('an appointment far ahead is neither mirrored nor pending, and enters when its time comes', async () => {
  await change(day(100));
  await turn();
  expect(await rows()).toEqual([]);
  expect(await store.ledger.pending()).toEqual({ objects: 0, oldestSinceMs: undefined });
  expect(await moment()).toBe(day(70));
  clock.advance(69 * DAY_MS);
  expect(await sweep()).toEqual([]);
  clock.advance(DAY_MS);
  expect(await sweep()).toEqual([key]);
  await turn();
  expect(await rows()).toEqual([['visits', date(100)]]);
  expect(await moment()).toBeUndefined();
  expect(await sweep()).toEqual([]);
});

test('a moved appointment enters at its new time, or immediately if that is near', async () => {
  await change(day(100));
  await turn();
  await change(day(200));
  await turn();
  expect(await moment()).toBe(day(170));
  await change(day(29));
  await turn();
  expect([await rows(), await moment()]).toEqual([[['visits', date(29)]], undefined]);
});

test('what is mirrored already stays when it is moved further ahead', async () => {
  await change(day(10));
  await turn();
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  await change(day(300));
  await turn();
  expect([await rows(), await moment()]).toEqual([[['visits', date(300)]], undefined]);
});

test('a row that waits to be written is not forgotten for a move further ahead', async () => {
  await change(day(10));
  await turn();
  await change(day(300));
  await turn();
  expect(await rows()).toEqual([['visits', date(300)]]);
});

test('of several mirrors each takes it at its own time', async () => {
  const mirrors = [MONTH, mirrorWith({ untilMs: 60 * DAY_MS }, 'early'), mirrorWith({}, 'all')];
  await change(day(100));
  await turn(mirrors);
  expect([await rows(), await moment()]).toEqual([[['all', date(100)]], day(40)]);
  clock.advance(40 * DAY_MS);
  expect(await sweep()).toEqual([key]);
  await turn(mirrors);
  expect((await rows()).map(([name]) => name).sort()).toEqual(['all', 'early']);
  expect(await moment()).toBe(day(70));
});

test('an appointment that leaves the mapping or is deleted no longer has a time', async () => {
  const confirmed = mirrorWith({ untilMs: 30 * DAY_MS, statuses: ['confirmed'] });
  await change(day(100));
  await turn([confirmed]);
  expect(await moment()).toBe(day(70));
  await change(day(100), { status: 'cancelled' });
  await turn([confirmed]);
  expect([await rows(), await moment()]).toEqual([[], undefined]);
});

test('an until that was changed in the YAML counts from the next look on, and an old time costs a turn in vain', async () => {
  await change(day(100));
  await turn();
  await store.dirtyMarks.markDirty([{ kind: 'appointment', id }], { read: false });
  await turn([mirrorWith({ untilMs: 10 * DAY_MS })]);
  expect(await moment()).toBe(day(90));
  await store.redis.zadd(store.keys.later, NOW, key);
  expect(await sweep()).toEqual([key]);
  await turn([mirrorWith({ untilMs: 10 * DAY_MS })]);
  expect([await rows(), await moment()]).toEqual([[], day(90)]);
});

test('after a loss of Redis, the next look at the appointment finds its time again (case 33)', async () => {
  await change(day(100));
  await turn();
  await store.redis.del(store.keys.later, store.keys.object(key));
  await change(day(100));
  await turn();
  expect(await moment()).toBe(day(70));
});

test('a handler that was overtaken sets no time (case 72)', async () => {
  await change(day(100));
  const late = await store.work.claim({ kind: 'appointment', id });
  await change(day(5));
  await turn();
  expect(late && (await store.work.settle(late, NOW + DAY_MS))).toBe('fenced');
  expect(await moment()).toBeUndefined();
});

test('the time of an object of which nothing is known any more is let go of', async () => {
  await store.redis.zadd(store.keys.later, NOW, key);
  expect(await sweep()).toEqual([]);
  expect(await moment()).toBeUndefined();
});

test('two processes that sweep at once give one turn', async () => {
  await change(day(100));
  await turn();
  clock.advance(80 * DAY_MS);
  const woken = await Promise.all([1, 2, 3].map(() => store.later.wake(clock.now(), 10)));
  expect(woken.flat()).toEqual([key]);
});

test('an appointment enters even after a death at any call on the way', async () => {
  for (const step of ['claim', 'settle', 'wake'] as const) {
    for (const when of ['before', 'after'] as const) {
      id = randomUUID();
      key = `appointment/${id}`;
      await change(new Date(clock.now() + 100 * DAY_MS).toISOString());
      await turn([MONTH], dying(step, when)).catch(() => undefined);
      // Another process takes the key over: from the dirty set, if it is still in there.
      for (const name of await sweep()) if (name === key) await turn();
      clock.advance(71 * DAY_MS);
      await sweep(dying(step, when).later).catch(() => undefined);
      for (const name of await sweep()) if (name === key) await turn();
      const written = (await store.outbox.pending('book', 100)).filter((row) => row.key === key);
      expect([step, when, written.length]).toEqual([step, when, 1]);
    }
  }
});

/** The process dies at that call, before or after it was carried out. */
function dying(step: 'claim' | 'settle' | 'wake', when: 'before' | 'after'): Ground {
  const deadly = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          if (name === step && when === 'before') throw new Error('dead');
          const result: unknown = await method.apply(target, args);
          if (name === step) throw new Error('dead');
          return result;
        };
      },
    });
  return { work: deadly(store.work), later: deadly(store.later) };
}

test('explain names the line of the YAML and the day', async () => {
  await change(day(100));
  await turn();
  const claim = await store.ledger.peek({ kind: 'appointment', id });
  if (claim === undefined) throw new Error('not known');
  const opinion = opinionOf(MONTH, claim, {
    ...{ directory, resolved: new Map(), nowMs: clock.now() },
    words: WHY.en,
  });
  expect(opinion).toMatchObject({ taken: false, rule: 'mirrors.visits.where.until' });
  expect(opinion.because).toContain(`enters on ${day(70)}`);
});
