import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { noBackpressure } from '../../src/engine/handler.ts';
import { type OwnedConnection, openQueues } from '../../src/engine/keyed-queue.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG } from '../stand/store.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('once the worker stops, the handler that runs comes to its end, and no other begins', async () => {
  const { queues, store, close } = await opened();
  const begun: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((done) => {
    end = done;
  });
  const stopping = new AbortController();
  const reconcile = async (key: string) => {
    begun.push(key);
    await ended;
    return { next: 'done' } as const;
  };
  const flush = async () => ({ next: 'done' }) as const;
  const working = queues.work({ reconcile, flush, isCurrent: async () => true }, stopping.signal);
  queues.objects.add(['contact/1']);
  await vi.waitFor(() => expect(begun).toEqual(['contact/1']), { timeout: PATIENCE_MS });
  stopping.abort();
  queues.objects.add(['contact/2']);
  let hasStopped = false;
  const stopped = working.then(() => {
    hasStopped = true;
  });
  const left = async () => {
    const { wait = 0, delayed = 0 } = await queues.objects.counts();
    return wait + delayed;
  };
  await vi.waitFor(async () => expect(await left()).toBe(1), { timeout: PATIENCE_MS });
  expect({ hasStopped, atWork: queues.inFlight() }).toEqual({ hasStopped: false, atWork: 1 });
  end();
  await stopped;
  expect({ begun, atWork: queues.inFlight() }).toEqual({ begun: ['contact/1'], atWork: 0 });
  await close();
  store.close();
});

test('rows of one spreadsheet that come in one after another wake ten times a second, not each time', async () => {
  const { queues, store, close } = await opened();
  let tenths = 0;
  const ticking = setInterval(() => {
    tenths += 1;
  }, 100);
  for (let wakes = 0; wakes < 100; wakes += 1) {
    queues.waker.wake('book');
    await sleep(10);
  }
  await close();
  clearInterval(ticking);
  const adds = Number(await store.redis.get(`${store.keys.queues}:flushes:id`));
  expect(adds).toBeGreaterThan(1);
  expect(adds).toBeLessThanOrEqual(3 + 2 * tenths);
  store.close();
});

test('P1: what a dead process had at work has a turn at once', async () => {
  const { queues, store, close } = await opened();
  const begun: string[] = [];
  const reconcile = async (key: string) => {
    begun.push(key);
    return { next: 'done' } as const;
  };
  const flush = async () => ({ next: 'done' }) as const;
  const stopping = new AbortController();
  const working = queues.work({ reconcile, flush, isCurrent: async () => true }, stopping.signal);
  await queues.takeOver();
  await vi.waitFor(() => expect(begun).toEqual(['appointment/7']), { timeout: PATIENCE_MS });
  stopping.abort();
  await working;
  await close();
  store.close();
});

async function opened() {
  const store = openTestStore(redis.url);
  await store.ready();
  const client = openRedis(redis.url, 'queue');
  const queues = openQueues({
    ...{ connection: client as ConnectionOptions, prefix: store.keys.queues, holder: 'a' },
    ...{ attempts: 3, concurrency: 1, shutdownMs: 30_000, spreadsheets: 1 },
    takeOver: async (_, onLocks) => {
      onLocks(['appointment/7']);
      return { leases: 2, jobs: 0 };
    },
    renewLocks: async () => undefined,
    quotas: { waits: async () => undefined },
    ...{ backpressure: noBackpressure, clock: { now: Date.now }, log: SILENT_LOG, meter: NO_METER },
    openConnection: () => openRedis(redis.url, 'queue') as OwnedConnection,
  });
  const close = async () => {
    await queues.close();
    client.disconnect();
  };
  return { queues, store, close };
}
