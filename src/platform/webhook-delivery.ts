import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backpressure } from '../engine/handler.ts';
import type { Intake } from '../engine/intake.ts';
import type { KeptDeliveries } from '../engine/intake-store.ts';
import type { Leases } from '../engine/leases.ts';
import { isRecord } from '../engine/object.ts';
import type { PlatformEvent } from '../engine/platform.ts';
import { NamedScript, RedisStore, replyWithin } from '../engine/redis-script.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { type SignedScheme, signingKey } from '../engine/signing-secret.ts';
import { type Part, repeat, WakeAll } from '../engine/supervisor.ts';

export interface TakeParts {
  readonly intake: Intake;
  readonly log: Log;
  /** Receives the verdict on every request that looks like a delivery: it carries a signature, or an event. */
  readonly onVerdict?: (verdict: DeliveryVerdict) => Promise<void>;
}

/** What became of a delivery. All but `valid` are refusals that the platform counts, or events that are lost. */
export type DeliveryVerdict =
  | SignatureVerdict
  | 'too-large'
  /** Cut off, or of another length than announced. */
  | 'unreadable'
  | 'compressed'
  /** Sent to a path that the worker does not have. */
  | 'wrong-path'
  /** Signed, but no event. */
  | 'not-understood';

/** Takes a verified delivery in. Rejects with `RetryableError` when it could not be made durable. */
export async function takeBody({ intake, log, onVerdict }: TakeParts, body: string): Promise<Taken> {
  const parsed = parseDelivery(body);
  void onVerdict?.('event' in parsed ? 'valid' : 'not-understood');
  if ('event' in parsed)
    return { outcome: await intake.takeEvent(parsed.event, 'webhook'), event: parsed.event };
  log.warn({ reason: parsed.reason, chars: body.length }, 'webhook quarantined');
  await intake.quarantine(parsed.reason, body);
  return { outcome: 'quarantined' };
}

/** What became of a verified delivery; without the event if there is none, or it was not looked at yet. */
export interface Taken {
  readonly outcome: string;
  readonly event?: PlatformEvent;
}

/** Whether an unsigned body has everything that an event of the platform has. Scanners of the internet send no such thing. */
export function isEventLike(body: string): boolean {
  const parsed = parseDelivery(body);
  if (!('event' in parsed)) return false;
  const { type, createdAt, object } = parsed.event;
  return /^[a-z_]+\.[a-z_]+$/.test(type) && createdAt !== '' && typeof object?.['id'] === 'string';
}

/** A delivery's body as an event; `reason` says why it is not one. Anything beyond id and type may be missing: others check that. */
export function parseDelivery(
  body: string,
): { event: PlatformEvent } | { reason: 'not-json' | 'not-an-event' } {
  let json: unknown;
  try {
    json = JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    return { reason: 'not-json' };
  }
  if (!isRecord(json)) return { reason: 'not-an-event' };
  const { id, type, created_at: createdAt = '' } = json;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string') return { reason: 'not-an-event' };
  if (typeof createdAt !== 'string' && createdAt !== null) return { reason: 'not-an-event' };
  const data = isRecord(json['data']) ? json['data'] : {};
  return {
    event: {
      id,
      type,
      createdAt: createdAt ?? '',
      projectId: typeof json['project_id'] === 'string' ? json['project_id'] : undefined,
      test: json['test'] === true,
      object: isRecord(data['object']) ? data['object'] : undefined,
    },
  };
}

/** Simultaneous deliveries from which handlers give way. */
const RUSH_FROM = 4;
/**
 * Deliveries that must arrive within one or two windows. Fewer take a few hundredths of the thread. They then wait for something else, such
 * as a slow Redis, and handlers that give way only fall behind.
 */
const RUSH_ARRIVALS = 30;
const ARRIVALS_WINDOW_MS = 100;
/** How long backpressure lasts after its last delivery: a sender that got its answer sends the next one within this time. */
const QUIET_MS = 20;
/** How often a turn of other work begins under backpressure, however long deliveries arrive. */
const TURN_EVERY_MS = 100;
/**
 * Handlers give way when at least this share of the thread's time is in use. On an idle thread, deliveries wait for Redis, and giving way
 * would not help.
 */
const BUSY_FROM = 0.5;
const BUSY_LOOKED_EVERY_MS = 20;

/**
 * Counts the deliveries that wait for their answer. They share one thread with the handlers, and one turn of a handler takes as long as ten
 * deliveries. So handlers give way to crowds of deliveries, whose sender waits; only a mirror waits for a handler.
 */
export class DeliveryBackpressure implements Backpressure {
  #waiting = 0;
  #arrivals = { sinceMs: 0, now: 0, before: 0 };
  #quietFromMs = 0;
  #nextTurnMs = 0;
  #isBusy = true;
  #looked = { atMs: 0, use: performance.eventLoopUtilization() };

  /** Counts a delivery until it is answered. */
  async during<T>(delivery: Promise<T>): Promise<T> {
    this.#waiting += 1;
    const nowMs = performance.now();
    const sinceMs = nowMs - this.#arrivals.sinceMs;
    if (sinceMs >= ARRIVALS_WINDOW_MS) {
      const before = sinceMs < 2 * ARRIVALS_WINDOW_MS ? this.#arrivals.now : 0;
      this.#arrivals = { sinceMs: nowMs, now: 0, before };
    }
    this.#arrivals.now += 1;
    this.#note();
    try {
      return await delivery;
    } finally {
      this.#note();
      this.#waiting -= 1;
    }
  }

  isOn(): boolean {
    const nowMs = performance.now();
    return nowMs < this.#quietFromMs && this.#isThreadBusy(nowMs);
  }

  async giveWay(): Promise<void> {
    if (!this.isOn()) return;
    this.#nextTurnMs = Math.max(this.#nextTurnMs, performance.now()) + TURN_EVERY_MS;
    const turnMs = this.#nextTurnMs;
    while (this.isOn()) {
      const waitMs = Math.min(turnMs, this.#quietFromMs) - performance.now();
      if (waitMs <= 0) return;
      await sleep(waitMs);
    }
  }

  #isThreadBusy(nowMs: number): boolean {
    if (nowMs - this.#looked.atMs < BUSY_LOOKED_EVERY_MS) return this.#isBusy;
    const use = performance.eventLoopUtilization();
    this.#isBusy = performance.eventLoopUtilization(use, this.#looked.use).utilization >= BUSY_FROM;
    this.#looked = { atMs: nowMs, use };
    return this.#isBusy;
  }

  #note(): void {
    const { now, before } = this.#arrivals;
    if (this.#waiting < RUSH_FROM || now + before < RUSH_ARRIVALS) return;
    this.#quietFromMs = performance.now() + QUIET_MS;
  }
}

/** Most deliveries kept: with more of them, deliveries are taken in before they are answered, because Redis holds them in memory. */
const KEPT_MAX = 10_000;
/** Longest delivery kept: a longer one is taken in before it is answered. The platform's own have some thousand characters. */
const KEPT_CHARS_MAX = 16_384;
/** Deliveries taken in by one call of the intake store. */
const TAKEN_AT_ONCE = 50;
/** Time between two looks for deliveries that a dead process has kept. */
const LOOK_EVERY_MS = 5_000;
/** Pause while another process takes the deliveries in: it may have seen the end before the newest arrived. */
const HELD_RETRY_MS = 500;

export interface DeliveryBacklogParts {
  readonly deliveries: KeptDeliveries;
  readonly intake: Intake;
  readonly leases: Leases;
  readonly backpressure: Backpressure;
  readonly log: Log;
}

/**
 * Under backpressure a delivery is only kept and answered, which is less work than taking it in. It is taken in afterwards, or in a turn
 * meanwhile. What a dead process has kept is taken in by another process, or by the next one.
 */
export class DeliveryBacklog implements Part {
  readonly name = 'delivery backlog';
  readonly #parts: DeliveryBacklogParts;
  readonly #waker = new WakeAll();
  /** Waiting deliveries, as of the last one that was kept or removed. */
  #waiting = 0;
  #isCalled = false;

  constructor(parts: DeliveryBacklogParts) {
    this.#parts = parts;
  }

  /** Whether this delivery would be kept now. */
  takes(body: string): boolean {
    return this.#waiting < KEPT_MAX && body.length <= KEPT_CHARS_MAX && this.#parts.backpressure.isOn();
  }

  /** The delivery is durable once this returns. Rejects with `RetryableError` when that is uncertain. */
  async keep(body: string): Promise<'kept'> {
    this.#waiting = await this.#parts.deliveries.keep(body);
    if (this.#isCalled) return 'kept';
    this.#isCalled = true;
    this.#waker.call();
    return 'kept';
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    const turn = { name: this.name, everyMs: LOOK_EVERY_MS, signal, log, wakeAll: this.#waker };
    await repeat(turn, () => this.#look(signal));
  }

  async #look(until: AbortSignal): Promise<number | undefined> {
    const { deliveries, leases } = this.#parts;
    this.#isCalled = false;
    if ((await deliveries.after(undefined, 1)).length === 0) {
      // Another process may have taken them in.
      this.#waiting = 0;
      return undefined;
    }
    const held = await leases.hold('deliveries', ({ signal }) => this.#takeAll(signal), { until });
    if (held !== undefined) return undefined;
    this.#isCalled = true;
    return HELD_RETRY_MS;
  }

  /** A delivery that cannot be taken in yet delays none behind it. Rejects with the first such error, after trying all. */
  async #takeAll(signal: AbortSignal): Promise<void> {
    const { deliveries, backpressure } = this.#parts;
    let failed: PromiseRejectedResult | undefined;
    let last: string | undefined;
    while (!signal.aborted) {
      await backpressure.giveWay();
      const some = await deliveries.after(last, TAKEN_AT_ONCE);
      if (some.length === 0) break;
      last = some.at(-1)?.id;
      const ends = await Promise.allSettled(some.map(({ body }) => takeBody(this.#parts, body)));
      // After a death before this line they are taken in again, which finds that their events are known.
      this.#waiting = await deliveries.remove(
        some.filter((_, nth) => ends[nth]?.status === 'fulfilled').map(({ id }) => id),
      );
      failed ??= ends.find((end) => end.status === 'rejected');
    }
    if (failed !== undefined) throw failed.reason;
  }
}

interface SignatureRules {
  readonly scheme: SignedScheme;
  /** Header of the schemes `timestamped` and `body`; lower case. */
  readonly header: string;
  /** Any of them may have signed: after a roll, the platform signs with the old secret beside the new one for a while. */
  readonly secrets: readonly string[];
  /** Largest distance of the signed time from now, where the scheme carries one. */
  readonly toleranceMs: number;
}

type SignatureVerdict = 'valid' | 'missing' | 'malformed' | 'wrong' | 'too-old';

/** The verdict on a delivery, and which of the secrets signed it, from 0; undefined if none did. */
interface Verified {
  readonly verdict: SignatureVerdict;
  readonly secret?: number;
}

/** As `checkSignature`, without the secret. */
export function verifySignature(rules: SignatureRules, delivery: Delivery): SignatureVerdict {
  return checkSignature(rules, delivery).verdict;
}

/** Checks the raw body, before any of it is parsed. Constant time in the secret and the signature. */
export function checkSignature(
  rules: SignatureRules,
  delivery: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly nowMs: number },
): Verified {
  switch (rules.scheme) {
    case 'timestamped':
      return verifyTimestamped(rules, delivery);
    case 'body':
      return verifyBody(rules, delivery);
    case 'standard':
      return verifyStandard(rules, delivery);
  }
}

/** The header of the platform's document (platform API, Events). A YAML that names another one must not hide that deliveries are signed. */
const USUAL_HEADER = 'service-signature';
const STANDARD_SIGNATURE = /(?:^| )v1,[A-Za-z0-9+/]{43}=/;

/** One part of the header that `hexSignatures` accepts. */
const HEX_SIGNATURE = /(?:^|,)\s*v1\s*=\s*[0-9a-f]{64}\s*(?:,|$)/i;

/** True when some scheme finds a signature of its form: no platform sends a delivery without one, whatever is configured. */
export function isSigned(headers: IncomingHttpHeaders, header: string): boolean {
  const standard = one(headers['webhook-signature']);
  if (standard !== undefined && STANDARD_SIGNATURE.test(standard)) return true;
  return [header, USUAL_HEADER].some((name) => HEX_SIGNATURE.test(one(headers[name]) ?? ''));
}

type Delivery = Parameters<typeof checkSignature>[1];

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]` over `t.body`. */
function verifyTimestamped(rules: SignatureRules, delivery: Delivery): Verified {
  const parts = headerParts(delivery.headers, rules.header);
  if (parts === undefined) return { verdict: 'missing' };
  const timestamp = parts.find(([name]) => name === 't')?.[1];
  const signatures = hexSignatures(parts);
  if (timestamp === undefined || !/^\d{1,15}$/.test(timestamp) || signatures.length === 0)
    return { verdict: 'malformed' };
  const secret = signedBy(rules, signatures, [`${timestamp}.`, delivery.body]);
  if (secret === undefined) return { verdict: 'wrong' };
  return { verdict: isRecent(timestamp, rules, delivery) ? 'valid' : 'too-old', secret };
}

/** `v1=<hex>[,v1=<hex>]` over the body. */
function verifyBody(rules: SignatureRules, delivery: Delivery): Verified {
  const parts = headerParts(delivery.headers, rules.header);
  if (parts === undefined) return { verdict: 'missing' };
  const signatures = hexSignatures(parts);
  if (signatures.length === 0) return { verdict: 'malformed' };
  const secret = signedBy(rules, signatures, ['', delivery.body]);
  return secret === undefined ? { verdict: 'wrong' } : { verdict: 'valid', secret };
}

/** Standard Webhooks 1.0: `webhook-signature: v1,<base64> v1,<base64>` over `id.timestamp.body`, secret `whsec_<base64>`. */
function verifyStandard(rules: SignatureRules, delivery: Delivery): Verified {
  const id = undoubled(delivery.headers['webhook-id']);
  const timestamp = undoubled(delivery.headers['webhook-timestamp']);
  const header = one(delivery.headers['webhook-signature']);
  if (id === undefined || timestamp === undefined || header === undefined) return { verdict: 'missing' };
  const signatures = header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'));
  if (!/^\d{1,15}$/.test(timestamp) || signatures.length === 0) return { verdict: 'malformed' };
  const secret = signedBy(rules, signatures, [`${id}.${timestamp}.`, delivery.body]);
  if (secret === undefined) return { verdict: 'wrong' };
  return { verdict: isRecent(timestamp, rules, delivery) ? 'valid' : 'too-old', secret };
}

/** By the list of secrets: it is another one when a secret changes. */
const keysKnown = new WeakMap<readonly string[], Map<SignedScheme, readonly (Buffer | undefined)[]>>();

function keysOf(scheme: SignedScheme, secrets: readonly string[]): readonly (Buffer | undefined)[] {
  const known = keysKnown.get(secrets) ?? new Map<SignedScheme, readonly (Buffer | undefined)[]>();
  const keys = known.get(scheme) ?? secrets.map((secret) => signingKey(scheme, secret));
  keysKnown.set(secrets, known.set(scheme, keys));
  return keys;
}

/** The first of the secrets that made one of the signatures. */
function signedBy(
  { scheme, secrets }: SignatureRules,
  signatures: readonly Buffer[],
  [prefix, body]: readonly [string, Buffer],
): number | undefined {
  let found: number | undefined;
  for (const [nth, key] of keysOf(scheme, secrets).entries()) {
    // Such a secret is refused when the configuration is loaded, but a file that is replaced later may still contain one.
    if (key === undefined) continue;
    const expected = createHmac('sha256', key).update(prefix).update(body).digest();
    // No early end: the duration must not reveal which secret or signature nearly matched.
    for (const signature of signatures) {
      const isEqual = signature.length === expected.length && timingSafeEqual(signature, expected);
      if (isEqual) found ??= nth;
    }
  }
  return found;
}

function headerParts(headers: IncomingHttpHeaders, name: string): [string, string][] | undefined {
  const value = one(headers[name]);
  if (value === undefined || value.trim() === '') return undefined;
  return value.split(',').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
}

function hexSignatures(parts: readonly [string, string][]): Buffer[] {
  return parts
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/i.test(value))
    .map(([, value]) => Buffer.from(value, 'hex'));
}

function isRecent(seconds: string, rules: SignatureRules, delivery: Delivery): boolean {
  return Math.abs(delivery.nowMs - Number(seconds) * 1000) <= rules.toleranceMs;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** A header that an intermediary has added a second time stands in one value, with a comma. */
function undoubled(value: string | string[] | undefined): string | undefined {
  const whole = one(value);
  const parts = new Set(whole?.split(',').map((part) => part.trim()));
  return parts.size === 1 ? [...parts][0] : whole;
}

// The newest webhooks, for people: when each came, what it said it was, which secret verified it and what became of it. Ids and codes only.

export interface VerifiedDelivery {
  readonly atMs: number;
  /** Empty for a body that is no event, or was not read yet. */
  readonly eventId: string;
  readonly eventType: string;
  readonly secret: SecretUsed;
  /** What the intake made of it: `fresh`, `duplicate`, `quarantined`, …; `kept` under backpressure, which is taken in a moment later. */
  readonly outcome: string;
}

/** Names a secret by its place, never by its text. The file's first is its newest. */
export interface SecretUsed {
  readonly from: 'yaml' | 'file';
  /** From 1. */
  readonly nth: number;
}

/** Deliveries of one minute that were not taken, or not verified, and met the same fate. */
export interface RefusedDeliveries {
  /** When the last one arrived. */
  readonly atMs: number;
  readonly outcome: string;
  readonly times: number;
}

const MINUTE_MS = 60_000;
/** Verified deliveries noted between two calls to Redis; of more, the oldest are dropped. */
const NOTED_MAX = 500;

/** What this process has received and not yet added to Redis. */
export class DeliveryLog {
  readonly #clock: Clock;
  #verified: VerifiedDelivery[] = [];
  readonly #refused = new Map<string, RefusedDeliveries>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(delivery: VerifiedDelivery): void {
    this.#verified.push(delivery);
    if (this.#verified.length > 2 * NOTED_MAX) this.#verified = this.#verified.slice(-NOTED_MAX);
  }

  /** Anybody may send these, so they are only counted: there are as many entries as outcomes. */
  count(outcome: string): void {
    this.#refused.set(outcome, {
      atMs: this.#clock.now(),
      outcome,
      times: (this.#refused.get(outcome)?.times ?? 0) + 1,
    });
  }

  /** Hands over what was noted since the last call. It is for people only: what is not taken is lost. */
  async flush(
    add: (verified: readonly VerifiedDelivery[], refused: readonly RefusedDeliveries[]) => Promise<void>,
  ): Promise<void> {
    if (this.#verified.length + this.#refused.size === 0) return;
    const verified = this.#verified.slice(-NOTED_MAX);
    const refused = [...this.#refused.values()];
    this.#verified = [];
    this.#refused.clear();
    await add(verified, refused);
  }
}

/** Entries kept in Redis: strangers push out no verified ones. */
const VERIFIED_KEPT_MAX = 1_000;
const REFUSED_KEPT_MAX = 200;
/** Newest counts that a new one is added to, if it is of the same minute: more than there are outcomes. */
const MERGED_AMONG = 20;
const KEPT_MS = 7 * 86_400_000;

const ADD = new NamedScript(
  {
    keys: ['list', 'refused_list'],
    args: ['verified', 'refused', 'most', 'refused_most', 'among', 'minute', 'kept'],
  },
  `
local texts = cjson.decode(verified)
if #texts > 0 then redis.call('LPUSH', list, unpack(texts)) end
redis.call('LTRIM', list, 0, most - 1)
redis.call('PEXPIRE', list, kept)
for _, counted in ipairs(cjson.decode(refused)) do
  local is_merged = false
  for at, text in ipairs(redis.call('LRANGE', refused_list, 0, among - 1)) do
    local known = cjson.decode(text)
    local is_same = known.outcome == counted.outcome
    if is_same and math.floor(known.atMs / minute) == math.floor(counted.atMs / minute) then
      counted.times = counted.times + known.times
      redis.call('LSET', refused_list, at - 1, cjson.encode(counted))
      is_merged = true
      break
    end
  end
  if not is_merged then redis.call('LPUSH', refused_list, cjson.encode(counted)) end
end
redis.call('LTRIM', refused_list, 0, refused_most - 1)
redis.call('PEXPIRE', refused_list, kept)
return 1
`,
);

export class DeliveryLogStore extends RedisStore {
  async add(verified: readonly VerifiedDelivery[], refused: readonly RefusedDeliveries[]): Promise<void> {
    await ADD.run(this.redis, {
      keys: { list: this.keys.webhooks, refused_list: this.keys.webhooksRefused },
      args: {
        verified: JSON.stringify(verified.map((each) => JSON.stringify(each))),
        refused: JSON.stringify(refused),
        ...{ most: VERIFIED_KEPT_MAX, refused_most: REFUSED_KEPT_MAX, among: MERGED_AMONG },
        ...{ minute: MINUTE_MS, kept: KEPT_MS },
      },
    });
  }

  /** Newest first, over all workers. */
  async newest(): Promise<{
    readonly verified: readonly VerifiedDelivery[];
    readonly refused: readonly RefusedDeliveries[];
  }> {
    const [verified, refused] = await Promise.all(
      [this.keys.webhooks, this.keys.webhooksRefused].map((key) =>
        replyWithin(this.redis.lrange(key, 0, -1)),
      ),
    );
    return {
      verified: newestFirst<VerifiedDelivery>(verified),
      refused: newestFirst<RefusedDeliveries>(refused),
    };
  }
}

/** Workers add theirs in turns, so the lists are only nearly in order. */
function newestFirst<T extends { readonly atMs: number }>(texts: readonly string[] = []): readonly T[] {
  return texts.map((text) => JSON.parse(text) as T).sort((a, b) => b.atMs - a.atMs);
}
