import type { Problem } from '../../engine/domain/work.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin } from '../../engine/store/script.ts';

/** How often one caller may probe whether a target works again. */
const PROBE_EVERY_MS = 15_000;

/** The problem board in Redis. */
export class RedisProblemBoard implements ProblemBoard {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  readonly #concerns: (target: string) => boolean;

  /** `concerns`: false for a target that the YAML no longer names, whose problems are ignored. Default: true for all. */
  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    concerns?: (target: string) => boolean;
  }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
    this.#concerns = parts.concerns ?? (() => true);
  }

  async raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void> {
    if (!this.#concerns(problem.target)) return;
    const now = this.#clock.now();
    const known = await this.#get(problem.target);
    const sinceMs = known?.code === problem.code ? known.sinceMs : now;
    const entry: Problem = { ...problem, sinceMs, lastAtMs: now };
    await replyWithin(this.#redis.hset(this.#keys.problems, problem.target, JSON.stringify(entry)));
    // The caller that met the problem has just tried, so the next probe waits for a full interval.
    await replyWithin(this.#redis.set(this.#keys.probe(problem.target), '1', 'PX', PROBE_EVERY_MS));
  }

  async clear(target: string): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.problems, target));
    await replyWithin(this.#redis.del(this.#keys.probe(target)));
  }

  /** A restart may have fixed the known problems. The first try raises the others again. */
  async clearAll(): Promise<void> {
    for (const problem of await this.#all()) await this.clear(problem.target);
  }

  async list(): Promise<readonly Problem[]> {
    return (await this.#all()).filter(({ target }) => this.#concerns(target));
  }

  async mayTry(target: string): Promise<'free' | 'turn' | false> {
    if (!this.#concerns(target)) return 'free';
    if ((await replyWithin(this.#redis.hexists(this.#keys.problems, target))) === 0) return 'free';
    const turn = await replyWithin(
      this.#redis.set(this.#keys.probe(target), '1', 'PX', PROBE_EVERY_MS, 'NX'),
    );
    return turn === 'OK' && 'turn';
  }

  async giveBack(target: string): Promise<void> {
    await replyWithin(this.#redis.del(this.#keys.probe(target)));
  }

  async #all(): Promise<readonly Problem[]> {
    const texts = await replyWithin(this.#redis.hvals(this.#keys.problems));
    return texts.map((text) => JSON.parse(text) as Problem).sort((a, b) => a.sinceMs - b.sinceMs);
  }

  async #get(target: string): Promise<Problem | undefined> {
    const text = await replyWithin(this.#redis.hget(this.#keys.problems, target));
    return text === null ? undefined : (JSON.parse(text) as Problem);
  }
}
