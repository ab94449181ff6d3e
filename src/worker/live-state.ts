import type { LiveFinding } from '../engine/domain/live-finding.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { PrivateRedis } from '../engine/redis/private-redis.ts';
import { hasPrivateRedis, locatePrivateRedis } from '../engine/redis/private-redis-place.ts';
import { openRedis, type RedisClient } from '../engine/redis/redis-client.ts';
import { untilConnected } from '../engine/redis/redis-connection.ts';
import { RIGHTS_ADVICE } from '../engine/redis/redis-refusal.ts';
import { KeySpace } from '../engine/store/key-space.ts';
import { missingRights } from '../engine/store/redis-access.ts';
import { assertRedisIsFit } from '../engine/store/redis-fitness.ts';
import type { Config } from '../mapping/config.ts';
import { maskRedisAddress } from '../mapping/kinds/redis-address.ts';
import { findingOf } from '../operate/live-check/finding.ts';
import type { StoredState } from '../operate/live-check/live-check.ts';
import { readOnly } from '../operate/read-only.ts';
import { openStores } from './redis-stores.ts';

/** How long a command waits for Redis, because a person waits for it. */
const STATE_READY_WITHIN_MS = 2_000;

/**
 * Whether Redis can be used, and what a worker has stored there. Undefined: a private Redis that no worker has started yet. Never rejects
 * because of Redis.
 */
export async function openLiveState(config: Config, clock: Clock): Promise<StoredState | undefined> {
  const { url, prefix, dataDir } = config.redis;
  if (url === undefined && !hasPrivateRedis(dataDir)) return undefined;
  const address = url === undefined ? 'private Redis' : maskRedisAddress(url);
  const about = { side: 'redis', subject: address } as const;
  const unusable = (error: unknown): StoredState => ({
    findings: [findingOf(about, error)],
    memory: undefined,
    close: async () => undefined,
  });
  const found = url === undefined ? locatePrivateRedis(dataDir, { sharing: true }) : Promise.resolve({ url });
  const place: StoredState | { readonly url: string; readonly own?: PrivateRedis } =
    await found.catch(unusable);
  if ('findings' in place) return place;
  const redis = openRedis(place.url, 'commands');
  const close = async () => {
    redis.disconnect();
    await place.own?.stop();
  };
  try {
    await untilConnected(redis, { address, withinMs: STATE_READY_WITHIN_MS });
    const keys = new KeySpace(prefix);
    const findings = await askRedis(redis, keys.writable);
    const memory = readOnly(openStores(redis, { keys, clock }).memory);
    return { findings: findings.map((finding) => ({ ...about, ...finding })), memory, close };
  } catch (error) {
    await close();
    return unusable(error);
  }
}

type Finding = Omit<LiveFinding, 'side' | 'subject'>;

async function askRedis(redis: RedisClient, key: string): Promise<readonly Finding[]> {
  const { missing, answer } = await missingRights(redis, key);
  if (missing.length > 0)
    return [
      {
        verdict: 'broken',
        detail: `its user may not run ${missing.join(', ')} on the worker's keys (redis-rights-missing): ${answer}`,
        advice: RIGHTS_ADVICE,
      },
    ];
  const warnings = await assertRedisIsFit(redis);
  return [
    { verdict: 'ok', detail: 'allows every command that the worker runs' },
    ...warnings.map((detail): Finding => ({ verdict: 'notice', detail })),
  ];
}
