import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateRedis, startPrivateRedis } from '../../src/storage/private-redis.ts';

/** A real Redis for one test file: `await using redis = …`, or call `stop`. */
export interface TestRedis {
  readonly url: string;
  readonly pid: number;
  /** As the machine would: without a word. What was written within the last second may be lost. */
  kill(): void;
  /** Starts it again, from its file, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTestRedis(): Promise<TestRedis> {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-test-'));
  let redis: PrivateRedis = await startPrivateRedis(dir);
  return {
    url: redis.url,
    pid: redis.pid,
    kill() {
      process.kill(redis.pid, 'SIGKILL');
    },
    async restart() {
      redis = await startPrivateRedis(dir);
    },
    async stop() {
      await redis.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
