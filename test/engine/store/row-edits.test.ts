import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KEEP } from '../../../src/engine/keep.ts';
import type { RowEdit, RowNote } from '../../../src/engine/row-edit.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const KEY = { kind: 'contact', id: '00000000-0000-4000-8000-000000000001' } as const;
const NAME = `contact/${KEY.id}`;
const EDIT: RowEdit = {
  ...{ mirror: 'people', header: 'First name', text: 'Ada', as: '1', base: 'h', sinceMs: 1, seenAtMs: 2 },
};
const NOTE: RowNote = { done: [], refused: [], of: 'h', answered: [], sent: [] };
const DAY_MS = 86_400_000;

let redis: TestRedis;
let store: TestStore;
let nowMs = Date.now();
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  nowMs = Date.now();
  store = openTestStore(redis.url, { now: () => nowMs });
  await store.ready();
  const snapshot = { id: KEY.id, name: 'A', updated_at: '2026-03-02T09:00:00Z' };
  const seen = { as: 'snapshot', snapshot } as never;
  await store.intake.observe({ key: KEY, source: 'webhook', occurredAtMs: nowMs, seen });
  await settle();
  return () => store.close();
});

async function claimed() {
  const claim = await store.work.claim(KEY);
  if (claim === undefined) throw new Error('nothing is known of it');
  return claim;
}

async function settle() {
  await store.work.settle(await claimed());
}

test('a change comes with a turn, one per cell, and stays until the very same is answered', async () => {
  expect(await store.work.due(nowMs, 10)).toEqual([]);
  await store.rowEdits.note(NAME, [EDIT, { ...EDIT, header: 'Phone' }]);
  await store.rowEdits.note(NAME, [{ ...EDIT, text: 'Ida' }]);
  expect(await store.work.due(nowMs, 10)).toEqual([NAME]);
  const claim = await claimed();
  const { rowEdits = [] } = claim;
  expect(rowEdits.map(({ header, text }) => `${header} ${text}`).sort()).toEqual([
    'First name Ida',
    'Phone Ada',
  ]);
  // Somebody goes on typing while the handler is at work.
  await store.rowEdits.note(NAME, [{ ...EDIT, text: 'Eda' }]);
  await store.rowEdits.keep(claim, 'people', { note: NOTE, answered: rowEdits });
  expect(await store.work.settle(claim)).toBe('dirty');
  expect(await claimed()).toMatchObject({ rowEdits: [{ text: 'Eda' }], rowNotes: { people: NOTE } });
});

test('the turn for a change, and the one for its withdrawal, count from when people made it', async () => {
  await store.rowEdits.note(NAME, [EDIT]);
  expect((await claimed()).pendingSinceMs).toBe(nowMs);
  await settle();
  nowMs += 1_000;
  await store.rowEdits.withdraw(NAME, EDIT);
  expect((await claimed()).pendingSinceMs).toBe(nowMs);
});

test('who was overtaken answers nothing', async () => {
  await store.rowEdits.note(NAME, [EDIT]);
  const late = await claimed();
  await claimed();
  await expect(store.rowEdits.keep(late, 'people', { note: NOTE, answered: [EDIT] })).rejects.toMatchObject({
    code: 'fenced',
  });
  expect((await claimed()).rowEdits).toHaveLength(1);
  expect((await claimed()).rowNotes).toBeUndefined();
});

test('of an object that is not known nothing is noted', async () => {
  await store.rowEdits.note('contact/unknown', [EDIT]);
  expect(await store.redis.exists(store.keys.object('contact/unknown'))).toBe(0);
});

test('a change that waits keeps its object, and an answer goes with the content', async () => {
  await store.rowEdits.note(NAME, [EDIT]);
  await settle();
  nowMs += KEEP.snapshotsMs + DAY_MS;
  expect(await store.retention.ageObjects()).toEqual({ emptied: 0, forgotten: 0 });
  const claim = await claimed();
  await store.rowEdits.keep(claim, 'people', { note: NOTE, answered: claim.rowEdits ?? [] });
  await store.work.settle(claim);
  nowMs += KEEP.snapshotsMs + DAY_MS;
  expect(await store.retention.ageObjects()).toEqual({ emptied: 1, forgotten: 0 });
  expect((await claimed()).rowNotes).toBeUndefined();
});

test('writes over cells are known until their end, and an erasure takes a person out of them', async () => {
  const write = {
    ...{ sheetId: 7, sentAtMs: nowMs, mirror: 'people', tab: 'People' },
    rows: [
      { key: NAME, wrote: { Name: 'h' } },
      { key: 'contact/2', shown: { as: '1', cells: { Name: 'i' } }, wrote: {} },
    ],
    doubled: [NAME, 'contact/3'],
  };
  await store.overWrites.begin('book', write);
  await store.overWrites.begin('book', { ...write, sheetId: 8, sentAtMs: nowMs - 1 });
  expect((await store.overWrites.open('book')).map(({ sheetId }) => sheetId)).toEqual([8, 7]);
  await store.overWrites.ended('book', { ...write, sheetId: 8 });
  await store.overWrites.landed('book', write);
  expect(await store.overWrites.open('book')).toEqual([{ ...write, hasLanded: true }]);
  expect(await store.overWrites.open('other')).toEqual([]);
  expect(await store.redis.pttl(store.keys.overWrites('book'))).toBeGreaterThan(DAY_MS);
});

test('correcting a start within its minute, before the answer, is another change', async () => {
  const start = { ...EDIT, header: 'Start', text: '2026-03-03 10:00' };
  // 10:00:30 is not a start in whole minutes, but its text is the same.
  await store.rowEdits.note(NAME, [start]);
  const corrected = { ...start, startsAt: '2026-03-03T10:00:00.000Z', seenAtMs: 3 };
  await store.rowEdits.note(NAME, [corrected]);
  expect((await claimed()).rowEdits).toEqual([corrected]);
  await store.rowEdits.note(NAME, [{ ...corrected, seenAtMs: 4 }]);
  expect((await claimed()).rowEdits).toEqual([corrected]);
});
