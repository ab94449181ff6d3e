import type { PendingRow } from '../domain/sheet-row.ts';
import type { DeadLetter } from '../domain/work.ts';
import type { UnkeptRows } from '../ports/rows.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { LETTERS } from './letter-index.ts';
import { rowField } from './row-moves.ts';
import { replyWithin, Script } from './script.ts';

/** How long counts are kept after the last one; by then the rows were put right, or are gone. */
const FORGOTTEN_MS = 35 * 86_400_000;

/**
 * Other content restarts the count. Once the row is reported, its count has ended: -1. A look counts only if the row was confirmed since
 * the look before; `CONFIRM` then puts a plus behind the number. A row that only waited was not changed again.
 */
const COUNT_UNKEPT = new Script(`
local tries = 1
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known == 'told ' .. ARGV[2] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return -1
end
if known then
  local times, written, hash = string.match(known, '^(%d+)(%+?) (.*)$')
  if hash == ARGV[2] then
    local counts = ARGV[4] == 'write' or written == '+'
    tries = tonumber(times) + (counts and 1 or 0)
  end
end
redis.call('HSET', KEYS[1], ARGV[1], tries .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return tries
`);

/** One step: a person who discarded the letter has read it, and must not get it again at the next look. */
const TELL_UNKEPT = new Script(`${LETTERS}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then put_letter(KEYS[1], ARGV[1], ARGV[2]) end
local hash = string.match(redis.call('HGET', KEYS[2], ARGV[3]) or '', '^%d+%+? (.*)$')
if hash then redis.call('HSET', KEYS[2], ARGV[3], 'told ' .. hash) end
`);

/** The confirmation of a row clears what was missed at a write. An operator's retry clears both counts. */
export class RedisUnkeptRows implements UnkeptRows {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  missed(row: Pick<PendingRow, 'mirror' | 'key' | 'hash'>): Promise<number> {
    return this.#count(missedField(rowField(row)), row.hash, 'write');
  }

  async found(
    mirror: string,
    { edited, right }: { readonly edited: ReadonlyMap<string, string>; readonly right: readonly string[] },
  ): Promise<ReadonlyMap<string, number>> {
    const known = await replyWithin(this.#redis.hgetall(this.#keys.unkept));
    const settled = right
      .map((key) => foundField(rowField({ mirror, key })))
      .filter((field) => known[field] !== undefined);
    if (settled.length > 0) await replyWithin(this.#redis.hdel(this.#keys.unkept, ...settled));
    const times = new Map<string, number>();
    for (const [key, hash] of edited) {
      const name = rowField({ mirror, key });
      const isGivenUp = known[missedField(name)] !== undefined;
      const counted = isGivenUp ? -1 : await this.#count(foundField(name), hash, 'look');
      times.set(key, counted < 0 ? Number.POSITIVE_INFINITY : counted);
    }
    return times;
  }

  async tell(mirror: string, letter: DeadLetter): Promise<void> {
    const name = rowField({ mirror, key: letter.key });
    await TELL_UNKEPT.run(
      this.#redis,
      [this.#keys.dead, this.#keys.unkept],
      [name, JSON.stringify(letter), foundField(name)],
    );
  }

  async #count(field: string, hash: string, at: 'write' | 'look'): Promise<number> {
    const args = [field, hash, FORGOTTEN_MS, at];
    return Number(await COUNT_UNKEPT.run(this.#redis, [this.#keys.unkept], args));
  }
}

/** Counter of a row (`rowField`) that was missed when it was written. */
export function missedField(name: string): string {
  return `written ${name}`;
}

/** Counter of a row (`rowField`) that a check found changed. */
export function foundField(name: string): string {
  return `seen ${name}`;
}
