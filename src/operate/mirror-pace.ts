// What all workers wrote to each mirror, what failed and how late it was, for the last hour, day and month. A process counts in memory and
// adds its counts to Redis in batches.

import type { KeySpace } from '../engine/key-space.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { NamedScript, replyWithin } from '../engine/redis-script.ts';
import type { Clock } from '../engine/runtime.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Each span has its own counts: so many steps of a fixed length. The steps of one `hashMs` are one hash, so a span reads at most two. Redis
 * keeps a hash for `keptMs` after its last write.
 */
export const SPANS = {
  hour: { steps: 60, stepMs: MINUTE_MS, hashMs: HOUR_MS, keptMs: 3 * HOUR_MS },
  day: { steps: 96, stepMs: 15 * MINUTE_MS, hashMs: DAY_MS, keptMs: 3 * DAY_MS },
  month: { steps: 248, stepMs: 3 * HOUR_MS, hashMs: 31 * DAY_MS, keptMs: 93 * DAY_MS },
} as const;
export type Span = keyof typeof SPANS;

/** One mirror within one step. */
export interface MirrorStep {
  readonly atMs: number;
  /** `*`: before any mirror was tried. */
  readonly mirror: string;
  /** Confirmed writes, and failed attempts. */
  readonly writes: number;
  readonly failures: number;
  /** The longest lag of these writes, in seconds. */
  readonly slowestS: number;
}

/** Most counts in memory while Redis takes none; the oldest go first. */
const WAITING_MAX = 2_000;

/** What this process has counted and not yet added to Redis, by minute. */
export class MirrorPace {
  readonly #clock: Clock;
  #counted = new Map<string, MirrorStep>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wrote(mirror: string, lagS: number): void {
    this.#count({ atMs: this.#clock.now(), mirror, writes: 1, failures: 0, slowestS: lagS });
  }

  failed(mirror: string): void {
    this.#count({ atMs: this.#clock.now(), mirror, writes: 0, failures: 1, slowestS: 0 });
  }

  /** Hands over what was counted since the last call. What is not taken is kept; if its answer was lost, it may be counted twice. */
  async flush(add: (counted: readonly MirrorStep[]) => Promise<void>): Promise<void> {
    if (this.#counted.size === 0) return;
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    try {
      await add(counted);
    } catch (error) {
      const since = [...this.#counted.values()];
      this.#counted = new Map();
      for (const step of [...counted, ...since]) this.#count(step);
      throw error;
    }
  }

  #count({ atMs, mirror, writes, failures, slowestS }: MirrorStep): void {
    const minuteMs = atMs - (atMs % MINUTE_MS);
    const name = `${minuteMs} ${mirror}`;
    const known = this.#counted.get(name);
    this.#counted.set(name, {
      ...{ atMs: minuteMs, mirror },
      writes: writes + (known?.writes ?? 0),
      failures: failures + (known?.failures ?? 0),
      slowestS: Math.max(slowestS, known?.slowestS ?? 0),
    });
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > WAITING_MAX && oldest !== undefined) this.#counted.delete(oldest);
  }
}

/** Each field is `<step> <mirror>`, each value `<writes> <failures> <slowest>`. */
const ADD = new NamedScript(
  { keys: ['hash'], args: ['added', 'kept'] },
  `
for _, each in ipairs(cjson.decode(added)) do
  local writes, failures, slowest = each[2], each[3], each[4]
  local known = redis.call('HGET', hash, each[1])
  if known then
    local w, f, s = string.match(known, '^(%d+) (%d+) (%S+)$')
    writes = writes + tonumber(w)
    failures = failures + tonumber(f)
    slowest = math.max(slowest, tonumber(s))
  end
  redis.call('HSET', hash, each[1], string.format('%d %d %.3f', writes, failures, slowest))
end
redis.call('PEXPIRE', hash, kept)
return 1
`,
);

export class RedisMirrorPace {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { readonly redis: RedisClient; readonly keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  /** One call for each span, and one more where the counts reach over the end of a hash. */
  async add(counted: readonly MirrorStep[]): Promise<void> {
    for (const [span, { stepMs, hashMs, keptMs }] of Object.entries(SPANS)) {
      const hashes = new Map<number, (string | number)[][]>();
      for (const { atMs, mirror, writes, failures, slowestS } of counted) {
        const hash = Math.floor(atMs / hashMs);
        const row = [`${Math.floor(atMs / stepMs)} ${mirror}`, writes, failures, slowestS];
        hashes.set(hash, [...(hashes.get(hash) ?? []), row]);
      }
      for (const [hash, rows] of hashes)
        await ADD.run(this.#redis, {
          keys: { hash: this.#keys.mirrorPace(span, hash) },
          args: { added: JSON.stringify(rows), kept: keptMs },
        });
    }
  }

  /** The steps of the span that ends now in which something was counted, in any order. */
  async read(span: Span, nowMs: number): Promise<readonly MirrorStep[]> {
    const { steps, stepMs, hashMs } = SPANS[span];
    const firstMs = firstStepMs(span, nowMs);
    const hashes = [...new Set([firstMs, nowMs].map((ms) => Math.floor(ms / hashMs)))];
    const found = await Promise.all(
      hashes.map((hash) => replyWithin(this.#redis.hgetall(this.#keys.mirrorPace(span, hash)))),
    );
    return found
      .flatMap((fields) => Object.entries(fields))
      .map(([field, value]) => {
        const space = field.indexOf(' ');
        const [writes = 0, failures = 0, slowestS = 0] = value.split(' ').map(Number);
        const atMs = Number(field.slice(0, space)) * stepMs;
        return { atMs, mirror: field.slice(space + 1), writes, failures, slowestS };
      })
      .filter(({ atMs }) => atMs >= firstMs && atMs < firstMs + steps * stepMs);
  }
}

/** When the first step of the span begins. The last one is the step of `nowMs`. */
export function firstStepMs(span: Span, nowMs: number): number {
  const { steps, stepMs } = SPANS[span];
  return (Math.floor(nowMs / stepMs) - steps + 1) * stepMs;
}
