import { createHash } from 'node:crypto';
import { fenced } from './errors.ts';
import { idempotencyKey } from './ids.ts';
import type { Keep } from './keep.ts';
import type { KeySpace } from './key-space.ts';
import { seedOf } from './memory.ts';
import { contentHash, formatKey, given, ORIGIN_MARK } from './object.ts';
import type { BookWish, CancelWish, MoveWish } from './outside-booking.ts';
import type { RedisClient } from './redis-client.ts';
import { RedisStore, replyWithin, Script } from './redis-script.ts';
import type { Claim } from './work.ts';
import { FENCE } from './work-store.ts';

/** Turns a wish into the request that carries it, with its exact body and a key of its own. Pure: the caller gives the time. */

/** `metadata` key for the request that created the appointment: it finds the appointment again after a lost answer. */
export const REQUEST_MARK = 'slotbridge_request';

/** Longest string in `metadata` (platform API, general rule 8). */
const MARK_CHARS_MAX = 500;
/** Longest contact name (platform API, Limits). */
const NAME_CHARS_MAX = 255;

export type Subject =
  | { readonly op: 'book'; readonly wish: BookWish; readonly customer: CustomerFields }
  | { readonly op: 'move'; readonly wish: MoveWish; readonly before: Place }
  | { readonly op: 'cancel'; readonly wish: CancelWish };

/** Who is booked, in the fields of POST /v1/appointments. */
export type CustomerFields =
  | { readonly contact_id: string }
  | { readonly customer_phone: string; readonly customer_name?: string; readonly customer_email?: string };

interface RequestFacts {
  readonly origin: string;
  readonly generation: number;
  readonly nowMs: number;
  /** The intent store gives it. It changes when Redis is lost. */
  readonly seed: string;
}

export function requestOf(subject: Subject, facts: RequestFacts): BookingRequest {
  const { origin, generation, seed } = facts;
  // The generation separates decisions: a key remembers its first answer, even a 409. The seed separates this count from one that was lost
  // with Redis and restarted at 1. Two workers that cannot see each other's state give the same wish the same key, so the platform performs
  // it once.
  const key = idempotencyKey([
    subject.op,
    origin,
    contentHash({ ...subject.wish }),
    String(generation),
    seed,
  ]);
  const stored = { key, generation: facts.generation, storedAtMs: facts.nowMs };
  switch (subject.op) {
    case 'book':
      return { ...stored, op: 'book', wish: subject.wish, body: bookBody(subject, facts, key) };
    case 'move': {
      const { wish, before } = subject;
      return { ...stored, op: 'move', wish, before, body: moveBody(wish) };
    }
    case 'cancel':
      return { ...stored, op: 'cancel', wish: subject.wish, body: cancelBody(subject.wish) };
  }
}

/** The same wish under a new key: the old one is spent, or returns nothing but a failure. */
export function underNewKey(request: BookingRequest, facts: RequestFacts): BookingRequest {
  switch (request.op) {
    case 'book':
      return requestOf({ op: 'book', wish: request.wish, customer: customerInBody(request.body) }, facts);
    case 'move':
      return requestOf({ op: 'move', wish: request.wish, before: request.before }, facts);
    case 'cancel':
      return requestOf({ op: 'cancel', wish: request.wish }, facts);
  }
}

/** The `metadata` value for an origin; hashed when it would not fit, or would be trimmed. */
export function originMark(origin: string): string {
  if (origin.trim() === origin && [...origin].length <= MARK_CHARS_MAX) return origin;
  return `sha256-${createHash('sha256').update(origin).digest('base64url')}`;
}

/** The body that creates a new customer's card. */
export function contactBody(card: {
  readonly projectId: string | undefined;
  readonly name: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
}): string {
  const name = [...(card.name?.trim() || card.phone || card.email || '')].slice(0, NAME_CHARS_MAX).join('');
  return JSON.stringify({
    ...given('project_id', card.projectId),
    name,
    ...given('phone', card.phone),
    // In the form of later searches: the list matches it exactly (platform API, GET /v1/contacts), and people type capitals as they like.
    ...given('email', card.email?.toLowerCase()),
  });
}

/** The customer in the body of a stored booking. */
export function customerInBody(body: string): CustomerFields {
  const { contact_id, customer_phone, customer_name, customer_email } = JSON.parse(body) as {
    readonly contact_id?: string;
    readonly customer_phone?: string;
    readonly customer_name?: string;
    readonly customer_email?: string;
  };
  if (contact_id !== undefined) return { contact_id };
  return {
    customer_phone: customer_phone ?? '',
    ...given('customer_name', customer_name),
    ...given('customer_email', customer_email),
  };
}

function bookBody(
  { wish, customer }: { wish: BookWish; customer: CustomerFields },
  { origin }: RequestFacts,
  key: string,
): string {
  return JSON.stringify({
    service_id: wish.serviceId,
    starts_at: wish.startsAt,
    ...given('branch_id', wish.branchId),
    ...given('resource_id', wish.resourceId),
    ...given('duration_min', wish.durationMin),
    ...given('guests_count', wish.guests),
    ...customer,
    ...given('comment', wish.comment),
    // Always sent: without it, the platform mails the customer.
    notify_customer: wish.notifyCustomer,
    metadata: { [ORIGIN_MARK]: originMark(origin), [REQUEST_MARK]: key },
  });
}

function moveBody(wish: MoveWish): string {
  return JSON.stringify({
    starts_at: wish.startsAt,
    ...given('resource_id', wish.resourceId),
    notify_customer: wish.notifyCustomer,
  });
}

function cancelBody(wish: CancelWish): string {
  return JSON.stringify({ ...given('reason', wish.reason), notify_customer: wish.notifyCustomer });
}

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

/** The turn that sends a request. */
export type Sender = Pick<Claim, 'key' | 'fence'>;

/** Ended requests kept per origin. */
const ENDED_MAX = 5;

/** For scripts: whether another handler has taken over the object whose turn sends the request. An empty fence is nobody's. */
const OVERTAKEN = `${FENCE}
local function is_overtaken(object, fence) return fence ~= '' and fence_of(object) ~= fence end
`;
const FENCED = -1;

/** One open request per origin: a second caller gets the first one's. */
const BEGIN = new Script(`${OVERTAKEN}
if is_overtaken(KEYS[2], ARGV[5]) then return ${FENCED} end
local open = redis.call('HGET', KEYS[1], 'o')
if open then return open end
local generation = tonumber(redis.call('HGET', KEYS[1], 'g') or '0')
if generation + 1 ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'g', ARGV[1], 'k', ARGV[2], 'o', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
`);

const REPLACE = new Script(`${OVERTAKEN}
if is_overtaken(KEYS[2], ARGV[6]) then return ${FENCED} end
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

/** Requests to the platform: one hash per origin. Each call is one atomic step, durable when it resolves. */
export class IntentStore extends RedisStore {
  /** How long an origin is kept after its last request was sent or ended. An open request may never end, because its wish is gone. */
  readonly #ttlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; keep: Pick<Keep, 'intentsMs'> }) {
    super(parts);
    this.#ttlS = Math.ceil(parts.keep.intentsMs / 1_000);
  }

  /** Random, and equal for all workers. After a loss of the store it is another one, so no key matches an old answer. */
  seed(): Promise<string> {
    return seedOf(this.redis, this.keys);
  }

  /** Undefined if nothing is known of the origin: it is new, or the store was lost. */
  async read(origin: string): Promise<IntentRecord | undefined> {
    const { g, o, a, e } = await replyWithin(this.redis.hgetall(this.#key(origin)));
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
   * generation or a later one was stored since the record was read; read it again. Rejects with `RetryableError` `fenced` when another
   * handler has taken over the object of the claim: its wish may no longer be the one to send.
   */
  async begin(
    origin: string,
    request: OpenRequest,
    claim?: Sender,
  ): Promise<{ outcome: 'begun' | 'open'; open: OpenRequest } | { outcome: 'stale' }> {
    const { generation, key } = request;
    const answer = await BEGIN.run(
      this.redis,
      [this.#key(origin), this.#objectOf(claim)],
      [generation, key, JSON.stringify(request), this.#ttlS, claim?.fence ?? ''],
    );
    if (answer === FENCED) throw fenced();
    if (answer === 0) return { outcome: 'stale' };
    if (answer === 1) return { outcome: 'begun', open: request };
    return { outcome: 'open', open: JSON.parse(String(answer)) as OpenRequest };
  }

  /**
   * Gives the open request another key and body, for the same wish. False if `key` is no longer the open one. Rejects with `RetryableError`
   * `fenced` as `begin` does.
   */
  async replace(
    origin: string,
    { key, claim }: { readonly key: string; readonly claim?: Sender | undefined },
    request: OpenRequest,
  ): Promise<boolean> {
    const args = [key, request.generation, request.key, JSON.stringify(request), this.#ttlS];
    const keys = [this.#key(origin), this.#objectOf(claim)];
    const answer = await REPLACE.run(this.redis, keys, [...args, claim?.fence ?? '']);
    if (answer === FENCED) throw fenced();
    return answer === 1;
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
    return (await END.run(this.redis, [this.#key(origin)], [...args, ...also])) === 1;
  }

  #objectOf(claim: Sender | undefined): string {
    return this.keys.object(claim === undefined ? '' : formatKey(claim.key));
  }

  /** Hashed, because an origin may have any length and contains the address of a calendar. */
  #key(origin: string): string {
    return this.keys.intent(createHash('sha256').update(origin).digest('base64url'));
  }
}
