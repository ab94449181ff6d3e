import { createHash } from 'node:crypto';
import type { EndedRequest, IntentRecord, OpenRequest } from '../domain/intent.ts';
import type { Keep } from '../domain/keep.ts';
import type { IntentStore } from '../ports/bookings.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin, Script } from './script.ts';
import { seedOf } from './seed.ts';

/** Ended requests kept per origin. */
const ENDED_MAX = 5;

/** One open request per origin: a second caller gets the first one's. */
const BEGIN = new Script(`
local open = redis.call('HGET', KEYS[1], 'o')
if open then return open end
local generation = tonumber(redis.call('HGET', KEYS[1], 'g') or '0')
if generation + 1 ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'g', ARGV[1], 'k', ARGV[2], 'o', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
`);

const REPLACE = new Script(`
if redis.call('HGET', KEYS[1], 'k') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'g', ARGV[2], 'k', ARGV[3], 'o', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
`);

/** Forgets the request with everything personal in it, and keeps how it ended. */
const END = new Script(`
if redis.call('HGET', KEYS[1], 'k') ~= ARGV[1] then return 0 end
if ARGV[6] and redis.call('HGET', KEYS[1], 'o') ~= ARGV[6] then return 0 end
local ended = cjson.decode(redis.call('HGET', KEYS[1], 'e') or '[]')
table.insert(ended, 1, ARGV[2])
while #ended > tonumber(ARGV[3]) do table.remove(ended) end
redis.call('HSET', KEYS[1], 'e', cjson.encode(ended))
redis.call('HDEL', KEYS[1], 'o', 'k')
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'a', ARGV[4]) end
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
`);

/** Intents in Redis: one hash per origin. */
export class RedisIntentStore implements IntentStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  /** How long an origin is kept after its last request was sent or ended. An open request may never end, because its wish is gone. */
  readonly #ttlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; keep: Pick<Keep, 'intentsMs'> }) {
    this.#ttlS = Math.ceil(parts.keep.intentsMs / 1_000);
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  seed(): Promise<string> {
    return seedOf(this.#redis, this.#keys);
  }

  async read(origin: string): Promise<IntentRecord | undefined> {
    const { g, o, a, e } = await replyWithin(this.#redis.hgetall(this.#key(origin)));
    if (g === undefined) return undefined;
    return {
      generation: Number(g),
      open: o === undefined ? undefined : (JSON.parse(o) as OpenRequest),
      appointmentId: a,
      ended: ((e === undefined ? [] : JSON.parse(e)) as string[]).map(
        (end) => JSON.parse(end) as EndedRequest,
      ),
    };
  }

  async begin(
    origin: string,
    request: OpenRequest,
  ): Promise<{ outcome: 'begun' | 'open'; open: OpenRequest } | { outcome: 'stale' }> {
    const { generation, key } = request;
    const answer = await BEGIN.run(
      this.#redis,
      [this.#key(origin)],
      [generation, key, JSON.stringify(request), this.#ttlS],
    );
    if (answer === 0) return { outcome: 'stale' };
    if (answer === 1) return { outcome: 'begun', open: request };
    return { outcome: 'open', open: JSON.parse(String(answer)) as OpenRequest };
  }

  async replace(origin: string, key: string, request: OpenRequest): Promise<boolean> {
    const args = [key, request.generation, request.key, JSON.stringify(request), this.#ttlS];
    return (await REPLACE.run(this.#redis, [this.#key(origin)], args)) === 1;
  }

  settle(origin: string, end: EndedRequest): Promise<boolean> {
    return this.#end(origin, end);
  }

  /** A request that was read and parsed has the text that was stored, because `JSON.stringify` wrote it. */
  withdraw(origin: string, end: EndedRequest, request: OpenRequest): Promise<boolean> {
    return this.#end(origin, end, JSON.stringify(request));
  }

  async #end(origin: string, end: EndedRequest, asStored?: string): Promise<boolean> {
    const made = end.op === 'book' && end.outcome === 'done' ? (end.appointmentId ?? '') : '';
    const args = [end.key, JSON.stringify(end), ENDED_MAX, made, this.#ttlS];
    const also = asStored === undefined ? [] : [asStored];
    return (await END.run(this.#redis, [this.#key(origin)], [...args, ...also])) === 1;
  }

  /** Hashed, because an origin may have any length and contains the address of a calendar. */
  #key(origin: string): string {
    return this.#keys.intent(createHash('sha256').update(origin).digest('base64url'));
  }
}
