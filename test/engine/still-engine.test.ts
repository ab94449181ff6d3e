import { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import {
  KeyedQueue,
  KeyedWorker,
  type OwnedConnection,
  type QueueConnection,
} from '../../src/engine/keyed-queue.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { startFreezingProxy } from '../stand/freezing-proxy.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startRedisServer } from '../stand/redis-server.ts';
import { SILENT_LOG } from '../stand/store.ts';

/** Longer than a busy machine needs to start an engine: one that has not started yet looks as if it stood still. */
const STILL_MS = 2_500;
const WITHIN = { timeout: PATIENCE_MS, interval: 100 };
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** An engine behind a proxy, and a queue that reaches Redis directly. */
async function engine(handle: (key: string) => Promise<void>) {
  const server = await startRedisServer(() => []);
  const proxy = await startFreezingProxy(server.port);
  undo.push(
    () => server.stop(),
    () => proxy.stop(),
  );
  const direct = () => openRedis(`redis://127.0.0.1:${server.port}`, 'queue') as OwnedConnection;
  const options = { name: 'objects', prefix: 'q', attempts: 3, log: SILENT_LOG };
  const connection = direct();
  const queue = new KeyedQueue({ ...options, connection });
  // Without the probes of the worker's own client, so that the engine waits without end, as those of upstream do.
  const mortal = new Redis({ port: proxy.port, host: '127.0.0.1', maxRetriesPerRequest: null });
  mortal.on('error', () => {});
  const rebuilt: string[] = [];
  const worker = new KeyedWorker({
    ...{ ...options, connection: mortal as QueueConnection, concurrency: 1 },
    async handle(key) {
      await handle(key);
      return { next: 'done' };
    },
    watch: {
      waiting: async () => (await queue.counts())['wait'] ?? 0,
      openConnection: direct,
      meter: { add: (name, labels) => void rebuilt.push(`${name} ${labels?.['queue']}`), observe() {} },
      ...{ everyMs: 50, stillMs: STILL_MS },
    },
  });
  undo.push(
    () => mortal.disconnect(),
    () => connection.disconnect(),
    () => queue.close(),
    () => worker.close(100),
  );
  worker.start();
  return { queue, proxy, rebuilt };
}

test('an engine that stands still while keys wait is built anew and counted', async () => {
  const handled: string[] = [];
  const { queue, proxy, rebuilt } = await engine(async (key) => void handled.push(key));
  queue.add(['contact/1']);
  await vi.waitFor(() => expect(handled).toEqual(['contact/1']), WITHIN);
  expect(rebuilt).toEqual([]);
  proxy.forget();
  queue.add(['contact/2']);
  await vi.waitFor(() => expect(handled).toContain('contact/2'), WITHIN);
  expect(rebuilt).toEqual(['slotbridge_queue_engines_rebuilt_total objects']);
});

test('an engine whose handlers are all at work is left alone', async () => {
  let end = () => {};
  const ended = new Promise<void>((done) => {
    end = done;
  });
  const begun: string[] = [];
  const { queue, rebuilt } = await engine(async (key) => {
    begun.push(key);
    await ended;
  });
  queue.add(['contact/1', 'contact/2']);
  await vi.waitFor(() => expect(begun).toEqual(['contact/1']), WITHIN);
  await vi.waitFor(async () => expect((await queue.counts())['wait']).toBe(1), WITHIN);
  await new Promise((done) => setTimeout(done, STILL_MS + 1_000));
  expect(rebuilt).toEqual([]);
  end();
  await vi.waitFor(() => expect(begun).toEqual(['contact/1', 'contact/2']), WITHIN);
});
