import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { KeyedQueue, KeyedWorker, type QueueConnection } from '../../../src/engine/keyed-queue.ts';
import { toLink } from '../../../src/engine/link.ts';
import { openRedis } from '../../../src/engine/redis-client.ts';
import { assertRedisIsFit } from '../../../src/engine/redis-fitness.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startRedisServer } from '../../stand/redis-server.ts';
import { openTestStore, SILENT_LOG } from '../../stand/store.ts';

/** One object through intake, queue, claim, outbox, confirmation and settlement. */
async function carriesWork(url: string): Promise<void> {
  const store = openTestStore(url);
  await store.ready();
  await assertRedisIsFit(store.redis);
  const client = openRedis(url, 'queue');
  const options = {
    name: 'objects',
    prefix: store.keys.queues,
    connection: client as QueueConnection,
    attempts: 3,
    log: SILENT_LOG,
  };
  const queue = new KeyedQueue(options);
  const key = { kind: 'contact', id: 'one' } as const;
  const worker = new KeyedWorker({
    ...options,
    concurrency: 1,
    async handle() {
      const claim = await store.work.claim(key);
      if (claim === undefined) throw new Error('nothing to claim');
      const row = { spreadsheetId: 'book', tab: 't', mirror: 'm', key: 'contact/one', rowKey: 'one' };
      await store.outbox.put(claim, { ...row, cells: {}, hash: 'h', occurredAtMs: undefined });
      await store.outbox.confirm(await store.outbox.pending('book', 10));
      const link = toLink({ calendarId: 'c', eventId: 'e', etag: '"1"', hash: 'h', coloured: false });
      await store.links.write(claim, 'm', { calendars: [link] });
      await store.sightings.sight(
        key,
        { calendarId: 'c', eventId: 'e', etag: '"1"', seenAtMs: 1 },
        { isAlive: true },
      );
      await store.links.write(claim, 'm', { calendars: [{ ...link, calendarId: 'd' }] });
      await store.work.settle(claim);
      return { next: 'done' };
    },
  });
  try {
    const seen = { as: 'snapshot', snapshot: { id: 'one' } } as const;
    await store.intake.observe({ key, source: 'webhook', eventId: 'e', occurredAtMs: 1, seen });
    worker.start();
    queue.add(['contact/one']);
    await vi.waitFor(async () => expect((await store.ledger.pending()).objects).toBe(0), {
      timeout: PATIENCE_MS,
    });
    expect(await store.outbox.waiting()).toEqual([]);
    await store.outbox.rewriteAll({ mirror: 'm', spreadsheetId: 'book', tab: 't' });
    expect(await store.work.due(Date.now(), 10)).toEqual(['contact/one']);
    expect(await store.leases.hold('walk', async () => 'held')).toEqual({ result: 'held' });
  } finally {
    await worker.close(1_000);
    await queue.close();
    client.disconnect();
    store.close();
  }
}

test('a Redis Cluster carries the work: the keys that one script touches share a slot', async () => {
  const server = await startRedisServer(() => [
    'cluster-enabled yes',
    'cluster-announce-ip 127.0.0.1',
    'appendonly yes',
  ]);
  const node = new Redis(server.port, '127.0.0.1');
  // The server may not listen yet; the client tries again.
  node.on('error', () => {});
  try {
    await node.cluster('ADDSLOTSRANGE', 0, 16_383);
    await vi.waitFor(async () => expect(await node.cluster('INFO')).toContain('cluster_state:ok'), {
      timeout: PATIENCE_MS,
    });
    await carriesWork(`redis+cluster://127.0.0.1:${server.port}`);
  } finally {
    node.disconnect();
    await server.stop();
  }
});

test('a Redis behind Sentinel carries the work', async () => {
  const master = await startRedisServer(() => ['appendonly yes']);
  const sentinel = await startRedisServer(
    () => [`sentinel monitor office 127.0.0.1 ${master.port} 1`],
    ['--sentinel'],
  );
  try {
    await carriesWork(`redis+sentinel://127.0.0.1:${sentinel.port}/office`);
  } finally {
    await sentinel.stop();
    await master.stop();
  }
});

test('the user of a cluster address logs in, not only its password', async () => {
  const server = await startRedisServer(() => [
    'cluster-enabled yes',
    'cluster-announce-ip 127.0.0.1',
    'user default off',
    'user admin on >secret ~* &* +@all',
    'user worker on >pass ~* &* +@all',
  ]);
  const node = new Redis(server.port, '127.0.0.1', { username: 'admin', password: 'secret' });
  node.on('error', () => {});
  try {
    await node.cluster('ADDSLOTSRANGE', 0, 16_383);
    const client = openRedis(`redis+cluster://worker:pass@127.0.0.1:${server.port}`, 'commands');
    await vi.waitFor(async () => expect(await client.set('{a}', '1')).toBe('OK'), {
      timeout: PATIENCE_MS,
      interval: 200,
    });
    client.disconnect();
  } finally {
    node.disconnect();
    await server.stop();
  }
});

test('replicas without min-replicas-to-write are a warning; with it, and without replicas, there is none', async () => {
  const primary = await startRedisServer(() => ['appendonly yes']);
  const replica = await startRedisServer(() => [`replicaof 127.0.0.1 ${primary.port}`]);
  const client = openRedis(`redis://127.0.0.1:${primary.port}`, 'commands');
  const admin = new Redis(primary.port, '127.0.0.1');
  try {
    await vi.waitFor(
      async () =>
        expect(await assertRedisIsFit(client)).toEqual([expect.stringMatching(/min-replicas-to-write/)]),
      { timeout: PATIENCE_MS, interval: 200 },
    );
    await admin.config('SET', 'min-replicas-to-write', '1');
    expect(await assertRedisIsFit(client)).toEqual([]);
    await admin.config('SET', 'min-replicas-to-write', '0');
    await replica.stop();
    await vi.waitFor(async () => expect(await assertRedisIsFit(client)).toEqual([]), {
      timeout: PATIENCE_MS,
      interval: 200,
    });
  } finally {
    client.disconnect();
    admin.disconnect();
    await primary.stop();
  }
});
