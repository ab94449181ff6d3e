import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityKey } from '../../../src/engine/object.ts';
import type { FailureReason } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(async () => {
  await redis.stop();
});

const reason = (code: string, target?: string): FailureReason => ({
  ...{ mirror: 'staff', code, message: 'm' },
  ...(target !== undefined && { target }),
});

async function claim(id: string) {
  const key: EntityKey = { kind: 'appointment', id };
  const seen = { as: 'snapshot', snapshot: { id } } as const;
  await store.intake.observe({ key, source: 'webhook', occurredAtMs: Date.now(), seen });
  const claimed = await store.work.claim(key);
  if (claimed === undefined) throw new Error('not observed');
  return claimed;
}

async function giveUp(id: string, ...reasons: readonly FailureReason[]): Promise<void> {
  const letter = { key: `appointment/${id}`, atMs: Date.now(), attempts: 1, reasons };
  await store.work.deadLetter(await claim(id), letter);
}

/** Counts by cause. They are the same when built anew from the letters alone. */
async function counts(): Promise<Record<string, number>> {
  const read = async () =>
    Object.fromEntries(
      (await store.deadLetters.causes())
        .map(
          ({ reasons, count }) =>
            [reasons.map(({ code, target }) => `${code} ${target}`).join(), count] as const,
        )
        .sort(([a], [b]) => a.localeCompare(b)),
    );
  const kept = await read();
  const sets = await store.redis.keys(`{${store.prefix}}:dead-*`);
  if (sets.length > 0) await store.redis.del(...sets);
  expect(await read()).toEqual(kept);
  return kept;
}

test('counts follow each letter: written, written anew, mirrored, retried, discarded', async () => {
  store = openTestStore(redis.url);
  await giveUp('a', reason('x'));
  await giveUp('b', reason('x'), reason('y', 'calendar:1'));
  await giveUp('c', reason('x'));
  expect(await counts()).toEqual({ 'x undefined': 2, 'x undefined,y calendar:1': 1 });
  await giveUp('a', reason('y', 'calendar:1'));
  expect(await counts()).toEqual({ 'x undefined': 1, 'x undefined,y calendar:1': 1, 'y calendar:1': 1 });
  await store.work.settle(await claim('a'));
  const [b, c] = [
    await store.deadLetters.named(['appointment/b']),
    await store.deadLetters.named(['appointment/c']),
  ];
  for (const letter of b) expect(await store.deadLetters.retry(letter)).toBe(true);
  expect(await counts()).toEqual({ 'x undefined': 1 });
  for (const letter of c) expect(await store.deadLetters.discard(letter, 'why')).toBe(true);
  expect(await counts()).toEqual({});
  expect(await store.redis.keys(`{${store.prefix}}:dead*`)).toEqual([]);
  store.close();
});

test('after an earlier version wrote, removed and damaged letters, the counts are those of the hash', async () => {
  store = openTestStore(redis.url);
  for (const id of ['a', 'b', 'c']) await giveUp(id, reason('x'));
  const { dead } = store.keys;
  await store.redis.hdel(dead, 'appointment/a');
  expect((await store.ledger.deadLetters(5)).codes).toEqual({ x: 2 });
  const letter = { key: 'appointment/d', atMs: 1, attempts: 1, reasons: [reason('z')] };
  await store.redis.hset(dead, 'sheet appointment/d', JSON.stringify(letter));
  expect((await store.ledger.deadLetters(5)).codes).toEqual({ x: 2, z: 1 });
  await store.redis.hset(dead, 'appointment/e', '{"key":"appointment/e","atMs":5,"attempts":1,"reasons":[]}');
  expect(await store.ledger.deadLetters(1)).toMatchObject({ count: 4, codes: { x: 2, z: 1, unknown: 1 } });
  store.close();
});

test('a row’s letter is found by its object', async () => {
  store = openTestStore(redis.url);
  const letter = { key: 'appointment/d', atMs: 1, attempts: 1, reasons: [reason('z')] };
  await store.unkept.tell('staff', letter);
  await store.unkept.tell('staff', { ...letter, reasons: [reason('other')] });
  await giveUp('d', reason('x'));
  const found = await store.deadLetters.ofObject('appointment/d');
  expect(found.map(({ name, reasons }) => [name, reasons[0]?.code])).toEqual([
    ['appointment/d', 'x'],
    ['staff appointment/d', 'z'],
  ]);
  store.close();
});
