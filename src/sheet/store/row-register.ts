import type { RowRegister, RowTrace } from '../../engine/ports/rows.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin, Script } from '../../engine/store/script.ts';
import { seedOf } from '../../engine/store/seed.ts';

/** How long a sent id may still arrive. Google may perform a write late that the worker gave up, but not after a day. */
const SENT_FOR_MS = 86_400_000;
const KEYS_AT_ONCE = 250;

/** Never shortens the life of a trace. */
const TRACE = new Script(`
redis.call('SADD', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
`);

/**
 * One hash of ids on their way, and one set of ids per trace. Both expire automatically, so the cost of a look does not grow with old rows.
 */
export class RedisRowRegister implements RowRegister {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Pick<Clock, 'now'> }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  seed(): Promise<string> {
    return seedOf(this.#redis, this.#keys);
  }

  async sent(entry: string): Promise<ReadonlyMap<string, string>> {
    const key = this.#keys.rowIdsSent(entry);
    const fields = await replyWithin(this.#redis.hgetall(key));
    const sinceMs = this.#clock.now() - SENT_FOR_MS;
    const prints = new Map<string, string>();
    const late: string[] = [];
    for (const [id, value] of Object.entries(fields)) {
      const [print = '', atMs] = value.split(' ');
      if (Number(atMs) < sinceMs) late.push(id);
      else prints.set(id, print);
    }
    if (late.length > 0) await replyWithin(this.#redis.hdel(key, ...late));
    return prints;
  }

  async send(entry: string, prints: ReadonlyMap<string, string>): Promise<void> {
    if (prints.size === 0) return;
    const key = this.#keys.rowIdsSent(entry);
    const now = this.#clock.now();
    const fields = [...prints].flatMap(([id, print]) => [id, `${print} ${now}`]);
    await replyWithin(this.#redis.hset(key, ...fields));
    await replyWithin(this.#redis.pexpire(key, SENT_FOR_MS));
  }

  async arrived(entry: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await replyWithin(this.#redis.hdel(this.#keys.rowIdsSent(entry), ...ids));
  }

  async trace(entry: string, traces: readonly RowTrace[]): Promise<void> {
    const each = traces.flatMap(({ id, traces: marks, keepMs }) =>
      marks.map((mark) => ({ id, keepMs, key: this.#keys.rowTrace(entry, mark) })),
    );
    for (let at = 0; at < each.length; at += KEYS_AT_ONCE) {
      const some = each.slice(at, at + KEYS_AT_ONCE);
      await Promise.all(
        some.map(({ id, keepMs, key }) => TRACE.run(this.#redis, [key], [id, Math.ceil(keepMs)])),
      );
    }
  }

  async find(entry: string, traces: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const marks = [...new Set(traces)];
    const found = new Map<string, readonly string[]>();
    for (let at = 0; at < marks.length; at += KEYS_AT_ONCE) {
      const some = marks.slice(at, at + KEYS_AT_ONCE);
      const ids = await Promise.all(
        some.map((mark) => replyWithin(this.#redis.smembers(this.#keys.rowTrace(entry, mark)))),
      );
      for (const [i, mark] of some.entries()) found.set(mark, ids[i] ?? []);
    }
    return found;
  }
}
