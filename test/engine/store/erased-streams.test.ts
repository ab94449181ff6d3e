import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eraseFromStream } from '../../../src/engine/erasure.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let stream: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  stream = store.keys.journal;
  return () => store.close();
});

const erase = (who: string) =>
  eraseFromStream(store.redis, { stream, copy: store.keys.streamCopy }, (text) => text.includes(who));
const add = async (text: string) => (await store.redis.xadd(stream, '*', 'text', text)) ?? '';
const entries = async () => (await store.redis.xrange(stream, '-', '+')).map(([id, [, text]]) => [id, text]);

/** What Redis has in memory and writes into its file, deleted entries included. */
async function bytes(): Promise<string> {
  await store.redis.config('SET', 'rdbcompression', 'no');
  return ((await store.redis.dumpBuffer(stream)) ?? Buffer.alloc(0)).toString('latin1');
}

test('nothing of an erased entry is left in the bytes of its stream, and its neighbours keep their ids', async () => {
  const person = randomUUID();
  const before = [];
  for (const text of ['a', `about ${person}`, 'b', `also ${person}`]) before.push([await add(text), text]);
  expect(await bytes()).toContain(person);
  expect(await erase(person)).toBe(2);
  expect(await bytes()).not.toContain(person);
  expect(await entries()).toEqual(before.filter(([, text]) => !text?.includes(person)));
  expect(await erase(person)).toBe(0);
  expect(await store.redis.exists(store.keys.streamCopy)).toBe(0);
  expect(await store.redis.ttl(stream)).toBe(-1);
});

test('ids go on rising after the newest entry was erased, also with a clock that was set back', async () => {
  const person = randomUUID();
  await store.redis.xadd(stream, '1', 'text', 'old');
  await store.redis.xadd(stream, '99999999999999-5', 'text', person);
  await erase(person);
  expect(await add('next')).toMatch(/^99999999999999-\d+$/);
  const after = await store.redis.xrange(stream, '(99999999999999-5', '+');
  expect(after.map(([, [, text]]) => text)).toEqual(['next']);
});

test('P1: what others append, remove and cut off while a stream is copied is neither lost, nor doubled, nor brought back', async () => {
  const person = randomUUID();
  const model: [string, string][] = [];
  for (let nth = 0; nth < 1_200; nth += 1) {
    const text = nth % 7 === 0 ? `${nth} ${person}` : `entry ${nth}`;
    model.push([await add(text), text]);
  }
  const { xrange } = store.redis;
  const gone = new Set<string>();
  let reads = 0;
  store.redis.xrange = (async (...args: [string, string, string]) => {
    const page = await xrange.apply(store.redis, args);
    reads += 1;
    // Somebody else at work between two reads.
    const text = `meanwhile ${reads}`;
    if (reads < 20) model.push([await add(text), text]);
    const cut = model[reads * 3]?.[0] ?? '';
    const [removed = ''] = model[1_000 + reads * 2] ?? [];
    await store.redis.xdel(stream, removed);
    await store.redis.xtrim(stream, 'MINID', cut);
    gone.add(removed);
    for (const [id] of model.slice(0, reads * 3)) gone.add(id);
    return page;
  }) as never;
  await erase(person);
  store.redis.xrange = xrange;
  expect(reads).toBeGreaterThan(10);
  expect(await entries()).toEqual(model.filter(([id, text]) => !gone.has(id) && !text.includes(person)));
  expect(await bytes()).not.toContain(person);
});

test('what a crash left of a copy is not mixed into the next one', async () => {
  const person = randomUUID();
  const kept = [await add('a'), await add(person)][0];
  await store.redis.xadd(store.keys.streamCopy, '5', 'text', 'left behind');
  await erase(person);
  expect(await entries()).toEqual([[kept, 'a']]);
});
