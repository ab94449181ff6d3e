import type { HistoryEntry } from '../domain/history.ts';
import type { History } from '../ports/history.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { answered, Script } from './script.ts';

/** Of one object; the oldest go. */
export const HISTORY_ENTRIES_MAX = 50;
/** After its last entry. */
export const HISTORY_TTL_S = 35 * 24 * 3600;

/** A target that refuses everybody is tried for hours: its failures are folded into one entry, or they would push all else out. */
const NOTE = new Script(`
local list, entry, entries_max, ttl, fold = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local last = fold ~= '' and redis.call('LINDEX', list, -1)
local known = last and cjson.decode(last)
if known and known.fold == fold then
  local folded = cjson.decode(entry)
  folded.times = (known.times or 1) + 1
  folded.firstAtMs = known.firstAtMs or known.atMs
  redis.call('LSET', list, -1, cjson.encode(folded))
else
  redis.call('RPUSH', list, entry)
  redis.call('LTRIM', list, -entries_max, -1)
end
redis.call('EXPIRE', list, ttl)
`);

/** Histories as bounded lists in Redis. */
export class RedisHistory implements History {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  note(key: string, entry: HistoryEntry): void {
    const fold = foldOf(entry);
    NOTE.run(
      this.#redis,
      [this.#keys.history(key)],
      [JSON.stringify({ ...entry, fold }), HISTORY_ENTRIES_MAX, HISTORY_TTL_S, fold ?? ''],
    ).catch(() => undefined);
  }

  async of(key: string): Promise<readonly HistoryEntry[]> {
    const texts = await answered(this.#redis.lrange(this.#keys.history(key), 0, -1));
    return texts.map((text) => {
      const { fold: _, ...entry } = JSON.parse(text) as HistoryEntry & { fold?: string };
      return entry;
    });
  }
}

/** Equal for failures that say the same; undefined for what is never folded. */
function foldOf(entry: HistoryEntry): string | undefined {
  if (entry.what !== 'failed') return undefined;
  return `${entry.next} ${entry.reasons.map(({ mirror, code }) => `${mirror}:${code}`).join(' ')}`;
}
