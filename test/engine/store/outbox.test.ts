import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OutboxRow } from '../../../src/engine/sheet-row.ts';
import type { Claim } from '../../../src/engine/work.ts';
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
  return () => store.close();
});

async function claimed(id: string = randomUUID()): Promise<Claim> {
  const key = { kind: 'contact', id } as const;
  await store.intake.observe({
    key,
    source: 'list',
    occurredAtMs: 1,
    force: true,
    seen: { as: 'snapshot', snapshot: { id } },
  });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

function row(claim: Claim, hash: string): OutboxRow {
  return {
    spreadsheetId: 'book',
    tab: 'Contacts',
    mirror: 'contacts',
    key: `contact/${claim.key.id}`,
    rowKey: claim.key.id,
    cells: { Name: hash },
    hash,
    occurredAtMs: 1,
  };
}

test('a row waits until it is confirmed, then it is linked and gone', async () => {
  const claim = await claimed();
  expect(await store.outbox.put(claim, row(claim, 'A'))).toBe('queued');
  const pending = await store.outbox.pending('book', 10);
  expect(pending).toMatchObject([{ hash: 'A', cells: { Name: 'A' } }]);
  expect(await store.outbox.waiting()).toEqual([{ spreadsheetId: 'book', rows: 1 }]);
  await store.outbox.confirm(pending);
  expect(await store.outbox.waiting()).toEqual([]);
  expect(await store.outbox.put(claim, row(claim, 'A'))).toBe('unchanged');
});

test('when rows of a spreadsheet were confirmed is known; a confirmation that comes late is none', async () => {
  const claim = await claimed();
  const writtenAt = () => store.memory.get('rows-written book');
  await store.outbox.put(claim, row(claim, 'A'));
  expect(await writtenAt()).toBe(undefined);
  const pending = await store.outbox.pending('book', 10);
  await store.outbox.confirm(pending);
  expect(Number(await writtenAt())).toBeGreaterThan(0);
  await store.memory.forget('rows-written book');
  await store.outbox.confirm(pending);
  expect(await writtenAt()).toBe(undefined);
});

test('a row that was replaced while it was written is still to be written', async () => {
  const claim = await claimed();
  await store.outbox.put(claim, row(claim, 'A'));
  const written = await store.outbox.pending('book', 10);
  await store.outbox.put(claim, row(claim, 'B'));
  await store.outbox.confirm(written);
  expect(await store.outbox.pending('book', 10)).toMatchObject([{ hash: 'B' }]);
});

test('going back to what the sheet holds replaces the row that is waiting to change it', async () => {
  const claim = await claimed();
  await store.outbox.put(claim, row(claim, 'A'));
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  await store.outbox.put(claim, row(claim, 'B'));
  expect(await store.outbox.put(claim, row(claim, 'A'))).toBe('queued');
  expect(await store.outbox.pending('book', 10)).toMatchObject([{ hash: 'A' }]);
});

test('a row that was overwritten by accident is written again from the newest state', async () => {
  const claim = await claimed();
  await store.outbox.put(claim, row(claim, 'A'));
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  await store.work.settle(claim);
  await store.outbox.rewrite([`contact/${claim.key.id}`], 'contacts');
  expect(await store.work.due(Date.now(), 10)).toEqual([`contact/${claim.key.id}`]);
  const again = await store.work.claim(claim.key);
  expect(again?.links['contacts']?.sheet).toEqual({ spreadsheetId: 'book', tab: 'Contacts', hash: '' });
  expect(again && (await store.outbox.put(again, row(again, 'A')))).toBe('queued');
});

test('hundreds of rows are confirmed together, and the oldest come first', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 600; at += 1) {
    const claim = await claimed();
    ids.push(claim.key.id);
    await store.outbox.put(claim, row(claim, `${at}`));
  }
  const pending = await store.outbox.pending('book', 1_000);
  expect(pending.map((each) => each.rowKey)).toEqual(ids);
  expect((await store.outbox.pending('book', 7)).length).toBe(7);
  await store.outbox.confirm(pending);
  expect(await store.outbox.waiting()).toEqual([]);
  expect(
    (await store.work.claim({ kind: 'contact', id: ids[599] ?? '' }))?.links['contacts']?.sheet?.hash,
  ).toBe('599');
});

test('the letter of a refused row outlives the turn of its object, and goes when another row of it is confirmed', async () => {
  const claim = await claimed();
  await store.outbox.put(claim, row(claim, 'bad'));
  const [refused] = await store.outbox.pending('book', 10);
  if (refused === undefined) throw new Error('nothing pending');
  const letter = {
    key: refused.key,
    atMs: 1,
    attempts: 1,
    reasons: [{ mirror: 'contacts', code: 'c', message: 'm' }],
  };
  await store.outbox.refuse(refused, letter);
  await store.work.settle(claim);
  expect(await store.outbox.waiting()).toEqual([]);
  expect((await store.ledger.deadLetters(10)).letters).toEqual([letter]);
  const next = await claimed(claim.key.id);
  await store.outbox.put(next, row(next, 'good'));
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  expect((await store.ledger.deadLetters(10)).count).toBe(0);
});

test('a confirmation that comes late, after another flush has written newer cells, says nothing', async () => {
  const claim = await claimed();
  await store.outbox.put(claim, row(claim, 'A'));
  const late = await store.outbox.pending('book', 10);
  await store.outbox.put(claim, row(claim, 'B'));
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  await store.outbox.confirm(late);
  expect(await store.outbox.put(claim, row(claim, 'A'))).toBe('queued');
});

test('whether a row waits is asked for that row alone', async () => {
  const claim = await claimed();
  const asked = { mirror: 'contacts', spreadsheetId: 'book', key: `contact/${claim.key.id}` };
  expect(await store.outbox.waits(asked)).toBe(false);
  await store.outbox.put(claim, row(claim, 'A'));
  expect(await store.outbox.waits(asked)).toBe(true);
  await store.outbox.put(claim, { ...row(claim, 'cleared'), cells: undefined });
  expect(await store.outbox.waits(asked)).toBe(false);
});

test('a dropped row leaves and its object has a turn, a row that was replaced meanwhile stays', async () => {
  const [gone, replaced] = [await claimed(), await claimed()];
  for (const claim of [gone, replaced]) {
    await store.outbox.put(claim, row(claim, 'A'));
    await store.work.settle(claim);
  }
  const homeless = await store.outbox.pending('book', 10);
  await store.outbox.put(replaced, row(replaced, 'B'));
  await store.outbox.drop(homeless);
  expect(await store.outbox.pending('book', 10)).toMatchObject([{ hash: 'B' }]);
  expect(await store.work.due(Date.now(), 10)).toContain(`contact/${gone.key.id}`);
  await store.outbox.drop(await store.outbox.pending('book', 10));
  expect(await store.outbox.waiting()).toEqual([]);
});

test('rows of one mirror are found behind any number of others', async () => {
  const [claim, other] = [await claimed(), await claimed()];
  const field = (n: number) => [`a[b*]-c contact/${n}`, JSON.stringify({ ...row(claim, 'X'), version: n })];
  const many = Array.from({ length: 3_000 }, (_, n) => field(n)).flat();
  await store.redis.hset(store.keys.outbox('book'), ...many);
  await store.outbox.put(claim, { ...row(claim, 'A'), mirror: 'a[b*]' });
  await store.outbox.put(other, { ...row(other, 'B'), mirror: 'a[b*]', tab: 'Other' });
  const found = (wants?: (pending: OutboxRow) => boolean) =>
    store.outbox.pending('book', 10, { mirror: 'a[b*]', ...(wants && { wants }) });
  expect((await found()).map(({ hash }) => hash)).toEqual(['A', 'B']);
  expect((await found(({ tab }) => tab === 'Other')).map(({ hash }) => hash)).toEqual(['B']);
});

test.each([
  ['Google refused is removed', 'content-refused', 0],
  ['does not keep its cells stays', 'cells-not-kept', 1],
])('P8: when an object matches its row again, the letter of a row that %s', async (_, code, left) => {
  const first = await claimed();
  await store.outbox.put(first, row(first, 'A'));
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  const claim = await claimed(first.key.id);
  await store.outbox.put(claim, row(claim, 'B'));
  const [refused] = await store.outbox.pending('book', 10);
  if (refused === undefined) throw new Error('nothing pending');
  const reasons = [{ mirror: 'contacts', code, message: 'm' }];
  await store.outbox.refuse(refused, { key: refused.key, atMs: 1, attempts: 1, reasons });
  expect((await store.ledger.deadLetters(10)).count).toBe(1);
  const back = await claimed(first.key.id);
  expect(await store.outbox.put(back, row(back, 'A'))).toBe('unchanged');
  expect((await store.ledger.deadLetters(10)).count).toBe(left);
});
