import { LAGS_KEPT_MAX, type Written, type WrittenMinute } from '../../engine/domain/pace.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { NamedScript, replyWithin } from '../../engine/store/script.ts';

/** How long the counts are kept. */
const KEPT_MS = 7 * 86_400_000;
const MINUTES_PER_DAY = 24 * 60;

/** Each minute is stored as `<writes> <slowest>`. */
const ADD = new NamedScript(
  { keys: ['day', 'lags'], args: ['minutes', 'samples', 'kept', 'most'] },
  `
for _, added in ipairs(cjson.decode(minutes)) do
  local writes, slowest = added[2], added[3]
  local known = redis.call('HGET', day, added[1])
  if known then
    local before, longest = string.match(known, '^(%d+) (%S+)$')
    writes = writes + tonumber(before)
    slowest = math.max(slowest, tonumber(longest))
  end
  redis.call('HSET', day, added[1], string.format('%d %.3f', writes, slowest))
end
redis.call('PEXPIRE', day, kept)
local newest = cjson.decode(samples)
if #newest > 0 then
  redis.call('LPUSH', lags, unpack(newest))
  redis.call('LTRIM', lags, 0, most - 1)
  redis.call('PEXPIRE', lags, kept)
end
return 1
`,
);

/** What all workers wrote in each minute, and the newest lags. Kept for seven days. */
export class RedisPaceStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { readonly redis: RedisClient; readonly keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  /** One call for each day among the minutes: usually one. */
  async add({ minutes, lagsS }: Written): Promise<void> {
    const days = [...new Set(minutes.map(({ minute }) => dayOf(minute)))].sort((a, b) => a - b);
    for (const day of days) {
      const ofDay = minutes.filter(({ minute }) => dayOf(minute) === day);
      const newest = day === days.at(-1) ? lagsS.slice(-LAGS_KEPT_MAX) : [];
      await ADD.run(this.#redis, {
        keys: { day: this.#keys.pace(day), lags: this.#keys.lags },
        args: {
          minutes: JSON.stringify(ofDay.map((each) => [String(each.minute), each.writes, each.slowestS])),
          samples: JSON.stringify(newest.map((lagS) => lagS.toFixed(3))),
          ...{ kept: KEPT_MS, most: LAGS_KEPT_MAX },
        },
      });
    }
  }

  /** The minutes from one minute to another with writes, in any order. Both are minutes since 1970. */
  async between(from: number, to: number): Promise<readonly WrittenMinute[]> {
    const days = Array.from({ length: dayOf(to) - dayOf(from) + 1 }, (_, at) => dayOf(from) + at);
    const stored = await Promise.all(
      days.map((day) => replyWithin(this.#redis.hgetall(this.#keys.pace(day)))),
    );
    return stored
      .flatMap((of) => Object.entries(of))
      .map(([minute, text]) => {
        const [writes = 0, slowestS = 0] = text.split(' ').map(Number);
        return { minute: Number(minute), writes, slowestS };
      })
      .filter(({ minute }) => minute >= from && minute <= to);
  }

  /** Seconds, the newest first; at most `LAGS_KEPT_MAX`. */
  async lagsS(): Promise<readonly number[]> {
    return (await replyWithin(this.#redis.lrange(this.#keys.lags, 0, -1))).map(Number);
  }
}

function dayOf(minute: number): number {
  return Math.floor(minute / MINUTES_PER_DAY);
}
