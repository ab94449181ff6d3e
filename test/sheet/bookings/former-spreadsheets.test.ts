import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SheetBookings } from '../../../src/engine/outside-booking.ts';
import { FormerSpreadsheets } from '../../../src/sheet/former-spreadsheets.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

const entry = (name: string, spreadsheetId: string) =>
  ({ kind: 'sheet', name, spreadsheetId, tab: 'Intake' }) as SheetBookings;

/** One life of the worker after the other, each with one YAML: the spreadsheets of each entry. */
async function lives(...yamls: readonly (readonly SheetBookings[])[]) {
  const store = openTestStore(redis.url);
  await store.ready();
  const found: (readonly string[])[][] = [];
  for (const mappings of yamls) {
    const former = new FormerSpreadsheets({ mappings, memory: store.memory });
    await former.look(mappings);
    found.push(mappings.map((mapping) => former.of(mapping)));
    await store.leases.hold('intake', async (lease) => {
      for (const mapping of mappings) await former.looked(mapping, lease);
    });
  }
  store.close();
  return found;
}

test('ids of the former spreadsheets count, the own first', async () => {
  expect(
    await lives([entry('desk', 'a')], [entry('desk', 'b')], [entry('desk', 'c')], [entry('desk', 'a')]),
  ).toEqual([[['a']], [['b', 'a']], [['c', 'b', 'a']], [['a', 'c', 'b']]]);
});

test('a former spreadsheet that another entry names is not this one’s, until none does', async () => {
  const both = [entry('desk', 'b'), entry('branch', 'a')];
  expect(await lives([entry('desk', 'a')], both, [entry('desk', 'b')])).toEqual([
    [['a']],
    [['b'], ['a']],
    [['b', 'a']],
  ]);
});

test('what another entry had is not this one’s', async () => {
  expect(await lives([entry('desk', 'a')], [entry('office', 'b')])).toEqual([[['a']], [['b']]]);
});

test('ten are remembered', async () => {
  const yamls = Array.from({ length: 12 }, (_, nth) => [entry('desk', `s${nth}`)]);
  expect((await lives(...yamls, [entry('desk', 'last')])).at(-1)).toEqual([
    ['last', 's11', 's10', 's9', 's8', 's7', 's6', 's5', 's4', 's3', 's2'],
  ]);
});

test('the first look at another spreadsheet is repeated until its rows were handed on, under a lease that holds', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const [first, copy] = [entry('desk', 'a'), entry('desk', 'b')];
  const isFirst: boolean[] = [];
  const live = async (mapping: SheetBookings, end: 'kept' | 'killed' | 'lease lost') => {
    const former = new FormerSpreadsheets({ mappings: [mapping], memory: store.memory });
    await former.look([mapping]);
    isFirst.push(former.isFirstLook(mapping));
    const held = await store.leases.hold('intake', async (lease) => {
      if (end === 'kept') await former.looked(mapping, lease);
      return lease;
    });
    if (end === 'lease lost' && held !== undefined) await former.looked(mapping, held.result);
    isFirst.push(former.isFirstLook(mapping));
  };
  await live(first, 'kept');
  await live(copy, 'killed');
  await live(copy, 'lease lost');
  await live(copy, 'kept');
  await live(copy, 'kept');
  expect(isFirst).toEqual([false, false, true, true, true, true, true, false, false, false]);
  store.close();
});

test('a process takes no look for the first once another process has taken it', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  await store.memory.set('intake-spreadsheets desk', JSON.stringify(['a']));
  const copy = entry('desk', 'b');
  const [slow, quick] = [0, 1].map(() => new FormerSpreadsheets({ mappings: [copy], memory: store.memory }));
  await slow?.look([copy]);
  await quick?.look([copy]);
  await store.leases.hold('intake', async (lease) => quick?.looked(copy, lease));
  expect(slow?.isFirstLook(copy)).toBe(true);
  await slow?.look([copy]);
  expect(slow?.isFirstLook(copy)).toBe(false);
  expect(slow?.of(copy)).toEqual(['b', 'a']);
  store.close();
});
