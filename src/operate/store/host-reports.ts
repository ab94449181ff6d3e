import type { HostReports, HostSeen } from '../../engine/ports/hosts.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin, Script } from '../../engine/store/script.ts';

/** How long a report counts: after that its process has ended, or cannot reach Redis. */
const FRESH_MS = 120_000;
/** How long the reports are kept after the last one. */
const KEPT_MS = 86_400_000;

/** All ages are by the clock of Redis, whatever those of the hosts say. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const REPORT = new Script(`${NOW}
local entry = cjson.decode(ARGV[2])
entry.atMs = now
entry.aheadMs = tonumber(ARGV[3]) - now
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(entry))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`);

/** Forgets what is old: each start of a worker is another process. */
const READ = new Script(`${NOW}
local fresh = {}
local flat = redis.call('HGETALL', KEYS[1])
for at = 1, #flat, 2 do
  if now - cjson.decode(flat[at + 1]).atMs > tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], flat[at])
  else table.insert(fresh, flat[at + 1]) end
end
return fresh
`);

export class RedisHostReports implements HostReports {
  readonly #parts: { redis: RedisClient; keys: KeySpace; clock: Clock; processId: string };

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; processId: string }) {
    this.#parts = parts;
  }

  async report(own: Pick<HostSeen, 'host' | 'unreachedMs'>): Promise<void> {
    const { redis, keys, clock, processId } = this.#parts;
    await REPORT.run(redis, [keys.hosts], [processId, JSON.stringify(own), clock.now(), KEPT_MS]);
  }

  /** The worker has ended: its host is no longer judged by it. */
  async end(): Promise<void> {
    const { redis, keys, processId } = this.#parts;
    await replyWithin(redis.hdel(keys.hosts, processId));
  }

  async read(): Promise<readonly HostSeen[]> {
    const { redis, keys } = this.#parts;
    const texts = (await READ.run(redis, [keys.hosts], [FRESH_MS])) as string[];
    return texts.map((text) => JSON.parse(text) as HostSeen).sort((a, b) => a.host.localeCompare(b.host));
  }
}
