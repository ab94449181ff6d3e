import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';
import { startRedisServer } from './redis-server.ts';

/** A primary and its replica, until `split`: then both are primaries that know what there was before. */
export async function startSplittingRedis() {
  const first = await startRedisServer(() => ['appendonly yes']);
  const second = await startRedisServer(() => [`replicaof 127.0.0.1 ${first.port}`, 'appendonly yes']);
  return {
    url: `redis://127.0.0.1:${first.port}`,
    otherUrl: `redis://127.0.0.1:${second.port}`,
    pid: 0,
    async split(): Promise<void> {
      const [primary, replica] = [first, second].map(({ port }) => new Redis(port, '127.0.0.1'));
      if (primary === undefined || replica === undefined) throw new Error('no Redis');
      await vi.waitFor(
        async () => {
          const info = await replica.info('replication');
          if (!info.includes('master_link_status:up')) throw new Error('no replica yet');
        },
        { timeout: PATIENCE_MS, interval: 100 },
      );
      await primary.wait(1, 10_000);
      await replica.replicaof('NO', 'ONE');
      for (const client of [primary, replica]) client.disconnect();
    },
    async stop(): Promise<void> {
      await Promise.all([first.stop(), second.stop()]);
    },
  };
}
