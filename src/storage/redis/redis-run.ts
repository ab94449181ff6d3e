import type { KeySpace } from '../core/key-space.ts';
import { Script } from '../core/script.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * For scripts: names the process that runs them (`run_id` of INFO), in a cluster the node that holds the keys. After a restart, or when a
 * replica was promoted, it is another one, and the end of what was written may be missing there.
 */
export const RUN = `
local function run() return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unnamed' end
`;

const RUN_ID = new Script(`${RUN}
return run()
`);

/** The same, asked for. */
export async function redisRun(redis: RedisClient, keys: KeySpace): Promise<string> {
  return String(await RUN_ID.run(redis, [keys.memory], []));
}
