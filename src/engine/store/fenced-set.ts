import type { LeaseProof } from '../ports/leases.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { HOLDS } from './leases.ts';
import { Script } from './script.ts';

const FENCED_SET = new Script(`${HOLDS}
if not holds(KEYS[2], ARGV[1]) then return 0 end
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i]) else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1
`);

/**
 * Sets fields of a hash if the caller still holds the lease; returns false otherwise. `pairs`: fields and values; an empty value deletes
 * the field.
 */
export async function fencedSet(
  { redis, keys }: { readonly redis: RedisClient; readonly keys: KeySpace },
  lease: LeaseProof,
  { key, pairs }: { readonly key: string; readonly pairs: readonly string[] },
): Promise<boolean> {
  return (await FENCED_SET.run(redis, [key, keys.lease(lease.name)], [lease.proof, ...pairs])) === 1;
}
