import type { Channel, ChannelStore } from '../../engine/ports/calendars.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin, Script } from '../../engine/store/script.ts';

/** Does not restore a row that was removed meanwhile. */
const CONFIRM_CHANNEL = new Script(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`);

/** Channels in Redis: one hash, channel id to row. */
export class RedisChannelStore implements ChannelStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async add(channel: Channel): Promise<void> {
    await replyWithin(this.#redis.hset(this.#keys.channels, channel.id, JSON.stringify(channel)));
  }

  async get(id: string): Promise<Channel | undefined> {
    const row = await replyWithin(this.#redis.hget(this.#keys.channels, id));
    return row === null ? undefined : toChannel(row);
  }

  async all(): Promise<readonly Channel[]> {
    return (await replyWithin(this.#redis.hvals(this.#keys.channels))).map(toChannel);
  }

  async confirm(id: string, opened: { resourceId: string; expiresAtMs: number }): Promise<void> {
    const channel = await this.get(id);
    if (channel === undefined) return;
    const row = JSON.stringify({ ...channel, ...opened });
    await CONFIRM_CHANNEL.run(this.#redis, [this.#keys.channels], [id, row]);
  }

  async remove(id: string): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.channels, id));
  }
}

/** JSON omits absent fields; the type requires them as undefined. */
function toChannel(row: string): Channel {
  const { resourceId, ...rest } = JSON.parse(row) as Channel;
  return { ...rest, resourceId };
}
