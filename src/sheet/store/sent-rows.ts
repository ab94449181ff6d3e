import type { OpenWrite, SentRow, SentRows } from '../../engine/ports/rows.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin } from '../../engine/store/script.ts';

/** How long open writes of a spreadsheet are kept without a new one; by then the spreadsheet no longer belongs to the worker. */
const FORGOTTEN_MS = 35 * 86_400_000;

/** One field per write. The lease of the flush ensures that no two writes begin in the same millisecond. */
export class RedisSentRows implements SentRows {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async sent(spreadsheetId: string, rows: readonly SentRow[]): Promise<OpenWrite> {
    const sentAtMs = Math.floor(this.#clock.now());
    const key = this.#keys.sentRows(spreadsheetId);
    const noted = this.#redis
      .multi()
      .hset(key, String(sentAtMs), JSON.stringify(rows))
      .pexpire(key, FORGOTTEN_MS);
    await replyWithin(noted.exec());
    return { sentAtMs, rows };
  }

  async ended(spreadsheetId: string, { sentAtMs }: OpenWrite): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.sentRows(spreadsheetId), String(sentAtMs)));
  }

  async open(spreadsheetId: string): Promise<readonly OpenWrite[]> {
    const found = await replyWithin(this.#redis.hgetall(this.#keys.sentRows(spreadsheetId)));
    return Object.entries(found)
      .map(([sentAtMs, rows]) => ({ sentAtMs: Number(sentAtMs), rows: JSON.parse(rows) as SentRow[] }))
      .sort((a, b) => a.sentAtMs - b.sentAtMs);
  }
}
