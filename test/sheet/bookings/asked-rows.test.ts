import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LeaseProof } from '../../../src/engine/leases.ts';
import { AskedRows } from '../../../src/sheet/known-rows.ts';
import { FLAGS, type TypedRow } from '../../../src/sheet/tab-reading.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const ENTRY = 'desk';
const NOBODYS: LeaseProof = { name: 'desk', proof: 'of another Redis' };

let redis: TestRedis;
let store: TestStore;
let asked: AskedRows;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  asked = new AskedRows(store.memory);
  return () => store.close();
});

/** A row that shows the question. */
function row(name: string, more: Partial<TypedRow> = {}): TypedRow {
  const cells = { name, service: 'Haircut' };
  const empty = { row: 1, id: '', appointment: '', startsAt: undefined, ready: false, cancel: false };
  return { ...empty, status: FLAGS.en.lost, cells, print: `print of ${name}`, ...more };
}

const underLease = (work: (lease: LeaseProof) => Promise<void>) => store.leases.hold('desk', work);
const known = async (...rows: TypedRow[]) => [...(await asked.among(ENTRY, rows))].map(({ print }) => print);

test('a question counts only in a row that was asked, or that names the same customer; without a record it counts everywhere', async () => {
  const [vera, nina, hit] = [row('Vera'), row('Nina'), row('Hal')];
  expect(await known(vera, hit, row('Ivy', { status: '' }))).toEqual([vera.print, hit.print]);
  await underLease((lease) => asked.keep(ENTRY, [vera, nina], lease));
  const moved = row('Vera', { print: 'another hour' });
  expect(await known(moved, nina, hit)).toEqual([moved.print, nina.print]);
});

test('the five hundred newest questions are kept, and each new one replaces an old one', async () => {
  const first = Array.from({ length: 500 }, (_, n) => row(`Guest ${n}`));
  const late = row('Vera');
  await underLease((lease) => asked.keep(ENTRY, first, lease));
  await underLease((lease) => asked.keep(ENTRY, [late], lease));
  expect(await known(...first, late)).toEqual([...first.slice(0, 499), late].map(({ print }) => print));
});

test('without the lease no new question is recorded, so none is written; a recorded one needs no write', async () => {
  const [vera, nina] = [row('Vera'), row('Nina')];
  await underLease((lease) => asked.keep(ENTRY, [vera], lease));
  await expect(asked.keep(ENTRY, [nina], NOBODYS)).rejects.toMatchObject({ code: 'lease-lost' });
  await asked.keep(ENTRY, [vera], NOBODYS);
  await asked.keep(ENTRY, [], NOBODYS);
  expect(await known(vera, nina)).toEqual([vera.print]);
});
