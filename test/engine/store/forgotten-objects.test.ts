import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkTo, type MirrorLinks, toLink } from '../../../src/engine/link.ts';
import type { EntityKey } from '../../../src/engine/object.ts';
import { NEW_BOOKING } from '../../../src/engine/outside-booking.ts';
import type { OutboxRow } from '../../../src/engine/sheet-row.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const DAYS_S = 24 * 3_600;
const SHEET = 'sheet-1';

let redis: TestRedis;
let store: TestStore;
let key: EntityKey;
let name: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  key = { kind: 'contact', id: randomUUID() };
  name = `contact/${key.id}`;
  return () => store.close();
});

async function see(version = 1): Promise<string> {
  const updated = new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString();
  return store.intake.observe({
    key,
    source: 'webhook',
    eventId: randomUUID(),
    occurredAtMs: version,
    seen: { as: 'snapshot', snapshot: { id: key.id, version, updated_at: updated } },
  });
}

async function seeDeleted(): Promise<void> {
  await store.intake.observe({
    key,
    source: 'webhook',
    eventId: randomUUID(),
    occurredAtMs: 1,
    seen: { as: 'deleted' },
  });
}

async function claimed(): Promise<Claim> {
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

async function settle(nextTurnAtMs?: number): Promise<void> {
  expect(await store.work.settle(await claimed(), nextTurnAtMs)).toBe('settled');
}

async function settleWith(links: MirrorLinks): Promise<void> {
  key = { kind: 'contact', id: randomUUID() };
  name = `contact/${key.id}`;
  await see();
  const claim = await claimed();
  await store.links.write(claim, 'm', links);
  await store.work.settle(claim);
}

const row = (hash: string): OutboxRow => ({
  ...{ mirror: 'm', spreadsheetId: SHEET, tab: 'T', key: name, rowKey: key.id, hash },
  cells: hash === 'cleared' ? undefined : { A: 'a' },
  occurredAtMs: undefined,
});

async function confirmRow(): Promise<void> {
  await store.outbox.confirm(await store.outbox.pending(SHEET, 10));
}

/** Seconds that the object has left; -1 for one that stays. */
const left = () => store.redis.ttl(store.keys.object(name));

async function expectForgotten(): Promise<void> {
  expect(await left()).toBeGreaterThan(34 * DAYS_S);
  expect(await left()).toBeLessThanOrEqual(35 * DAYS_S);
}

async function expectKept(): Promise<void> {
  expect(await left()).toBe(-1);
}

test('an object that no mirror shows is forgotten five weeks after it was settled', async () => {
  await see();
  await expectKept();
  await settle();
  await expectForgotten();
});

test('so is a deleted contact whose row was taken away, once the tab lacks the row', async () => {
  await see();
  await store.outbox.put(await claimed(), row('h1'));
  await settle();
  await confirmRow();
  await expectKept();
  await seeDeleted();
  const claim = await claimed();
  await store.outbox.put(claim, row('cleared'));
  await store.work.settle(claim);
  await expectKept();
  await confirmRow();
  await expectForgotten();
  expect((await claimed()).deleted).toBe(true);
});

test('what stands in a mirror keeps its object: an event, a row, a row that people deleted, a record of a booking, a link of a kind of its own', async () => {
  for (const links of [
    { calendars: [toLink({ calendarId: 'c', eventId: 'e', etag: '"1"', hash: 'h', coloured: false })] },
    { sheet: { spreadsheetId: SHEET, tab: 'T', hash: 'h' } },
    { sheet: { spreadsheetId: SHEET, tab: 'T', hash: 'left' } },
    { sheet: { spreadsheetId: SHEET, tab: 'T', hash: '' } },
    {
      sheet: { spreadsheetId: SHEET, tab: 'T', hash: 'cleared', former: { spreadsheetId: SHEET, tab: 'U' } },
    },
    { sheet: { spreadsheetId: SHEET, tab: 'T', hash: 'cleared', bound: { spreadsheetId: SHEET, tab: 'U' } } },
    { booking: NEW_BOOKING },
    { page: { id: 'p', hash: 'h' } } as MirrorLinks,
  ]) {
    await settleWith(links);
    await expectKept();
  }
});

test('a row that was taken away keeps no object, nor does what was told about it', async () => {
  for (const links of [
    { sheet: { spreadsheetId: SHEET, tab: 'T', hash: 'cleared' } },
    { told: ['an appointment'] },
    { split: { atMs: 1, ids: [] } } as unknown as MirrorLinks,
  ]) {
    await settleWith(links);
    await expectForgotten();
  }
});

test('a row that waits, or was refused, keeps its object; a discarded letter lets it go', async () => {
  await see();
  const claim = await claimed();
  await store.outbox.put(claim, row('h1'));
  await store.work.settle(claim);
  await expectKept();
  const [pending] = await store.outbox.pending(SHEET, 10);
  if (pending === undefined) throw new Error('no row waits');
  const letter = { key: name, atMs: 1, attempts: 1, reasons: [] };
  await store.outbox.refuse(pending, letter);
  await expectKept();
  const [kept] = await store.deadLetters.all();
  if (kept === undefined) throw new Error('no letter');
  expect(await store.deadLetters.discard(kept, 'test')).toBe(true);
  await expectForgotten();
});

test('so does a dead letter of the object itself, and a turn that is to come', async () => {
  await see();
  await store.work.deadLetter(await claimed(), { key: name, atMs: 1, attempts: 1, reasons: [] });
  await expectKept();
  const [kept] = await store.deadLetters.all();
  if (kept === undefined) throw new Error('no letter');
  await store.deadLetters.discard(kept, 'test');
  await expectForgotten();
  await see(2);
  await settle(Date.now() + 3_600_000);
  await expectKept();
});

test('whatever gives the object a turn keeps it until that turn is over', async () => {
  const turns: readonly (() => Promise<unknown>)[] = [
    () => see(2),
    () => seeDeleted(),
    () => store.dirtyMarks.markDirty([key], { read: true }),
    () => store.outbox.rewrite([name], 'm'),
    () => store.links.adopt(name, 'm', linkTo({ calendarId: 'c', eventId: `e${key.id}` }, { etag: '"1"' })),
    () =>
      store.sightings.sight(
        key,
        { calendarId: 'c', eventId: 'e', etag: '"1"', seenAtMs: 1 },
        { isAlive: true },
      ),
  ];
  for (const turn of turns) {
    key = { kind: 'contact', id: randomUUID() };
    name = `contact/${key.id}`;
    await see();
    await settle();
    await expectForgotten();
    await turn();
    await expectKept();
    expect(await store.work.due(Date.now() + 1, 100)).toContain(name);
  }
});

test('an object that is seen again unchanged has its whole time again, as its event id has', async () => {
  await see();
  await settle();
  await store.redis.expire(store.keys.object(name), 60);
  expect(await see()).toBe('unchanged');
  await expectForgotten();
  await store.redis.expire(store.keys.object(name), 60);
  expect(await see(0)).toBe('stale');
  await expectForgotten();
});

test('a claim in vain does not keep it, and what a forgotten object left is no object', async () => {
  await see();
  await settle();
  await claimed();
  await expectForgotten();
  await store.redis.del(store.keys.object(name));
  expect(await store.work.claim(key)).toBeUndefined();
  expect(await store.dirtyMarks.markDirty([key], { read: true })).toEqual([key]);
  expect(await see()).toBe('fresh');
  expect((await claimed()).links).toEqual({});
});
