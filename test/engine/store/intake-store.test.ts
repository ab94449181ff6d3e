import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Observation } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let id: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  id = randomUUID();
  return () => store.close();
});

const EARLY = '2026-11-20T10:00:00Z';
const LATE = '2026-11-20T10:00:00.250Z';

function seen(fields: Record<string, unknown> | 'reduced' | 'deleted', eventId?: string): Observation {
  return {
    key: { kind: 'contact', id },
    source: eventId === undefined ? 'list' : 'webhook',
    ...(eventId === undefined ? {} : { eventId }),
    occurredAtMs: 1_000,
    seen: typeof fields === 'string' ? { as: fields } : { as: 'snapshot', snapshot: { ...fields, id } },
  };
}

async function claimed(): Promise<Claim> {
  const claim = await store.work.claim({ kind: 'contact', id });
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

test('an observation leaves its inbox row, its snapshot and its dirty mark in one step (case 6)', async () => {
  expect(await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'))).toBe('fresh');
  expect(await store.redis.exists(store.keys.inbox('event-1'))).toBe(1);
  expect(await store.work.due(Date.now(), 10)).toEqual([`contact/${id}`]);
  expect((await claimed()).snapshot).toMatchObject({ name: 'A' });
});

test('the same event again changes nothing, also after it was mirrored (case 6)', async () => {
  await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
  await store.work.settle(await claimed());
  expect(await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'))).toBe('duplicate');
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
});

test('an event id is remembered for longer than the feed reaches back (case 7)', async () => {
  await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
  const days = (await store.redis.ttl(store.keys.inbox('event-1'))) / 86_400;
  expect(days).toBeGreaterThanOrEqual(31);
});

test('an operator can have a known event looked at again: without an event id nothing is a duplicate (case 8)', async () => {
  await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
  await store.work.settle(await claimed());
  const replay: Observation = { ...seen({ name: 'A', updated_at: EARLY }), source: 'operator', force: true };
  await store.intake.observe(replay);
  expect(await store.work.due(Date.now(), 10)).toEqual([`contact/${id}`]);
});

test('what is looked at again says that nothing is new, until something is seen or it is settled (case 57)', async () => {
  const again: Observation = { ...seen({ name: 'A', updated_at: EARLY }), source: 'list', force: true };
  expect(await store.intake.observe(again)).toBe('fresh');
  expect((await claimed()).isUnchanged).toBeUndefined();
  // Something new waits: to be asked for again takes nothing from it.
  expect(await store.intake.observe(again)).toBe('unchanged');
  expect((await claimed()).isUnchanged).toBeUndefined();
  await store.work.settle(await claimed());
  await store.intake.observe(again);
  expect((await claimed()).isUnchanged).toBe(true);
  await store.intake.observe(again);
  expect((await claimed()).isUnchanged).toBe(true);
  const drag = { calendarId: 'anna', eventId: 'e1', seenAtMs: Date.now(), etag: '"1"' };
  await store.sightings.sight({ kind: 'contact', id }, drag, { isAlive: true });
  expect((await claimed()).isUnchanged).toBeUndefined();
  await store.work.settle(await claimed());
  await store.intake.observe(again);
  expect((await claimed()).isUnchanged).toBe(true);
  await store.intake.observe(seen({ name: 'B', updated_at: LATE }, 'event-2'));
  expect((await claimed()).isUnchanged).toBeUndefined();
  await store.work.settle(await claimed());
  await store.intake.observe({
    ...again,
    seen: { as: 'snapshot', snapshot: (await claimed()).snapshot ?? { id } },
  });
  await store.work.settle(await claimed());
  expect(await store.redis.hget(store.keys.object(`contact/${id}`), 'k')).toBeNull();
});

test('P3: an older snapshot does not replace a newer one, down to the fraction of a second (case 18)', async () => {
  await store.intake.observe(seen({ name: 'new', updated_at: LATE }, 'event-2'));
  await store.work.settle(await claimed());
  expect(await store.intake.observe(seen({ name: 'old', updated_at: EARLY }, 'event-1'))).toBe('stale');
  expect((await claimed()).snapshot).toMatchObject({ name: 'new' });
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
});

test.each([
  ['equal', EARLY],
  ['null', null],
  ['no time at all', 'yesterday'],
])(
  'another content with %s updated_at asks for a look at the object itself (case 18)',
  async (_, updatedAt) => {
    await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
    await store.work.settle(await claimed());
    expect(await store.intake.observe(seen({ name: 'B', updated_at: updatedAt }, 'event-2'))).toBe('verify');
    expect(await claimed()).toMatchObject({ verify: true, snapshot: { name: 'A' } });
  },
);

test('the very same content is no work, whatever event brings it', async () => {
  await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
  await store.work.settle(await claimed());
  expect(await store.intake.observe(seen({ updated_at: EARLY, name: 'A' }, 'event-2'))).toBe('unchanged');
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
});

test('a reduced body asks for a look at the object (case 17)', async () => {
  expect(await store.intake.observe(seen('reduced', 'event-1'))).toBe('verify');
  expect(await claimed()).toMatchObject({ verify: true, snapshot: undefined });
});

test('P3: a deleted object is not brought back by a late snapshot, only by a look that finds it', async () => {
  await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
  await store.intake.observe(seen('deleted', 'event-2'));
  expect(await store.intake.observe(seen({ name: 'B', updated_at: LATE }, 'event-3'))).toBe('verify');
  const claim = await claimed();
  expect(claim).toMatchObject({ deleted: true, verify: true });
  const gone = await store.work.refresh(claim, { found: undefined });
  expect(gone).toMatchObject({ deleted: true, verify: false });
  const found = await store.work.refresh(claim, { found: { id, name: 'B', updated_at: LATE } });
  expect(found).toMatchObject({ deleted: false, snapshot: { name: 'B' } });
});

test('what a look said does not replace something newer that came in meanwhile', async () => {
  await store.intake.observe(seen('reduced', 'event-1'));
  const claim = await claimed();
  await store.intake.observe(seen({ name: 'newest', updated_at: LATE }, 'event-2'));
  const after = await store.work.refresh(claim, { found: { id, name: 'older', updated_at: EARLY } });
  expect(after).toMatchObject({ snapshot: { name: 'newest' }, desiredRev: 1 });
  expect(await store.work.settle(claim)).toBe('dirty');
});

test('a doubt that arises while the object is being looked at stays a doubt', async () => {
  await store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1'));
  const claim = await claimed();
  await store.intake.observe(seen({ name: 'B', updated_at: EARLY }, 'event-2'));
  expect(await store.work.refresh(claim, { found: { id, name: 'A', updated_at: EARLY } })).toMatchObject({
    verify: true,
  });
});

test('what cannot be understood is kept, and not more than a thousand of it', async () => {
  for (let at = 0; at < 1_005; at += 1)
    await store.intake.quarantine({ atMs: at, reason: 'not-json', body: `${at}` });
  expect(await store.ledger.quarantined()).toBe(1_000);
  const newest = JSON.parse((await store.redis.lindex(store.keys.quarantine, 0)) ?? '{}') as { body: string };
  expect(newest.body).toBe('1004');
});

test('of observations that arrive together each has its own end, as if it had come alone', async () => {
  const other = randomUUID();
  const of = (objectId: string, observation: Observation): Observation => ({
    ...observation,
    key: { kind: 'contact', id: objectId },
  });
  const gone = { under: { name: 'nobody', proof: 'run holder' } };
  const ends = await Promise.allSettled([
    store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1')),
    store.intake.observe(of(other, { ...seen({ name: 'X', updated_at: LATE }), ...gone })),
    store.intake.observe(seen({ name: 'B', updated_at: LATE }, 'event-2')),
    store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1')),
    store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-3')),
    store.intake.observe(of(other, seen({ name: 'Y', updated_at: EARLY }, 'event-4'))),
  ]);
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.code))).toEqual([
    'fresh',
    'lease-lost',
    'fresh',
    'duplicate',
    'stale',
    'fresh',
  ]);
  expect((await claimed()).snapshot).toMatchObject({ name: 'B' });
  expect((await claimed()).desiredRev).toBe(2);
  expect((await store.work.claim({ kind: 'contact', id: other }))?.snapshot).toMatchObject({ name: 'Y' });
  expect([...(await store.work.due(Date.now(), 10))].sort()).toEqual(
    [`contact/${id}`, `contact/${other}`].sort(),
  );
});

test('hundreds of observations at once are all durable', async () => {
  const ids = Array.from({ length: 230 }, () => randomUUID());
  const outcomes = await Promise.all(
    ids.map((each, nth) =>
      store.intake.observe({
        ...seen({ id: each, name: `N${nth}`, updated_at: EARLY }, `event-${each}`),
        key: { kind: 'contact', id: each },
      }),
    ),
  );
  expect(new Set(outcomes)).toEqual(new Set(['fresh']));
  for (const [nth, each] of ids.entries())
    expect((await store.work.claim({ kind: 'contact', id: each }))?.snapshot).toMatchObject({
      name: `N${nth}`,
    });
});

test('what cannot be written down is no matter of what arrives together with it', async () => {
  const odd = {
    toJSON() {
      throw new TypeError('cannot be written down');
    },
  };
  const ends = await Promise.allSettled([
    store.intake.observe(seen({ name: 'A', updated_at: EARLY }, 'event-1')),
    store.intake.observe(seen({ name: odd, updated_at: EARLY }, 'event-2')),
  ]);
  expect(ends).toMatchObject([{ status: 'fulfilled', value: 'fresh' }, { status: 'rejected' }]);
});
