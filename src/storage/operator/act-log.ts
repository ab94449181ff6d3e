import type { Act } from '../../domain/role.ts';
import type { ActLog } from '../../ports/console.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { KeySpace } from '../core/key-space.ts';
import { NamedScript, replyWithin } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** Entries of the audit log; the oldest go first. A finished act has two. */
const ACT_ENTRIES_MAX = 4_000;
/** How long entries of the audit log are kept. */
export const ACTS_KEPT_MS = 400 * 86_400_000;

const NOTE_ACT = new NamedScript(
  { keys: ['acts'], args: ['entry', 'most', 'since', 'ttl'] },
  `
redis.call('RPUSH', acts, entry)
redis.call('LTRIM', acts, -tonumber(most), -1)
local oldest = redis.call('LINDEX', acts, 0)
while oldest and cjson.decode(oldest).atMs < tonumber(since) do
  redis.call('LPOP', acts)
  oldest = redis.call('LINDEX', acts, 0)
end
redis.call('PEXPIRE', acts, ttl)
return 1
`,
);

/** The audit log as a bounded list in Redis. */
export class RedisActLog implements ActLog {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async note(act: Act): Promise<void> {
    await NOTE_ACT.run(this.#redis, {
      keys: { acts: this.#keys.consoleActs },
      args: {
        entry: JSON.stringify(act),
        ...{ most: ACT_ENTRIES_MAX, since: this.#clock.now() - ACTS_KEPT_MS, ttl: ACTS_KEPT_MS },
      },
    });
  }

  async newest(limit: number): Promise<readonly Act[]> {
    const texts = await replyWithin(this.#redis.lrange(this.#keys.consoleActs, -2 * limit, -1));
    const acts = new Map<string, Act>();
    for (const text of texts) {
      const act = JSON.parse(text) as Act;
      acts.set(act.id, act);
    }
    const since = this.#clock.now() - ACTS_KEPT_MS;
    return [...acts.values()]
      .filter(({ atMs }) => atMs >= since)
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, limit);
  }
}
