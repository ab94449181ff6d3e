import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EntityKind, Observation } from '../../../src/engine/object.ts';
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

const AT = '2026-11-20T10:00:00Z';
const LATER = '2026-11-20T10:00:01Z';

function seen(kind: EntityKind, fields: object | 'reduced' | 'deleted', eventId?: string): Observation {
  return {
    key: { kind, id },
    source: 'webhook',
    ...(eventId === undefined ? {} : { eventId }),
    occurredAtMs: 1_000,
    seen: typeof fields === 'string' ? { as: fields } : { as: 'snapshot', snapshot: { ...fields, id } },
  };
}

async function claimed(kind: EntityKind): Promise<Claim> {
  const claim = await store.work.claim({ kind, id });
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

const due = () => store.work.due(Date.now(), 10);

test('a message is delivered, then read, and what comes late about it is no work', async () => {
  await store.intake.observe(seen('message', { status: 'read' }, 'updated'));
  await store.work.settle(await claimed('message'));
  expect(await store.intake.observe(seen('message', { status: 'pending' }, 'created'))).toBe('unchanged');
  expect(await store.redis.exists(store.keys.inbox('created'))).toBe(1);
  expect(await due()).toEqual([]);
  expect((await claimed('message')).snapshot).toMatchObject({ status: 'read' });
});

test('a merge leaves the inbox row, the merged snapshot and the dirty mark in one step', async () => {
  await store.intake.observe(seen('message', { status: 'pending', text: 'a' }, 'created'));
  await store.work.settle(await claimed('message'));
  expect(await store.intake.observe(seen('message', { status: 'delivered', text: 'a' }, 'updated'))).toBe(
    'fresh',
  );
  expect(await store.redis.exists(store.keys.inbox('updated'))).toBe(1);
  expect(await due()).toEqual([`message/${id}`]);
  expect(await claimed('message')).toMatchObject({ verify: false, snapshot: { status: 'delivered' } });
  expect(await store.intake.observe(seen('message', { status: 'delivered', text: 'a' }, 'updated'))).toBe(
    'duplicate',
  );
});

test('an outcome and an end of the same second make one lead, whichever comes first', async () => {
  const outcome = { status: 'in_progress', call: { ai_outcome: 'booked' }, updated_at: AT };
  const end = { status: 'completed', call: { ended_at: AT, ai_outcome: null }, updated_at: AT };
  const both = { status: 'completed', call: { ended_at: AT, ai_outcome: 'booked' } };
  for (const order of [
    [outcome, end],
    [end, outcome],
  ]) {
    id = randomUUID();
    for (const [at, fields] of order.entries())
      await store.intake.observe(seen('lead', fields, `${id}-${at}`));
    expect((await claimed('lead')).snapshot).toMatchObject(both);
  }
});

test('a newer lead replaces, an older one is stale, also one that names no moment', async () => {
  await store.intake.observe(seen('lead', { status: 'missed', updated_at: AT, rating: 5 }));
  expect(
    await store.intake.observe(seen('lead', { status: 'scheduled', updated_at: LATER, rating: null })),
  ).toBe('fresh');
  expect(await store.intake.observe(seen('lead', { status: 'completed', updated_at: AT }))).toBe('stale');
  expect(await store.intake.observe(seen('lead', { status: 'completed', updated_at: null }))).toBe('stale');
  expect((await claimed('lead')).snapshot).toMatchObject({ status: 'scheduled', rating: null });
});

test('many deliveries at once lose nothing of each other', async () => {
  const files = Array.from({ length: 8 }, (_, at) => ({
    status: at === 3 ? 'read' : 'delivered',
    attachments: Array.from({ length: 8 }, (__, file) => ({ url: file === at ? 'https://a.example' : null })),
  }));
  const outcomes = await Promise.all(
    files.map((fields, at) => store.intake.observe(seen('message', fields, `${id}-${at}`))),
  );
  expect(outcomes).toEqual(files.map(() => 'fresh'));
  const { snapshot } = await claimed('message');
  expect(snapshot).toMatchObject({ status: 'read' });
  expect(JSON.stringify(snapshot)).not.toContain('null');
});

test('a lead of which only the id came asks for a look, until it comes whole', async () => {
  expect(await store.intake.observe(seen('lead', 'reduced', 'event-1'))).toBe('verify');
  expect(await claimed('lead')).toMatchObject({ verify: true, snapshot: undefined });
  expect(await store.intake.observe(seen('lead', { status: 'queued', updated_at: AT }, 'event-2'))).toBe(
    'fresh',
  );
  expect(await claimed('lead')).toMatchObject({ verify: false, snapshot: { status: 'queued' } });
});

test('a message that was deleted is not brought back by a late snapshot: nobody could look', async () => {
  await store.intake.observe(seen('message', { status: 'delivered' }));
  await store.intake.observe(seen('message', 'deleted'));
  expect(await store.intake.observe(seen('message', { status: 'read' }))).toBe('stale');
  expect(await claimed('message')).toMatchObject({ deleted: true, verify: false });
});

test('a conversation that cannot be put in order is looked at, as a contact is', async () => {
  await store.intake.observe(seen('conversation', { status: 'closed', updated_at: AT }));
  expect(await store.intake.observe(seen('conversation', { status: 'open', updated_at: AT }))).toBe('verify');
});

test('when the mapping changes every known lead gets a turn, and nothing else does', async () => {
  await store.intake.observe(seen('lead', { status: 'queued', updated_at: AT }));
  await store.intake.observe(seen('contact', { updated_at: AT }));
  await store.work.settle(await claimed('lead'));
  await store.work.settle(await claimed('contact'));
  await store.outbox.renderAgain('lead');
  expect(await due()).toEqual([`lead/${id}`]);
});
