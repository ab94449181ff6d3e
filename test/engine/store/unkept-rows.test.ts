// Rows that do not keep what is written into them, counted by all processes together.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const KEY = `contact/${randomUUID()}`;
const ROW = { mirror: 'contacts', key: KEY, hash: 'a' };
const look = { edited: new Map([[KEY, 'a']]), right: [] };
const LETTER = { key: KEY, atMs: 1, attempts: 5, reasons: [] };

let redis: TestRedis;
let store: TestStore;
let other: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  other = openTestStore(redis.url, { prefix: store.prefix });
  await Promise.all([store.ready(), other.ready()]);
  return () => {
    store.close();
    other.close();
  };
});

/** A flush has written the row, and has seen it. */
async function written(hash = 'a', move = {}): Promise<void> {
  const id = KEY.slice('contact/'.length);
  const key = { kind: 'contact', id } as const;
  const seen = { as: 'snapshot', snapshot: { id }, complete: true } as const;
  await store.intake.observe({ key, source: 'list', occurredAtMs: 1, force: true, seen });
  await store.outbox.rewrite([KEY], 'contacts');
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('no claim');
  const at = { spreadsheetId: 'book', tab: 'T', rowKey: id, cells: {}, occurredAtMs: undefined };
  expect(await store.outbox.put(claim, { ...ROW, hash, ...at, ...move })).toBe('queued');
  await store.outbox.confirm(await store.outbox.pending('book', 10));
}

test('what one process has missed another one counts on, and other cells begin anew', async () => {
  expect(await store.unkept.missed(ROW)).toBe(1);
  expect(await other.unkept.missed(ROW)).toBe(2);
  expect(await store.unkept.missed({ ...ROW, hash: 'b' })).toBe(1);
  expect(await store.unkept.missed({ ...ROW, mirror: 'others' })).toBe(1);
});

test('a look that finds the row right begins anew', async () => {
  for (const times of [1, 2, 3]) {
    const counted = await (times === 2 ? other : store).unkept.found('contacts', look);
    expect(counted.get(KEY)).toBe(times);
    await written();
  }
  await store.unkept.found('contacts', { edited: new Map(), right: [KEY] });
  expect((await store.unkept.found('contacts', look)).get(KEY)).toBe(1);
});

test.each([
  ['was confirmed', {}],
  ['has arrived in another tab', { movesFrom: { spreadsheetId: 'book', tab: 'Old' } }],
])('a row that is missed at its writes is left alone by looks, until it %s', async (_, move) => {
  await store.unkept.missed(ROW);
  expect((await store.unkept.found('contacts', look)).get(KEY)).toBe(Number.POSITIVE_INFINITY);
  await written('a', move);
  expect((await store.unkept.found('contacts', look)).get(KEY)).toBe(1);
});

test('looks count once for each time that the row was written, whichever process looks', async () => {
  const looks = async () => {
    const times = [];
    for (const each of [store, other, store])
      times.push((await each.unkept.found('contacts', look)).get(KEY));
    return times;
  };
  expect(await looks()).toEqual([1, 1, 1]);
  await written();
  await written();
  expect(await looks()).toEqual([2, 2, 2]);
});

test('a row that was told of rests, also when the letter is discarded, until it is right or other cells are confirmed', async () => {
  const again = async (hash = 'a') =>
    (await store.unkept.found('contacts', { ...look, edited: new Map([[KEY, hash]]) })).get(KEY);
  for (const times of [1, 2, 3, 4, 5]) {
    expect(await again()).toBe(times);
    await written();
  }
  await other.unkept.tell('contacts', LETTER);
  expect(await again()).toBe(Number.POSITIVE_INFINITY);
  const [letter] = await store.deadLetters.all();
  if (letter === undefined) throw new Error('no letter');
  await store.deadLetters.discard(letter, 'known');
  expect(await again()).toBe(Number.POSITIVE_INFINITY);
  expect(await again('b')).toBe(1);
  await store.unkept.tell('contacts', LETTER);
  expect(await again('b')).toBe(Number.POSITIVE_INFINITY);
  await store.unkept.found('contacts', { edited: new Map(), right: [KEY] });
  expect(await again('b')).toBe(1);
});

test('an operator who retries the row begins anew, one who discards it does not', async () => {
  await store.unkept.missed(ROW);
  for (let times = 0; times < 4; times += 1) await store.unkept.found('contacts', look);
  await store.unkept.tell('contacts', LETTER);
  await store.unkept.tell('contacts', { ...LETTER, attempts: 9 });
  const [letter] = await store.deadLetters.all();
  if (letter === undefined) throw new Error('no letter');
  expect(letter).toMatchObject({ name: `contacts ${KEY}`, attempts: 5 });
  await store.deadLetters.discard(letter, 'known');
  expect((await store.unkept.found('contacts', look)).get(KEY)).toBe(Number.POSITIVE_INFINITY);
  await store.unkept.tell('contacts', LETTER);
  await store.deadLetters.retry(letter);
  expect((await store.unkept.found('contacts', look)).get(KEY)).toBe(1);
});

test.each([
  ['is cleared', 'cleared', {}],
  ['leaves its tab', 'a', { leftBehind: {} }],
  ['arrives in its archive', 'a', { movesFrom: { spreadsheetId: 'book', tab: 'Old' } }],
])('no count remains of a row that %s', async (_, hash, move) => {
  await store.unkept.found('contacts', look);
  await written(hash, move);
  expect(await store.redis.hgetall(store.keys.unkept)).toEqual({});
});
