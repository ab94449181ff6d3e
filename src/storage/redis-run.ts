import { mastersOf, type RedisClient } from './redis-client.ts';
import { answered } from './script.ts';

/**
 * Names the process that answers (`run_id` of INFO): after a restart, or when a replica was promoted, it is another one, and the end of
 * what was written may be missing there. Several masters of a cluster have no name in common: theirs never changes.
 */
export async function redisRun(redis: RedisClient): Promise<string> {
  const [node, ...others] = mastersOf(redis);
  if (node === undefined || others.length > 0) return 'cluster';
  const info = await answered(node.info('server'));
  return /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unnamed';
}
