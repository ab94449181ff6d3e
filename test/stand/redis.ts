import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateRedis, startPrivateRedis } from '../../src/storage/redis/private-redis.ts';

/** A real Redis for one test file: `await using redis = …`, or call `stop`. */
export interface TestRedis {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startTestRedis(): Promise<TestRedis> {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-test-'));
  const redis: PrivateRedis = await startPrivateRedis(dir, { isRevived: false });
  return {
    url: redis.url,
    pid: redis.pid,
    async stop() {
      await redis.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
