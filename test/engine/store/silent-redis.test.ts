// What is lost without a word: no end of a connection tells of it. The time limits are those of the test runner alone.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { KeyedQueue, KeyedWorker, type QueueConnection } from '../../../src/engine/keyed-queue.ts';
import { openRedis, type RedisClient, untilConnected } from '../../../src/engine/redis-client.ts';
import { startFreezingProxy } from '../../stand/freezing-proxy.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startRedisServer } from '../../stand/redis-server.ts';
import { SILENT_LOG } from '../../stand/store.ts';
import { startStubSentinel } from '../../stand/stub-sentinel.ts';

const WITHIN = { timeout: PATIENCE_MS, interval: 200 };
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

async function own<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  undo.push(() => started.stop());
  return started;
}

function open(url: string, role: 'commands' | 'queue' = 'commands'): RedisClient {
  const client = openRedis(url, role);
  undo.push(() => client.disconnect());
  return client;
}

/** The value that a server itself holds. */
async function valueIn(port: number, key: string): Promise<string | null> {
  const client = new Redis(port, '127.0.0.1');
  try {
    return await client.get(key);
  } finally {
    client.disconnect();
  }
}

/** Two masters that the sentinels name one after the other. */
async function twoMasters() {
  const first = await own(startRedisServer(() => []));
  const second = await own(startRedisServer(() => []));
  const proxy = await own(startFreezingProxy(first.port));
  return { first, second, proxy };
}

test('a primary that falls silent without a word is left for the one that Sentinel names', async () => {
  const { second, proxy } = await twoMasters();
  const sentinel = await own(startStubSentinel({ masterPort: proxy.port }));
  const client = open(`redis+sentinel://127.0.0.1:${sentinel.port}/office`);
  await vi.waitFor(() => expect(client.set('k', 'before')).resolves.toBe('OK'), WITHIN);
  proxy.freeze();
  sentinel.say({ masterPort: second.port, epoch: 1 });
  client.set('k', 'after').catch(() => undefined);
  await vi.waitFor(async () => expect(await valueIn(second.port, 'k')).toBe('after'), WITHIN);
}, 60_000);

test('an idle connection that died without a word is replaced before anybody needs it', async () => {
  const server = await own(startRedisServer(() => []));
  const proxy = await own(startFreezingProxy(server.port));
  const client = open(`redis://127.0.0.1:${proxy.port}`, 'queue');
  await vi.waitFor(() => expect(client.set('k', 'before')).resolves.toBe('OK'), WITHIN);
  const closed = new Promise((done) => client.once('close', done));
  proxy.forget();
  await closed;
  await expect(client.set('k', 'after')).resolves.toBe('OK');
}, 60_000);

test.each([
  { refusal: 'READONLY', demote: (redis: Redis, to: number) => redis.replicaof('127.0.0.1', to) },
  { refusal: 'NOREPLICAS', demote: (redis: Redis) => redis.config('SET', 'min-replicas-to-write', '1') },
])(
  'a primary that keeps its connections and answers $refusal is left',
  async ({ demote }) => {
    const { first, second } = await twoMasters();
    const sentinel = await own(startStubSentinel({ masterPort: first.port }));
    const client = open(`redis+sentinel://127.0.0.1:${sentinel.port}/office`);
    await vi.waitFor(() => expect(client.set('k', 'before')).resolves.toBe('OK'), WITHIN);
    const admin = new Redis(first.port, '127.0.0.1');
    undo.push(() => admin.disconnect());
    await demote(admin, second.port);
    sentinel.say({ masterPort: second.port, epoch: 1 });
    await expect(client.eval(`return redis.call('SET', KEYS[1], 'lost')`, 1, 'k')).rejects.toThrow();
    await vi.waitFor(() => expect(client.set('k', 'after')).resolves.toBe('OK'), WITHIN);
    expect(await valueIn(second.port, 'k')).toBe('after');
  },
  60_000,
);

test('queue engines work on after the connection to Redis died without a word', async () => {
  const server = await own(startRedisServer(() => ['appendonly yes']));
  const proxy = await own(startFreezingProxy(server.port));
  const url = `redis://127.0.0.1:${proxy.port}`;
  const options = { name: 'objects', prefix: 'q', attempts: 3, log: SILENT_LOG };
  const connection = open(url, 'queue') as QueueConnection;
  const handled = new Set<string>();
  const worker = new KeyedWorker({
    ...{ ...options, connection, concurrency: 2 },
    async handle(key) {
      handled.add(key);
      return { next: 'done' };
    },
  });
  undo.push(() => worker.close(1_000));
  worker.start();
  const queue = new KeyedQueue({
    ...options,
    connection: open(`redis://127.0.0.1:${server.port}`, 'queue') as QueueConnection,
  });
  undo.push(() => queue.close());
  queue.add(['contact/before']);
  await vi.waitFor(() => expect([...handled]).toEqual(['contact/before']), WITHIN);
  proxy.forget();
  queue.add(['contact/after']);
  await vi.waitFor(() => expect([...handled]).toContain('contact/after'), WITHIN);
}, 60_000);

test('a server that was silent and then restarts has as long for that as one that restarts at once', async () => {
  const server = await own(startRedisServer(() => []));
  const sockets = new Set<Socket>();
  const began = performance.now();
  // Silent for longer than a refusal is retried, then gone for a moment.
  const front = createServer((from) => {
    sockets.add(from.on('error', () => undefined));
    const atMs = performance.now() - began;
    if (atMs < 3_000) setTimeout(() => from.resetAndDestroy(), 3_000 - atMs);
    else if (atMs < 3_600) from.resetAndDestroy();
    else {
      const to = connect(server.port, '127.0.0.1').on('error', () => undefined);
      sockets.add(to);
      from.pipe(to).pipe(from);
    }
  });
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  undo.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => front.close(done));
  });
  const address = `redis://127.0.0.1:${(front.address() as AddressInfo).port}`;
  await untilConnected(open(address), { address, withinMs: PATIENCE_MS });
}, 60_000);

test('silent sentinels do not hold up the answer of another', async () => {
  const master = await own(startRedisServer(() => []));
  const silent = [await own(startStubSentinel('nothing')), await own(startStubSentinel('nothing'))];
  const sentinel = await own(startStubSentinel({ masterPort: master.port }));
  const hosts = [...silent, sentinel].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const url = `redis+sentinel://${hosts}/office`;
  // The limit of a command.
  await untilConnected(open(url), { address: url, withinMs: 5_000 });
});

test('among sentinels that disagree, the one that saw the most failovers is right', async () => {
  const { first, second } = await twoMasters();
  const old = [
    await own(startStubSentinel({ masterPort: first.port, epoch: 3 })),
    await own(startStubSentinel({ masterPort: first.port, epoch: 3 })),
  ];
  const fresh = await own(startStubSentinel({ masterPort: second.port, epoch: 4 }));
  const hosts = [...old, fresh].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const client = open(`redis+sentinel://${hosts}/office`);
  await vi.waitFor(() => expect(client.set('k', 'v')).resolves.toBe('OK'), WITHIN);
  expect(await valueIn(second.port, 'k')).toBe('v');
});

test('sentinels that one of them knows are asked too, once those of the address are gone', async () => {
  const { first, second } = await twoMasters();
  const learned = await own(startStubSentinel({ masterPort: first.port }));
  const named = await own(startStubSentinel({ masterPort: first.port, others: [learned.port] }));
  const client = open(`redis+sentinel://127.0.0.1:${named.port}/office`);
  await vi.waitFor(() => expect(client.set('k', 'before')).resolves.toBe('OK'), WITHIN);
  named.say('nothing');
  learned.say({ masterPort: second.port, epoch: 1 });
  client.disconnect(true);
  await vi.waitFor(async () => {
    await client.set('k', 'after');
    expect(await valueIn(second.port, 'k')).toBe('after');
  }, WITHIN);
}, 60_000);

test('an error names which sentinel was silent and which answered', async () => {
  const silent = await own(startStubSentinel('nothing'));
  const master = await own(startRedisServer(() => []));
  const proxy = await own(startFreezingProxy(master.port));
  proxy.freeze();
  const sentinel = await own(startStubSentinel({ masterPort: proxy.port }));
  const address = `redis+sentinel://127.0.0.1:${silent.port},127.0.0.1:${sentinel.port}/office`;
  await expect(untilConnected(open(address), { address, withinMs: 3_000 })).rejects.toMatchObject({
    code: 'redis-silent',
    message: `Redis at ${address} does not answer: sentinel 127.0.0.1:${silent.port} is silent, sentinel 127.0.0.1:${sentinel.port} names 127.0.0.1:${proxy.port}`,
  });
});

test('an error names which node of a cluster was silent and which gave no connection', async () => {
  const silent = await own(startStubSentinel('nothing'));
  const address = `redis+cluster://127.0.0.1:${silent.port},127.0.0.1:1`;
  await expect(untilConnected(open(address), { address, withinMs: 3_000 })).rejects.toMatchObject({
    message: expect.stringMatching(
      new RegExp(
        `node 127.0.0.1:${silent.port} is silent.*node 127.0.0.1:1 gives no connection|node 127.0.0.1:1 gives no connection.*node 127.0.0.1:${silent.port} is silent`,
      ),
    ),
  });
});
