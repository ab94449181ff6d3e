import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { HISTORY_ENTRIES_MAX } from '../../../src/engine/history.ts';
import type { JournalEntry } from '../../../src/engine/intake-store.ts';
import type { Observation } from '../../../src/engine/object.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

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

const KEY = 'contact/c-1';

function event(n: number, updatedAt = `2026-11-21T10:00:${String(n).padStart(2, '0')}Z`): Observation {
  return {
    key: { kind: 'contact', id: 'c-1' },
    source: 'webhook',
    eventId: `e-${n}`,
    eventType: 'contact.updated',
    occurredAtMs: n,
    seen: { as: 'snapshot', snapshot: { id: 'c-1', updated_at: updatedAt, n } },
  };
}

async function journalled(): Promise<JournalEntry[]> {
  const all: JournalEntry[] = [];
  for await (const entry of store.journal.between({ fromMs: 0, toMs: Date.now() + 60_000 })) all.push(entry);
  return all;
}

test('what was received is told in the order of its coming, with event, source and outcome', async () => {
  await store.intake.observe(event(2));
  await store.intake.observe(event(1));
  expect(await store.history.of(KEY)).toMatchObject([
    {
      what: 'seen',
      via: 'webhook',
      eventId: 'e-2',
      eventType: 'contact.updated',
      occurredAtMs: 2,
      outcome: 'fresh',
    },
    { what: 'seen', eventId: 'e-1', outcome: 'stale' },
  ]);
});

test('what an earlier version has noted is told before what this one adds', async () => {
  const seen = { what: 'seen', atMs: 1, via: 'feed', eventId: 'e-0', occurredAtMs: 1, outcome: 'fresh' };
  const mirrored = {
    what: 'mirrored',
    atMs: 2,
    rev: 1,
    actions: { office: 'created', 'staff 2': 'updated' },
  };
  const list = store.keys.history(KEY);
  await store.redis.rpush(list, JSON.stringify(seen), JSON.stringify(mirrored));
  await store.intake.observe(event(3));
  store.history.note(KEY, { ...mirrored, what: 'mirrored' });
  store.history.note(KEY, { what: 'mirrored', atMs: 4, rev: 2, actions: {} });
  const told = await vi.waitFor(async () => {
    const all = await store.history.of(KEY);
    expect(all).toHaveLength(5);
    return all;
  });
  expect(told.slice(0, 2)).toEqual([seen, mirrored]);
  expect(told.slice(2)).toMatchObject([{ what: 'seen', eventId: 'e-3' }, mirrored, { rev: 2, actions: {} }]);
  const { atMs, ...first } = told[2] as { readonly atMs: number };
  expect(first).toEqual({
    ...{ what: 'seen', via: 'webhook', eventId: 'e-3', eventType: 'contact.updated' },
    ...{ occurredAtMs: 3, outcome: 'fresh' },
  });
  expect(atMs).toBeGreaterThan(3);
  expect((await store.redis.lindex(list, 2))?.length).toBeLessThan(JSON.stringify(told[2]).length * 0.6);
});

test('a repeated event and a look that finds nothing new leave no entry', async () => {
  await store.intake.observe(event(1));
  await store.intake.observe(event(1));
  await store.intake.observe({ ...event(1), eventId: 'e-9' });
  expect(await store.history.of(KEY)).toHaveLength(1);
});

test('a history is bounded: the oldest entries go', async () => {
  for (let n = 1; n <= HISTORY_ENTRIES_MAX + 5; n += 1) {
    store.history.note(KEY, { what: 'mirrored', atMs: n, rev: n, actions: { staff: 'updated' } });
  }
  await expect
    .poll(async () => (await store.history.of(KEY)).at(-1))
    .toMatchObject({ rev: HISTORY_ENTRIES_MAX + 5 });
  const entries = await store.history.of(KEY);
  expect(entries).toHaveLength(HISTORY_ENTRIES_MAX);
  expect(entries[0]).toMatchObject({ rev: 6 });
});

test('the same failure again and again is one entry that counts; another one is an entry of its own', async () => {
  const failed = (atMs: number, code: string) =>
    store.history.note(KEY, {
      what: 'failed',
      atMs,
      attempt: 1,
      next: 'defer',
      reasons: [{ mirror: 'staff', code }],
    });
  failed(1, 'calendar-not-shared');
  failed(2, 'calendar-not-shared');
  failed(3, 'calendar-not-shared');
  failed(4, 'quota-spent');
  await expect.poll(() => store.history.of(KEY)).toHaveLength(2);
  expect(await store.history.of(KEY)).toEqual([
    expect.objectContaining({ atMs: 3, firstAtMs: 1, times: 3 }),
    expect.not.objectContaining({ times: expect.anything() }),
  ]);
});

test('the journal holds every event once, and says which object it was about', async () => {
  await store.intake.observe(event(1));
  await store.intake.observe(event(1));
  await store.intake.observe(event(2));
  expect(await journalled()).toMatchObject([
    { eventId: 'e-1', eventType: 'contact.updated', via: 'webhook', key: { kind: 'contact', id: 'c-1' } },
    { eventId: 'e-2' },
  ]);
  expect(await store.journal.objectOf('e-2')).toEqual({ kind: 'contact', id: 'c-1' });
  expect(await store.journal.objectOf('e-3')).toBeUndefined();
});

test('a journal of more than a page is read whole, in order', async () => {
  const count = 2_500;
  await Promise.all(Array.from({ length: count }, (_, n) => store.intake.observe(event(n))));
  const all = await journalled();
  expect(new Set(all.map((entry) => entry.eventId)).size).toBe(count);
  expect(all.map((entry) => entry.atMs)).toEqual(all.map((entry) => entry.atMs).sort((a, b) => a - b));
});

test('turns in which a target that refuses everybody was not even tried are counted with its refusals', async () => {
  const failed = (atMs: number, code: string) =>
    store.history.note(KEY, {
      what: 'failed',
      atMs,
      attempt: 1,
      reasons: [{ mirror: 'staff', code }],
      next: 'defer',
    });
  failed(1, 'calendar-paused');
  for (let turn = 1; turn <= HISTORY_ENTRIES_MAX; turn += 1) {
    failed(2 * turn, 'calendar-not-shared');
    failed(2 * turn + 1, 'calendar-paused');
  }
  failed(900, 'quota-paused');
  await expect.poll(async () => (await store.history.of(KEY)).at(-1)?.atMs).toBe(900);
  expect(await store.history.of(KEY)).toEqual([
    {
      what: 'failed',
      atMs: 2 * HISTORY_ENTRIES_MAX + 1,
      firstAtMs: 1,
      times: 2 * HISTORY_ENTRIES_MAX + 1,
      attempt: 1,
      reasons: [{ mirror: 'staff', code: 'calendar-not-shared' }],
      next: 'defer',
    },
    {
      what: 'failed',
      atMs: 900,
      attempt: 1,
      reasons: [{ mirror: 'staff', code: 'quota-paused' }],
      next: 'defer',
    },
  ]);
});
