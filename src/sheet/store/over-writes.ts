import type { OverWrite, OverWrites, OverWrittenRow } from '../../engine/ports/rows.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin } from '../../engine/store/script.ts';

/** How long writes of a spreadsheet are kept without a new one; by then the spreadsheet no longer belongs to the worker. */
const FORGOTTEN_MS = 35 * 86_400_000;

/** One field per write. It holds only hashes, keys and columns, nothing that people wrote. */
export class RedisOverWrites implements OverWrites {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async begin(spreadsheetId: string, write: OverWrite): Promise<void> {
    const key = this.#keys.overWrites(spreadsheetId);
    const noted = this.#redis
      .multi()
      .hset(key, String(write.sheetId), toText(write))
      .pexpire(key, FORGOTTEN_MS);
    await replyWithin(noted.exec());
  }

  landed(spreadsheetId: string, write: OverWrite): Promise<void> {
    return this.begin(spreadsheetId, { ...write, hasLanded: true });
  }

  async ended(spreadsheetId: string, { sheetId }: OverWrite): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.overWrites(spreadsheetId), String(sheetId)));
  }

  async open(spreadsheetId: string): Promise<readonly OverWrite[]> {
    const found = await replyWithin(this.#redis.hvals(this.#keys.overWrites(spreadsheetId)));
    return found.map(fromText).sort((a, b) => a.sentAtMs - b.sentAtMs);
  }
}

/** Stored as a list, from which an erasure can remove single rows. */
function toText({ rows, doubled, ...write }: OverWrite): string {
  return JSON.stringify([write, ...rows, ...doubled]);
}

function fromText(text: string): OverWrite {
  const [write, ...others] = JSON.parse(text) as [
    Omit<OverWrite, 'rows' | 'doubled'>,
    ...(OverWrittenRow | string)[],
  ];
  return {
    ...write,
    rows: others.flatMap((each) => (typeof each === 'string' ? [] : [each])),
    doubled: others.filter((each) => typeof each === 'string'),
  };
}
