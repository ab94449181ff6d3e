import { ReplyError } from 'ioredis';
import type { Problem } from '../../domain/work.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin } from '../core/script.ts';
import type { RedisClient } from './redis-client.ts';

const PROBE_TTL_MS = 10_000;

/**
 * Checks whether Redis accepts writes. A Redis that is full, cannot save to its disk, or has become a replica answers every read and keeps
 * nothing. Only a write shows that. Rejects with `RetryableError` `store-unavailable` when there is no answer at all.
 */
export class WriteProbe {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  #refusedSinceMs: number | undefined;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** In the form of the problem board, which cannot be written then; undefined while Redis accepts writes. */
  async problem(): Promise<Problem | undefined> {
    const probe = this.#redis.set(this.#keys.writable, '1', 'PX', PROBE_TTL_MS);
    const refusal = await replyWithin(
      probe.then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof ReplyError) return error as Error;
          throw error;
        },
      ),
    );
    if (refusal === undefined) {
      this.#refusedSinceMs = undefined;
      return undefined;
    }
    const lastAtMs = this.#clock.now();
    this.#refusedSinceMs ??= lastAtMs;
    // The first word is a code: OOM, MISCONF, READONLY, NOPERM, …
    const [word = ''] = refusal.message.split(' ');
    return {
      target: 'redis',
      code: 'redis-takes-no-writes',
      message: `Redis refuses to write (${word}): nothing is taken in, webhooks are answered 503, and the platform sends them again`,
      advice:
        'OOM: give Redis more memory (maxmemory). MISCONF: make room on its disk. READONLY: let redis.url name the master.',
      sinceMs: this.#refusedSinceMs,
      lastAtMs,
    };
  }
}
