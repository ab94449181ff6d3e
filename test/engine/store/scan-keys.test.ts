import { expect, test } from 'vitest';
import { openRedis, type RedisClient } from '../../../src/engine/redis-client.ts';
import { scanKeys } from '../../../src/engine/redis-script.ts';
import { startTestRedis } from '../../stand/redis.ts';

async function found(redis: RedisClient, beginning: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const names of scanKeys(redis, beginning)) keys.push(...names);
  return keys.sort();
}

test('finds the keys that begin so, whatever else is stored, in several parts', async ({
  onTestFinished,
}) => {
  const server = await startTestRedis();
  onTestFinished(() => server.stop());
  const redis = openRedis(server.url, 'queue');
  onTestFinished(() => redis.disconnect());
  const wanted = Array.from({ length: 1_200 }, (_, nth) => `[mine]:${String(nth).padStart(4, '0')}`);
  await redis.mset([...wanted, 'm:other', 'mine:other'].flatMap((key) => [key, '1']));
  expect(await found(redis, '[mine]:')).toEqual(wanted);
});

test('P8: an answer that went down with a connection ends the scan, so that whoever waits for it can try again', async () => {
  const lost = { scan: () => new Promise(() => {}) } as unknown as RedisClient;
  await expect(found(lost, 'any')).rejects.toMatchObject({ code: 'store-unavailable', family: 'retryable' });
});
