import type { KeptFeedEvent } from '../../engine/domain/feed.ts';
import { formatKey } from '../../engine/domain/object.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { FeedLinks, FeedStore } from '../../engine/ports/feeds.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { UNHELD_TTL_S } from '../../engine/store/object-life.ts';
import { replyWithin, Script } from '../../engine/store/script.ts';
import { FENCE } from '../../engine/store/work-store.ts';

/** The sequence only rises. It is never lower than the seconds since 2020, so that it keeps rising after a loss of Redis. */
const PUT = new Script(`${FENCE}
local object, feed = KEYS[1], KEYS[2]
local fence, id, hash, event, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if fence_of(object) ~= fence then return 'fenced' end
local known = redis.call('HGET', feed, id)
local sequence = math.max(0, math.floor(now / 1000) - 1577836800)
if known then
  local decoded = cjson.decode(known)
  if decoded.hash == hash then return 'same' end
  sequence = math.max(sequence, decoded.sequence + 1)
elseif ARGV[6] == '1' then
  return 'same'
end
local about = string.format('{"hash":"%s","sequence":%d,"stampMs":%d,', hash, sequence, now)
redis.call('HSET', feed, id, about .. string.sub(event, 2))
if redis.call('TTL', feed) < 0 then redis.call('EXPIRE', feed, ${UNHELD_TTL_S}) end
return 'written'
`);

const REMOVE = new Script(`${FENCE}
if fence_of(KEYS[1]) ~= ARGV[1] then return 'fenced' end
if redis.call('HDEL', KEYS[2], ARGV[2]) == 1 then return 'written' end
return 'same'
`);

/** One hash per feed: appointment id to its event. */
export class RedisFeedStore implements FeedStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async put(
    claim: Claim,
    feed: string,
    { event, hash, nowMs, onlyIfHeld = false }: Parameters<FeedStore['put']>[2],
  ): Promise<'written' | 'same' | 'fenced'> {
    const args = [claim.fence, claim.key.id, hash, JSON.stringify(event), nowMs, onlyIfHeld ? '1' : ''];
    return (await PUT.run(this.#redis, this.#of(claim, feed), args)) as 'written' | 'same' | 'fenced';
  }

  async remove(claim: Claim, feed: string): Promise<'written' | 'same' | 'fenced'> {
    const args = [claim.fence, claim.key.id];
    return (await REMOVE.run(this.#redis, this.#of(claim, feed), args)) as 'written' | 'same' | 'fenced';
  }

  async events(feed: string): Promise<readonly KeptFeedEvent[]> {
    const kept = await replyWithin(this.#redis.hgetall(this.#keys.feedEvents(feed)));
    return Object.entries(kept).map(([id, text]) => ({ ...(JSON.parse(text) as KeptFeedEvent), id }));
  }

  async keep(feeds: readonly string[]): Promise<void> {
    for (const feed of feeds) {
      await replyWithin(this.#redis.expire(this.#keys.feedEvents(feed), UNHELD_TTL_S));
    }
  }

  #of({ key }: Claim, feed: string): [string, string] {
    return [this.#keys.object(formatKey(key)), this.#keys.feedEvents(feed)];
  }
}

/** One hash: feed to the hash of its secret. */
export class RedisFeedLinks implements FeedLinks {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async add(feed: string, secretHash: string): Promise<boolean> {
    return (await replyWithin(this.#redis.hsetnx(this.#keys.feedLinks, feed, secretHash))) === 1;
  }

  async revoke(feed: string): Promise<boolean> {
    return (await replyWithin(this.#redis.hdel(this.#keys.feedLinks, feed))) === 1;
  }

  async hashes(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(await replyWithin(this.#redis.hgetall(this.#keys.feedLinks))));
  }
}
