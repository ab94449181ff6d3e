import type { KeptDeliveries, KeptDelivery } from '../ports/intake.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { Batch } from './batch.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin, Script } from './script.ts';

/** Deliveries per call, which blocks Redis for about a quarter of a millisecond. */
const KEPT_AT_ONCE_MAX = 50;

/** Returns how many deliveries wait afterwards. */
const KEEP = new Script(`
for nth = 1, #ARGV do redis.call('XADD', KEYS[1], '*', 'body', ARGV[nth]) end
return redis.call('XLEN', KEYS[1])
`);

/** One stream, one entry per delivery. Removing an entry twice changes nothing. */
export class RedisKeptDeliveries implements KeptDeliveries {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #batch = new Batch<string, number>({
    run: async (bodies) => {
      const waiting = Number(await KEEP.run(this.#redis, [this.#key], bodies));
      return bodies.map(() => waiting);
    },
    atOnceMax: KEPT_AT_ONCE_MAX,
  });

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#key = parts.keys.deliveries;
  }

  keep(body: string): Promise<number> {
    return this.#batch.ask(body);
  }

  async after(id: string | undefined, limit: number): Promise<readonly KeptDelivery[]> {
    const from = id === undefined ? '-' : `(${id}`;
    const entries = await replyWithin(this.#redis.xrange(this.#key, from, '+', 'COUNT', limit));
    return entries.map(([id, [, body = '']]) => ({ id, body }));
  }

  async remove(ids: readonly string[]): Promise<number> {
    if (ids.length > 0) await replyWithin(this.#redis.xdel(this.#key, ...ids));
    return replyWithin(this.#redis.xlen(this.#key));
  }
}
