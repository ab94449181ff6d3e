import { formatKey } from '../domain/entity.ts';
import type { MirrorLinks } from '../domain/link.ts';
import type { Claim } from '../domain/work.ts';
import type { LinkStore } from '../ports/link-store.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered, Script } from './script.ts';
import { linkField } from './work-store.ts';

const WRITE = new Script(`
if redis.call('HGET', KEYS[1], 'f') ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[2]) else redis.call('HSET', KEYS[1], ARGV[2], ARGV[3]) end
return 1
`);

/** Links in Redis, as fields of the object they belong to, so that a claim brings them along. */
export class RedisLinkStore implements LinkStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async write(claim: Claim, mirror: string, links: MirrorLinks): Promise<boolean> {
    const isEmpty = (links.calendars ?? []).length === 0 && links.sheet === undefined;
    const written = await WRITE.run(
      this.#redis,
      [this.#keys.object(formatKey(claim.key))],
      [claim.fence, linkField(mirror), isEmpty ? '' : JSON.stringify(links)],
    );
    return written === 1;
  }

  async adopt(key: string, mirror: string, links: MirrorLinks): Promise<boolean> {
    const object = this.#keys.object(key);
    return (await answered(this.#redis.hsetnx(object, linkField(mirror), JSON.stringify(links)))) === 1;
  }
}
