import { openRedis } from '../../../../src/engine/redis-client.ts';
import type { Stage } from '../stand/stage.ts';

/** What Redis has counted since it started. */
export interface RedisCounts {
  /** Commands, with those inside scripts. */
  readonly commands: number;
  /** Bytes of all data and buffers. */
  readonly bytes: number;
}

export async function redisCounts(stage: Stage): Promise<RedisCounts> {
  const redis = openRedis(stage.redisUrl, 'queue');
  try {
    const commands = [...(await redis.info('commandstats')).matchAll(/calls=(\d+)/g)];
    const bytes = /^used_memory_dataset:(\d+)/m.exec(await redis.info('memory'))?.[1];
    return { commands: commands.reduce((sum, [, calls]) => sum + Number(calls), 0), bytes: Number(bytes) };
  } finally {
    redis.disconnect();
  }
}
