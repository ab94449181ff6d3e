import { randomBytes } from 'node:crypto';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { Script } from './script.ts';

const SEED_BYTES = 16;

const SEED = new Script(`
redis.call('HSETNX', KEYS[1], 'seed', ARGV[1])
return redis.call('HGET', KEYS[1], 'seed')
`);

/**
 * A random text that ids and keys are derived from. It is the same for all workers, also on both sides of a split. After a loss of Redis it
 * is another one, and nothing matches what was derived before.
 */
export async function seedOf(redis: RedisClient, keys: KeySpace): Promise<string> {
  return String(await SEED.run(redis, [keys.memory], [randomBytes(SEED_BYTES).toString('base64url')]));
}
