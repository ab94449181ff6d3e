import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test('a holder that is cut off from Redis knows by its own clock when its time is up (case 71)', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const held = store.leases.hold(
    'flush',
    ({ signal }) =>
      new Promise<number>((done) => {
        const began = Date.now();
        process.kill(redis.pid, 'SIGSTOP');
        signal.addEventListener('abort', () => done(Date.now() - began));
      }),
    1_500,
  );
  const toldAfterMs = await held.finally(() => process.kill(redis.pid, 'SIGCONT'));
  expect(toldAfterMs?.result).toBeLessThan(8_000);
  store.close();
}, 20_000);

test('tokens grow from holder to holder', async () => {
  const store = openTestStore(redis.url);
  await store.ready();
  const tokens: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await store.leases.hold('walk', async ({ token }) => {
      tokens.push(token);
    });
  }
  expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
  expect(new Set(tokens).size).toBe(3);
  store.close();
});
