import { TerminalError } from '../domain/errors.ts';
import { mastersOf, type RedisClient } from '../redis/redis-client.ts';
import { replyWithin } from './script.ts';

const VERSION_MIN = [6, 2] as const;

/**
 * Refuses a Redis that may silently drop keys (`redis-evicts`) or is too old (`redis-too-old`), and a cluster without a master
 * (`redis-no-master`). Returns warnings about what is only risky. It relies on INFO, because a managed Redis may not allow CONFIG.
 */
export async function assertRedisIsFit(redis: RedisClient): Promise<readonly string[]> {
  const [node] = mastersOf(redis);
  if (node === undefined)
    throw new TerminalError(
      'redis-no-master',
      'the Redis cluster shows no master: it does not answer, or refuses the login',
      { target: 'redis' },
    );
  const info = await replyWithin(node.info());
  const version = field(info, 'redis_version');
  if (isOlder(version)) {
    throw new TerminalError('redis-too-old', `Redis ${version} is older than ${VERSION_MIN.join('.')}`, {
      target: 'redis',
      advice: `Use Redis ${VERSION_MIN.join('.')} or newer, or Valkey.`,
    });
  }
  const policy = field(info, 'maxmemory_policy');
  if (policy !== '' && policy !== 'noeviction') {
    throw new TerminalError(
      'redis-evicts',
      `Redis has the eviction policy ${policy}: it may drop work that is not done yet`,
      {
        target: 'redis',
        advice:
          'Set maxmemory-policy to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf).',
      },
    );
  }
  return [
    ...(field(info, 'aof_enabled') === '0' ? [NO_FILE] : []),
    ...(mayBeSplit(info) ? [MAY_BE_SPLIT] : []),
  ];
}

const NO_FILE =
  'Redis does not write an append-only file: a crash of Redis forgets what came since its last snapshot, and a resync has to find it. Set appendonly yes.';
const MAY_BE_SPLIT =
  'Redis has replicas but no min-replicas-to-write: a primary that is cut off from them goes on writing, and a failover forgets all of that. With three Redis, set min-replicas-to-write 1 and min-replicas-max-lag 10.';

/** Redis tells the number of good replicas only if writes depend on it. A cluster stops a cut-off primary itself. */
function mayBeSplit(info: string): boolean {
  if (field(info, 'cluster_enabled') === '1' || field(info, 'role') !== 'master') return false;
  return Number(field(info, 'connected_slaves')) > 0 && field(info, 'min_slaves_good_slaves') === '';
}

function field(info: string, name: string): string {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]);
}
