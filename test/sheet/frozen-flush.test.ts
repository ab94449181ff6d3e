/** A process that freezes after it looked at its lease, and goes on when the lease has gone to somebody else: it writes nothing (P2, P3). */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lease } from '../../src/engine/leases.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';
import { BOOK, contact, id, line, type Stand, startStand } from './stand.ts';

const LEASE = 'flush:book';

let redis: TestRedis;
let store: TestStore;
let stand: Stand;
beforeEach(async () => {
  redis = await startTestRedis();
  store = openTestStore(redis.url);
  await store.ready();
  stand = await startStand();
  return async () => {
    store.close();
    await redis.stop();
  };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stand.close();
});

/** A minute passes in which nothing of the process runs. Its lease expires, and nobody has told it. */
async function freeze(): Promise<void> {
  await store.redis.del(store.keys.lease(LEASE));
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
}

const inTurn = <T>(work: (lease: Lease) => Promise<T>) => store.leases.hold(LEASE, work);

test.each(['before its budget', 'with its budget'])('frozen %s, the write does not leave', async (when) => {
  stand.put(contact(1));
  await inTurn((lease) => stand.flushWith(lease.signal));
  const before = stand.values();
  stand.put(contact(1, 'Late'), contact(2));
  const spend = stand.budget.spend.bind(stand.budget);
  stand.budget.spend = async (name, ...rest) => {
    const isWrite = name.includes('write');
    if (isWrite && when === 'before its budget') await freeze();
    const admission = await spend(name, ...rest);
    if (isWrite && when === 'with its budget') await freeze();
    return admission;
  };
  stand.sandbox.resetCounts();
  const frozen = inTurn((lease) => stand.flushWith(lease.signal));
  await expect(frozen).rejects.toMatchObject({ family: 'retryable', code: 'stopped' });
  // Nothing was sent, so nothing is looked for.
  expect(stand.sandbox.stats().callsByMethod).toEqual({ 'spreadsheets.values.batchGetByDataFilter': 1 });
  expect(stand.values()).toEqual(before);
  expect(await stand.waiting()).toEqual([id(1), id(2)]);
  expect(stand.problems.codes()).toEqual({});
  stand.budget.spend = spend;
  vi.restoreAllMocks();
  await inTurn((lease) => stand.flushWith(lease.signal));
  expect(stand.values().slice(1)).toEqual([line(1, 'Late'), line(2)]);
});

test('no write of any kind leaves after the turn, a read does', async () => {
  const work = async () => {
    await freeze();
    expect(await stand.api.tabs(BOOK)).toHaveLength(1);
    return stand.api.write(BOOK, [{ addSheet: { properties: { title: 'Late' } } }]);
  };
  await expect(inTurn(work)).rejects.toMatchObject({ code: 'stopped' });
  expect(await stand.api.tabs(BOOK)).toHaveLength(1);
});
