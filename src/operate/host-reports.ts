import type { KeySpace } from '../engine/key-space.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { NOW, replyWithin, Script } from '../engine/redis-script.ts';
import { type Clock, type Meter, steadyClock } from '../engine/runtime.ts';

/** What the process of one host last said about itself. */
export interface HostSeen {
  /** Host name; in a container, its id. */
  readonly host: string;
  /** By how much its clock is ahead of that of Redis; negative: behind. Milliseconds. */
  readonly aheadMs: number;
  /** How long each side has not answered it; 0 while it answers, undefined before the first answer or failure. Milliseconds. */
  readonly unreachedMs: Readonly<Record<RemoteSide, number | undefined>>;
}

export type RemoteSide = 'platform' | 'google';

/** How long a report counts: after that its process has ended, or cannot reach Redis. */
const FRESH_MS = 120_000;
/** How long the reports are kept after the last one. */
const KEPT_MS = 86_400_000;

/** All ages are by the clock of Redis, whatever those of the hosts say. */
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

export class HostReports {
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

  /** Processes that reported within the last two minutes. */
  async read(): Promise<readonly HostSeen[]> {
    const { redis, keys } = this.#parts;
    const texts = (await READ.run(redis, [keys.hosts], [FRESH_MS])) as string[];
    return texts.map((text) => JSON.parse(text) as HostSeen).sort((a, b) => a.host.localeCompare(b.host));
  }
}

/** Since when each side has not answered this process. */
export class Reach {
  readonly #clock: Clock;
  /** Undefined while it answers. */
  readonly #unansweredSinceMs = new Map<RemoteSide, number | undefined>();

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  note(side: RemoteSide, isAnswered: boolean): void {
    const sinceMs = this.#unansweredSinceMs.get(side) ?? this.#clock.now();
    this.#unansweredSinceMs.set(side, isAnswered ? undefined : sinceMs);
  }

  /** Notes the answers of one side, and that there was none. */
  hearingOf(side: RemoteSide): (isAnswered: boolean) => void {
    return (isAnswered) => this.note(side, isAnswered);
  }

  unreachedMs(): HostSeen['unreachedMs'] {
    const of = (side: RemoteSide) => {
      if (!this.#unansweredSinceMs.has(side)) return undefined;
      return Math.round(this.#clock.now() - (this.#unansweredSinceMs.get(side) ?? this.#clock.now()));
    };
    return { platform: of('platform'), google: of('google') };
  }

  /** Notes the platform's answers by its counter of requests. */
  hearing(meter: Meter): Meter {
    return {
      observe: (...seen) => meter.observe(...seen),
      add: (counter, labels, by) => {
        if (counter === 'platform_requests_total') this.note('platform', labels?.['status'] !== 'no-answer');
        meter.add(counter, labels, by);
      },
    };
  }
}
