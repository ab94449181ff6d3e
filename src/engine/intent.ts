import { createHash } from 'node:crypto';
import type { Keep } from './keep.ts';
import type { KeySpace } from './key-space.ts';
import type { BookWish, CancelWish, MoveWish } from './outside-booking.ts';
import type { RedisClient } from './redis-client.ts';
import { replyWithin, Script } from './redis-script.ts';
import { seedOf } from './state-search.ts';

/**
 * A request to the platform, stored before it left, without a verdict so far. Body and key belong together forever, because the platform
 * refuses the same key with another body. A new decision takes a new key (platform API, Idempotency).
 */
export type OpenRequest = StoredRequest & RequestSubject;

interface StoredRequest {
  /** The Idempotency-Key. */
  readonly key: string;
  /** JSON text, sent unchanged: a platform may compare bodies byte by byte. */
  readonly body: string;
  /** Counts the requests of the origin: A to B to A is three decisions. */
  readonly generation: number;
  /** Epoch milliseconds. */
  readonly storedAtMs: number;
  /** When it was last sent again; epoch milliseconds. Absent: it was sent at most once, right after it was stored. */
  readonly sentAtMs?: number;
}

type RequestSubject =
  | { readonly op: 'book'; readonly wish: BookWish }
  /** `before`: where the appointment was when the move was decided. */
  | { readonly op: 'move'; readonly wish: MoveWish; readonly before: Place }
  | { readonly op: 'cancel'; readonly wish: CancelWish }
  /** Creates the contact of a customer whom the platform did not know. */
  | { readonly op: 'contact' };

/** A request about an appointment. */
export type BookingRequest = Exclude<OpenRequest, { op: 'contact' }>;

/** Time and resource of an appointment. */
export interface Place {
  /** ISO 8601. */
  readonly startsAt: string;
  readonly resourceId: string | null;
}

/** What is known of the requests of an origin. */
export interface IntentRecord {
  /** Generation of the last request; 0 before the first. */
  readonly generation: number;
  readonly open: OpenRequest | undefined;
  /** The appointment made by this origin's last successful booking. */
  readonly appointmentId: string | undefined;
  /** How the last requests ended, newest first. */
  readonly ended: readonly EndedRequest[];
}

/** The end of a request, without personal data. */
export interface EndedRequest {
  readonly key: string;
  readonly op: OpenRequest['op'];
  readonly generation: number;
  readonly outcome: 'done' | 'refused';
  /** Why it was refused. */
  readonly code?: string;
  readonly appointmentId?: string;
  /** The contact that was created or found. */
  readonly contactId?: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

export function isBookingRequest(request: OpenRequest): request is BookingRequest {
  return request.op !== 'contact';
}

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

/**
 * Requests to the platform, per origin. Each call is one atomic step, durable when it resolves.
 *
 * Intents in Redis: one hash per origin.
 */
export class IntentStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  /** How long an origin is kept after its last request was sent or ended. An open request may never end, because its wish is gone. */
  readonly #ttlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; keep: Pick<Keep, 'intentsMs'> }) {
    this.#ttlS = Math.ceil(parts.keep.intentsMs / 1_000);
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  /** Random, and equal for all workers. After a loss of the store it is another one, so no key matches an old answer. */
  seed(): Promise<string> {
    return seedOf(this.#redis, this.#keys);
  }

  /** Undefined if nothing is known of the origin: it is new, or the store was lost. */
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

  /**
   * Stores the request as the open one. `open`: another one is already open, and nothing was stored. `stale`: a request with this
   * generation or a later one was stored since the record was read; read it again.
   */
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

  /** Gives the open request another key and body, for the same wish. False if `key` is no longer the open one. */
  async replace(origin: string, key: string, request: OpenRequest): Promise<boolean> {
    const args = [key, request.generation, request.key, JSON.stringify(request), this.#ttlS];
    return (await REPLACE.run(this.#redis, [this.#key(origin)], args)) === 1;
  }

  /** Closes the request with `end.key` and forgets its body. False if it was no longer open; then nothing changes. */
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
