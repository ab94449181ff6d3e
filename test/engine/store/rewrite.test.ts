import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SheetMirror } from '../../../src/engine/mirror.ts';
import { createSheetTarget } from '../../../src/sheet/target.ts';
import { KeptLog, KeptMeter } from '../../doubles/listener.ts';
import { CountingWaker } from '../../doubles/waker.ts';
import { BOOK, CONTACTS } from '../../sheet/stand.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('a row that was hit has its object looked at, and one whose id nobody knows makes no work of nothing', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const snapshot = { id: 'c1', updated_at: '2026-03-01T10:00:00Z' };
  const key = { kind: 'contact', id: 'c1' } as const;
  await store.intake.observe({ key, source: 'list', occurredAtMs: 0, seen: { as: 'snapshot', snapshot } });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  await store.work.settle(claim);
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
  await store.outbox.rewrite(['contact/c1', 'booking/an-id-in-a-row'], 'contacts');
  expect(await store.work.due(Date.now(), 10)).toEqual(['contact/c1']);
  expect(await store.work.claim({ kind: 'booking', id: 'an-id-in-a-row' })).toBeUndefined();
  store.close();
});

test.each(['restored', 'all'] as const)(
  'a row of an object that had left is taken away when it is found again (%s), and not written anew',
  async (kind) => {
    const store = openTestStore(redis.url);
    await store.ready();
    const directory = { current: () => ({ resources: new Map(), branches: new Map(), services: new Map() }) };
    const target = createSheetTarget({
      mirror: { ...CONTACTS, where: { lifecycles: ['customer'] } } as SheetMirror,
      ...{ outbox: store.outbox, waker: new CountingWaker(), directory, clock: { now: Date.now } },
      ...{ log: new KeptLog(), meter: new KeptMeter() },
    });
    const key = { kind: 'contact', id: 'c2' } as const;
    const turn = async () => {
      const claim = await store.work.claim(key);
      if (claim === undefined) throw new Error('nothing to claim');
      await target.reconcile(claim);
      await store.work.settle(claim);
      return store.outbox.pending(BOOK, 10);
    };
    for (const [at, lifecycle] of ['customer', 'lead'].entries()) {
      const snapshot = { id: 'c2', updated_at: `2026-03-01T10:0${at}:00Z`, lifecycle };
      await store.intake.observe({
        key,
        source: 'list',
        occurredAtMs: 0,
        seen: { as: 'snapshot', snapshot },
      });
      await store.outbox.confirm(await turn());
    }
    if (kind === 'restored') await store.sheetRows.restore(['contact/c2'], 'contacts');
    else await store.outbox.rewrite(['contact/c2'], 'contacts');
    expect(await turn()).toMatchObject([{ rowKey: 'c2', hash: 'cleared' }]);
    store.close();
  },
);
