// Half characters, from a hard cut or from a stranger's JSON, in each text that a Redis script reads.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const DAY = 86_400_000;
/** Each half alone, a backslash that is text, and a whole character. */
const HALVES = 'Vera \ud83d \ude00 \\ud83d \\\ud83d 😀';
const READ = 'Vera \ufffd \ufffd \\ud83d \\\ufffd 😀';

let redis: TestRedis;
let store: TestStore;
let aheadMs: number;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  aheadMs = 0;
  store = openTestStore(redis.url, { now: () => Date.now() + aheadMs });
  await store.ready();
  return () => store.close();
});

async function seen(kind: 'contact' | 'appointment' = 'contact') {
  const key = { kind, id: randomUUID() } as const;
  const snapshot = { id: key.id, comment: HALVES, ends_at: '2020-01-01T10:00:00Z' };
  await store.intake.observe({
    ...{ key, source: 'list', occurredAtMs: 1, force: true },
    seen: { as: 'snapshot', snapshot },
  });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return { claim, name: `${kind}/${key.id}` };
}

test('P1, P9: text that people typed into a cell is stored, and is recognized when it is seen again', async () => {
  const { claim, name } = await seen();
  await store.work.settle(claim);
  const edit = {
    mirror: 'people',
    header: 'Name',
    text: HALVES,
    as: '1',
    base: 'h',
    sinceMs: 1,
    seenAtMs: 2,
  };
  await store.rowEdits.note(name, [edit]);
  await store.rowEdits.note(name, [{ ...edit, seenAtMs: 3 }]);
  expect((await store.work.claim(claim.key))?.rowEdits).toMatchObject([{ seenAtMs: 2 }]);
  await store.rowEdits.withdraw(name, edit);
  expect((await store.work.claim(claim.key))?.rowEdits).toBeUndefined();
});

test('P1, P9: a waiting row is confirmed, and so are the rows beside it', async () => {
  const rows = await Promise.all(
    [HALVES, 'plain'].map(async (text) => {
      const { claim, name } = await seen();
      const row = {
        ...{ spreadsheetId: 'book', tab: 'T', mirror: 'people', key: name, rowKey: claim.key.id },
        ...{ cells: { Name: text }, shown: { Name: text }, hash: text, occurredAtMs: 1 },
      };
      expect(await store.outbox.put(claim, row as never)).toBe('queued');
      expect(await store.outbox.put(claim, row as never)).toBe('waiting');
      return name;
    }),
  );
  await store.outbox.confirm(await store.outbox.pending('book', 10));
  expect(await store.outbox.pending('book', 10)).toEqual([]);
  await store.outbox.rewrite(rows, 'people');
});

test('a link that a script changes keeps every other character', async () => {
  const { claim } = await seen();
  const link = { spreadsheetId: 'book', tab: HALVES, hash: 'h', standing: 'a' };
  await store.links.write(claim, 'people', { sheet: link });
  await store.outbox.rewrite([`contact/${claim.key.id}`], 'people');
  expect((await store.work.claim(claim.key))?.links['people']?.sheet).toMatchObject({ tab: READ });
});

test('the content of past appointments is removed', async () => {
  for (const _ of [1, 2]) await store.work.settle((await seen('appointment')).claim);
  aheadMs = 91 * DAY;
  // Redis will expire them; their content is removed earlier.
  expect(await store.retention.ageObjects()).toMatchObject({ emptied: 2 });
});

test('quarantined deliveries are removed when their time is over', async () => {
  await store.intake.quarantine({ atMs: Date.now(), reason: 'not-json', body: HALVES });
  aheadMs = 400 * DAY;
  expect(await store.retention.trimQuarantine()).toBe(1);
});
