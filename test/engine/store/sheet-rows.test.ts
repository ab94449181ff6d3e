import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OutboxRow } from '../../../src/engine/sheet-row.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const PLACE = { mirror: 'contacts', spreadsheetId: 'book', tab: 'Contacts' };
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

/** An object whose row was written; returns its key. */
async function written(
  hash: string,
  about: Partial<OutboxRow> = {},
  id: string = randomUUID(),
): Promise<string> {
  const key = { kind: 'contact', id } as const;
  const seen = { as: 'snapshot', snapshot: { id } } as const;
  await store.intake.observe({ key, source: 'list', occurredAtMs: 1, force: true, seen });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  const cells = hash === 'cleared' ? undefined : { Name: hash };
  await store.outbox.put(claim, {
    ...PLACE,
    key: `contact/${id}`,
    rowKey: id,
    cells,
    hash,
    occurredAtMs: 1,
    ...about,
  });
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  await store.work.settle(claim);
  return `contact/${id}`;
}

const linkOf = async (key: string) =>
  (await store.work.claim({ kind: 'contact', id: key.slice('contact/'.length) }))?.links['contacts']?.sheet;

test('rows are known from their confirmation until they are taken away, each in its own tab', async () => {
  const [one, two] = [await written('A'), await written('B')];
  await written('C', { tab: 'Other' });
  await written('D', { mirror: 'third' });
  expect(await store.sheetRows.known(PLACE)).toEqual(
    new Map([
      [one, 'A'],
      [two, 'B'],
    ]),
  );
  await written('A2', {}, one.slice('contact/'.length));
  await written('cleared', {}, two.slice('contact/'.length));
  expect(await store.sheetRows.known(PLACE)).toEqual(new Map([[one, 'A2']]));
});

test('rows that were written before there was an index are found by their links, once', async () => {
  const [one, gone] = [await written('A'), await written('cleared')];
  await store.redis.del(store.keys.rows(PLACE));
  expect(await store.sheetRows.known(PLACE)).toEqual(new Map([[one, 'A']]));
  await store.redis.hdel(store.keys.rows(PLACE), one);
  expect(await store.sheetRows.known(PLACE)).toEqual(new Map());
  expect(gone).not.toBe(one);
});

test('a row that is restored keeps the look of its cells, and one that was hit by accident does not', async () => {
  const formats = { Start: { type: 'DATE', pattern: 'yyyy' } } as const;
  const [one, two] = [await written('A', { formats }), await written('B', { formats })];
  await store.sheetRows.restore([one], 'contacts');
  await store.outbox.rewrite([two], 'contacts');
  expect([...(await store.work.due(Date.now(), 10))].sort()).toEqual([one, two].sort());
  expect(await linkOf(one)).toMatchObject({ hash: '', formats: { Start: 'yyyy' } });
  expect(await linkOf(two)).toEqual({ spreadsheetId: 'book', tab: 'Contacts', hash: '' });
});

test('an object that has no row gets none by being restored', async () => {
  await store.sheetRows.restore([`contact/${randomUUID()}`], 'contacts');
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
});

test('a row stays away only as it was seen: one that was written since is another', async () => {
  const [one, two] = [await written('A'), await written('B')];
  await written('B2', {}, two.slice('contact/'.length));
  await store.sheetRows.leave(
    new Map([
      [one, 'A'],
      [two, 'B'],
    ]),
    PLACE,
  );
  expect(await store.sheetRows.known(PLACE)).toEqual(
    new Map([
      [one, 'left'],
      [two, 'B2'],
    ]),
  );
  expect([(await linkOf(one))?.hash, (await linkOf(two))?.hash]).toEqual(['left', 'B2']);
});
