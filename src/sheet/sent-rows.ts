import type { KeySpace } from '../engine/key-space.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { replyWithin } from '../engine/redis-script.ts';
import type { Clock } from '../engine/runtime.ts';

/** A row of a write, as stored before the write leaves. */
export interface SentRow {
  readonly mirror: string;
  readonly tab: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column. */
  readonly rowKey: string;
  readonly hash: string;
  /** Absent in notes of earlier versions. Their rows are new ones. */
  readonly cells?: SentCells;
}

/** The cells of a write, by which the worker recognizes them wherever people have moved them. Nothing that a cell says. */
export interface SentCells {
  /**
   * `stray`: a look after the write found them in the wrong place, and they are to be emptied. `text`: one cell of a repair, which may stay
   * in a column of people.
   */
  readonly kind: 'new' | 'in-place' | 'stray' | 'text';
  readonly sheetId: number;
  /** Row as it was read, and the keys above and below it. */
  readonly row: number;
  readonly beside: readonly [above: string, below: string];
  readonly columns: readonly number[];
  /** Hash of the header of each column. */
  readonly under: readonly string[];
  /** Hash of the cells. */
  readonly print: string;
}

/** Rows of one write whose end is unknown, or whose effect nobody has checked. */
export interface OpenWrite {
  readonly sentAtMs: number;
  readonly rows: readonly SentRow[];
}

/** How long open writes of a spreadsheet are kept without a new one; by then the spreadsheet no longer belongs to the worker. */
const FORGOTTEN_MS = 35 * 86_400_000;

/**
 * Writes from before they leave until their effect was checked. Google may still perform a write that was given up. A process may die
 * before it has repaired what its write hit.
 *
 * One field per write. The lease of the flush ensures that no two writes begin in the same millisecond.
 */
export class SentRows {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  /** Resolves with the write, for `ended` and `open`. */
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

  /** The write was performed and checked, was refused, or can no longer arrive. */
  async ended(spreadsheetId: string, { sentAtMs }: OpenWrite): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.sentRows(spreadsheetId), String(sentAtMs)));
  }

  /** Oldest first. */
  async open(spreadsheetId: string): Promise<readonly OpenWrite[]> {
    const found = await replyWithin(this.#redis.hgetall(this.#keys.sentRows(spreadsheetId)));
    return Object.entries(found)
      .map(([sentAtMs, rows]) => ({ sentAtMs: Number(sentAtMs), rows: JSON.parse(rows) as SentRow[] }))
      .sort((a, b) => a.sentAtMs - b.sentAtMs);
  }
}
