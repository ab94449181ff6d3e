// The newest webhooks, for people: when each came, what it said it was, which secret verified it and what became of it. Ids and codes only.

import type { KeySpace } from '../engine/key-space.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { NamedScript, replyWithin } from '../engine/redis-script.ts';
import type { Clock } from '../engine/runtime.ts';

/** One delivery that a secret verified. */
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

export class DeliveryLogStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { readonly redis: RedisClient; readonly keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async add(verified: readonly VerifiedDelivery[], refused: readonly RefusedDeliveries[]): Promise<void> {
    await ADD.run(this.#redis, {
      keys: { list: this.#keys.webhooks, refused_list: this.#keys.webhooksRefused },
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
      [this.#keys.webhooks, this.#keys.webhooksRefused].map((key) =>
        replyWithin(this.#redis.lrange(key, 0, -1)),
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
