import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { Script } from './script.ts';

/**
 * For scripts: names the Redis process that runs them (`run_id` of INFO); in a cluster, the node that holds the keys. The name changes
 * after a restart, or when a replica is promoted. The latest writes may then be missing.
 */
export const RUN = `
local function run() return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unnamed' end
`;

const RUN_ID = new Script(`${RUN}
return run()
`);

/** The same, outside of scripts. */
export async function redisRun(redis: RedisClient, keys: KeySpace): Promise<string> {
  return String(await RUN_ID.run(redis, [keys.memory], []));
}
