// Writes that add rows, until their end is known: across processes, and after a kill.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

const ROW = { mirror: 'contacts', tab: 'Contacts', key: 'contact/1', rowKey: '1', hash: 'a' };
let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('what a process has sent another one finds open, each write by itself, until it has ended', async () => {
  let nowMs = 1_000;
  const first = openTestStore(redis.url, { now: () => nowMs });
  const second = openTestStore(redis.url, { prefix: first.prefix });
  await Promise.all([first.ready(), second.ready()]);
  const early = await first.sentRows.sent('book', [ROW]);
  nowMs += 5;
  await first.sentRows.sent('book', [ROW, { ...ROW, key: 'contact/2' }]);
  await first.sentRows.sent('other', [ROW]);
  first.close();
  const open = await second.sentRows.open('book');
  expect(open.map(({ sentAtMs, rows }) => [sentAtMs, rows.length])).toEqual([
    [1_000, 1],
    [1_005, 2],
  ]);
  expect(open[0]).toEqual(early);
  // Nobody may look after them: they do not stay for ever.
  expect(await second.redis.pttl(second.keys.sentRows('book'))).toBeGreaterThan(3_600_000);
  await second.sentRows.ended('book', early);
  expect((await second.sentRows.open('book')).map(({ sentAtMs }) => sentAtMs)).toEqual([1_005]);
  second.close();
});
