import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { KeyedQueue, type KeyedQueueOptions, KeyedWorker } from '../../src/engine/keyed-queue.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { sweepOnce } from '../../src/engine/sweep.ts';
import type { Attempt, Disposition } from '../../src/engine/work.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';
import { sweepParts } from '../stand/sweep-parts.ts';

let redis: TestRedis;
let store: TestStore;
let options: KeyedQueueOptions;
let queue: KeyedQueue;
const releases: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  const client = openRedis(redis.url, 'queue');
  const connection = client as ConnectionOptions;
  options = { name: 'objects', prefix: store.keys.queues, connection, attempts: 3, log: SILENT_LOG };
  queue = new KeyedQueue(options);
  releases.push(
    async () => store.close(),
    async () => client.disconnect(),
    () => queue.close(),
  );
});
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

function work(handle: (key: string, attempt: Attempt) => Promise<Disposition>, concurrency = 4): void {
  const worker = new KeyedWorker({ ...options, concurrency, handle });
  worker.start();
  releases.push(() => worker.close(2_000));
}

test('a key that is woken while its handler runs is handled once more afterwards, never beside it (case 9)', async () => {
  let running = 0;
  let most = 0;
  let handled = 0;
  let end = () => {};
  const ended = new Promise<void>((done) => {
    end = done;
  });
  work(async () => {
    running += 1;
    most = Math.max(most, running);
    handled += 1;
    await ended;
    running -= 1;
    return { next: 'done' };
  });
  queue.add(['contact/1']);
  await vi.waitFor(() => expect(running).toBe(1), { timeout: PATIENCE_MS });
  const waker = new KeyedQueue(options);
  for (let wake = 0; wake < 20; wake += 1) {
    waker.add(['contact/1']);
    await sleep(2);
  }
  // All of them have reached Redis.
  await waker.close();
  end();
  await vi.waitFor(() => expect(handled).toBe(2), { timeout: PATIENCE_MS });
  await sleep(500);
  expect(handled).toBe(2);
  expect(most).toBe(1);
});

test('a key can be woken again after it was done (case 9)', async () => {
  let handled = 0;
  work(async () => {
    handled += 1;
    return { next: 'done' };
  });
  for (let turn = 1; turn <= 3; turn += 1) {
    queue.add(['contact/1']);
    await vi.waitFor(() => expect(handled).toBe(turn), { timeout: PATIENCE_MS });
    await sleep(20);
  }
});

test('a key that is brought later is not held: whoever adds it meanwhile gets it a turn at once', async () => {
  const handled: string[] = [];
  work(async (key) => {
    handled.push(key);
    return { next: 'done' };
  });
  queue.addLater('contact/1', 20_000);
  queue.add(['contact/1']);
  await vi.waitFor(() => expect(handled).toEqual(['contact/1']), { timeout: PATIENCE_MS });
  queue.addLater('contact/2', 20_000);
  queue.addLater('contact/2', 10);
  await vi.waitFor(() => expect(handled).toEqual(['contact/1', 'contact/2']), { timeout: PATIENCE_MS });
});

test('a failing key is tried as often as the setting says, and is told which attempt is its last', async () => {
  const attempts: Attempt[] = [];
  work(async (_, attempt) => {
    attempts.push(attempt);
    return attempt.isLast ? { next: 'done' } : { next: 'retry', code: 'test' };
  });
  queue.add(['contact/1']);
  await vi.waitFor(() => expect(attempts.length).toBe(3), { timeout: PATIENCE_MS });
  expect(attempts).toEqual([
    { number: 1, isLast: false },
    { number: 2, isLast: false },
    { number: 3, isLast: true },
  ]);
});

test('a failing key returns after the pause that its handler names, and counts the attempt', async () => {
  const attempts: number[] = [];
  work(async (_, { number }) => {
    attempts.push(number);
    return number === 1 ? { next: 'retry', code: 'test', afterMs: 3_600_000 } : { next: 'done' };
  });
  queue.add(['contact/1']);
  await vi.waitFor(async () => expect(await queue.counts()).toMatchObject({ delayed: 1 }), {
    timeout: PATIENCE_MS,
  });
  const [job] = await queue.engine.getDelayed();
  expect(job?.delay).toBe(3_600_000);
  await queue.promoteDelayed();
  await vi.waitFor(() => expect(attempts).toEqual([1, 2]), { timeout: PATIENCE_MS });
});

test('a key that is put off costs no attempt and holds nobody up (case 70)', async () => {
  const seen: string[] = [];
  const attempts: number[] = [];
  work(async (key, attempt) => {
    seen.push(key);
    if (key !== 'slow') return { next: 'done' };
    attempts.push(attempt.number);
    return attempts.length < 4 ? { next: 'defer', afterMs: 50 } : { next: 'done' };
  }, 1);
  queue.add(['slow', 'quick-1', 'quick-2']);
  await vi.waitFor(() => expect(attempts.length).toBe(4), { timeout: PATIENCE_MS });
  expect(attempts).toEqual([1, 1, 1, 1]);
  expect(seen.indexOf('quick-2')).toBeLessThan(seen.lastIndexOf('slow'));
});

test('when the queue has lost everything, the sweep brings back what is dirty (case 10)', async () => {
  const key = { kind: 'contact', id: 'lost' } as const;
  await store.intake.observe({
    key,
    source: 'list',
    occurredAtMs: 1,
    seen: { as: 'snapshot', snapshot: { id: 'lost' } },
  });
  queue.add(['contact/lost']);
  await vi.waitFor(async () => expect(await queue.counts()).toMatchObject({ wait: 1 }), {
    timeout: PATIENCE_MS,
  });
  const jobs = await store.redis.keys(`${store.keys.queues}*`);
  await store.redis.del(...jobs);
  const handled: string[] = [];
  work(async (name) => {
    handled.push(name);
    return { next: 'done' };
  });
  await sleep(100);
  expect(handled).toEqual([]);
  await sweepOnce(sweepParts({ ...store, queue }));
  await vi.waitFor(() => expect(handled).toEqual(['contact/lost']), { timeout: PATIENCE_MS });
});

test('stopping lets a running handler come to its end (case 72)', async () => {
  let ended = false;
  let end: () => void = () => {};
  const running = new Promise<void>((done) => {
    end = done;
  });
  const worker = new KeyedWorker({
    ...options,
    concurrency: 1,
    handle: async () => {
      await running;
      ended = true;
      return { next: 'done' };
    },
  });
  worker.start();
  queue.add(['contact/1']);
  await vi.waitFor(async () => expect(await queue.counts()).toMatchObject({ active: 1 }), {
    timeout: PATIENCE_MS,
  });
  const closing = worker.close(PATIENCE_MS);
  await sleep(300);
  expect(ended).toBe(false);
  end();
  await closing;
  expect(ended).toBe(true);
});

test('stopping is bounded: a handler that does not end is cut off', async () => {
  const worker = new KeyedWorker({
    ...options,
    concurrency: 1,
    handle: () => new Promise<Disposition>(() => {}),
  });
  worker.start();
  queue.add(['contact/1']);
  await vi.waitFor(async () => expect(await queue.counts()).toMatchObject({ active: 1 }), {
    timeout: PATIENCE_MS,
  });
  // Would wait for ever.
  await worker.close(200);
});

test('a queue whose Redis never answered is closed all the same, however many keys wait', async () => {
  const nobody = openRedis('redis://127.0.0.1:1', 'queue');
  const lost = new KeyedQueue({ ...options, connection: nobody as ConnectionOptions });
  lost.add(Array.from({ length: 5_000 }, (_, n) => `contact/${n}`));
  await lost.close();
  nobody.disconnect();
});

test('a queue that gathers its adds sends the first at once and the others together, and all when it closes', async () => {
  const gathering = new KeyedQueue({ ...options, addEveryMs: 3_600_000 });
  gathering.add(['book-1']);
  await vi.waitFor(async () => expect((await queue.counts())['wait']).toBe(1), { timeout: PATIENCE_MS });
  for (let nth = 1; nth <= 20; nth += 1) {
    gathering.add(['book-1', 'book-2']);
    await sleep(10);
  }
  expect((await queue.counts())['wait']).toBe(1);
  await gathering.close();
  expect((await queue.counts())['wait']).toBe(2);
});

test('what is added once the queue is closed is left to the sweep', async () => {
  const lines: unknown[] = [];
  const log = { ...SILENT_LOG, warn: (...line: unknown[]) => void lines.push(line) };
  const ended = new KeyedQueue({ ...options, log });
  await ended.close();
  ended.add(['contact/1']);
  await sleep(300);
  expect(lines).toEqual([]);
  expect(await queue.counts()).toMatchObject({ wait: 0 });
});

test('keys that are held back under backpressure leave all the same, and at once when the queue closes', async () => {
  const backpressure = { isOn: () => true, giveWay: () => Promise.resolve() };
  const keys = (from: number) => Array.from({ length: 25 }, (_, nth) => `contact/${from + nth}`);
  const held = new KeyedQueue({ ...options, backpressure });
  held.add(keys(0));
  await vi.waitFor(async () => expect((await queue.counts())['wait']).toBe(25), { timeout: PATIENCE_MS });
  held.add(keys(25));
  await held.close();
  expect((await queue.counts())['wait']).toBe(50);
});

test('turns are told of one kind and each by itself: the next one of the same key has another name', async () => {
  const ends: (() => void)[] = [];
  work(
    () =>
      new Promise((done) => {
        ends.push(() => done({ next: 'done' }));
      }),
  );
  queue.add(['class/1', 'contact/1']);
  await vi.waitFor(() => expect(ends).toHaveLength(2), { timeout: PATIENCE_MS });
  const [first = ''] = await queue.turns('class');
  expect(first).toContain('class/1');
  expect([...(await queue.turns('class'))]).toEqual([first]);
  queue.add(['class/1']);
  for (const end of ends.splice(0)) end();
  await vi.waitFor(
    async () => {
      const [next] = await queue.turns('class');
      expect(next).toBeDefined();
      expect(next).not.toBe(first);
    },
    { timeout: PATIENCE_MS },
  );
  for (const end of ends.splice(0)) end();
  await vi.waitFor(async () => expect((await queue.turns('class')).size).toBe(0), { timeout: PATIENCE_MS });
});
