// A Redis on which a day takes a second. Its clock cannot be set, so its three uses are replaced. Scripts that read the time get the
// simulated time, and stream entries are numbered by it. Every time to live shrinks by the simulated time that has passed.
import { createHash } from 'node:crypto';
import type { RedisClient } from '../../../../src/engine/redis-client.ts';

const CLOCK = '{slotbridge}:simulated-clock';
const TIME = `redis.call('HMGET', '${CLOCK}', 's', 'us')`;
const SCAN_COUNT = 500;

/** Shortens every time to live and removes keys whose time is over, as Redis would. */
const AGE = `
local gone = 0
for i = 1, #KEYS do
  local left = redis.call('PTTL', KEYS[i])
  if left >= 0 then
    left = left - tonumber(ARGV[1])
    if left > 0 then redis.call('PEXPIRE', KEYS[i], string.format('%d', left)) else gone = gone + redis.call('UNLINK', KEYS[i]) end
  end
end
return gone
`;

export interface SimulatedRedis {
  /** The client for the stores. */
  readonly client: RedisClient;
  readonly clock: { readonly now: () => number };
  /** Advances the clock. No store operation may be in flight. */
  goOn(ms: number): Promise<void>;
  /** Applies Redis' expiry for the simulated time since the last call. */
  expire(): Promise<void>;
}

export async function simulate(redis: RedisClient, fromMs: number): Promise<SimulatedRedis> {
  let nowMs = fromMs;
  let agedMs = fromMs;
  const known = new Map<string, string>();
  const tell = () => redis.hset(CLOCK, { s: Math.floor(nowMs / 1_000), us: (nowMs % 1_000) * 1_000 });
  const own = {
    evalsha(sha: string, ...rest: (string | number)[]) {
      const simulated = known.get(sha);
      if (simulated === undefined) return Promise.reject(new Error('NOSCRIPT not simulated yet'));
      return redis.evalsha(simulated, ...(rest as [number, ...string[]]));
    },
    eval(lua: string, ...rest: (string | number)[]) {
      const simulated = lua
        .replaceAll("redis.call('TIME')", TIME)
        .replaceAll("'*', 'key'", "now .. '-*', 'key'");
      known.set(sha1(lua), sha1(simulated));
      return redis.eval(simulated, ...(rest as [number, ...string[]]));
    },
  };
  await tell();
  return {
    client: new Proxy(redis, {
      get(target, name) {
        if (name === 'eval' || name === 'evalsha') return own[name];
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    clock: { now: () => nowMs },
    async goOn(ms) {
      nowMs += ms;
      await tell();
    },
    async expire() {
      const passed = nowMs - agedMs;
      agedMs = nowMs;
      let cursor = '0';
      do {
        const [next, keys] = await redis.scan(cursor, 'COUNT', SCAN_COUNT);
        cursor = next;
        if (keys.length > 0) await redis.eval(AGE, keys.length, ...keys, passed);
      } while (cursor !== '0');
    },
  };
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
