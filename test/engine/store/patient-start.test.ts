/** A worker starts, Redis answers, and then it, or the worker's process, stands still for longer than a command may take. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/worker/stores.ts';
import { KeptLog } from '../../doubles/listener.ts';
import { file, load } from '../../mapping/fixture.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';

/** Longer than a command may take, which is 3 s. */
const STANDSTILL_MS = 3_300;

let redis: TestRedis;
let server: Server;
let port: number;
let standstills: number;
const sockets = new Set<Socket>();

beforeEach(async () => {
  redis = await startTestRedis();
  standstills = 0;
  server = createServer((from) => {
    const to = connect(redis.url.replace('unix://', ''));
    for (const socket of [from, to]) sockets.add(socket.on('error', () => undefined));
    to.pipe(from);
    let passing = Promise.resolve();
    from.on('data', (data) => {
      const isFirst = standstills === 0 && data.includes('state-version');
      if (isFirst) standstills += 1;
      passing = passing
        .then(() => sleep(isFirst ? STANDSTILL_MS : 0))
        .then(() => void (to.writable && to.write(data)));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((done) => server.close(done));
  await redis.stop();
});

test('the worker waits for it; a command says what is wrong', async () => {
  const config = load(file({ more: `redis: { url: "redis://127.0.0.1:${port}" }\n` }));
  const clock = { now: Date.now };
  const log = new KeptLog();
  const store = await openStore(config, clock, { log });
  expect(standstills).toBe(1);
  expect(log.lines.map(({ message }) => message)).toContain('could not start yet; will retry');
  await store.close();
  standstills = 0;
  await expect(openStore(config, clock, { sharing: true })).rejects.toMatchObject({
    code: 'store-unavailable',
  });
});
