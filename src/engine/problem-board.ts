import type { KeySpace } from './key-space.ts';
import { distanceMs } from './moments.ts';
import type { RedisClient } from './redis-client.ts';
import { replyWithin, TimedStore } from './redis-script.ts';
import type { Clock } from './runtime.ts';
import type { Problem } from './work.ts';

/** Every problem says what to do about it. */
export type RaisedProblem = Omit<Problem, 'sinceMs' | 'lastAtMs'> & { readonly advice: string };

export type ProblemBoard = Pick<RedisProblemBoard, 'clear' | 'list' | 'mayTry' | 'giveBack'> & {
  raise(problem: RaisedProblem): Promise<void>;
};

/** How often one caller may probe whether a target works again. */
const PROBE_EVERY_MS = 15_000;

/** What refuses every call right now, shared by all processes and shown by `status`. */
export class RedisProblemBoard extends TimedStore {
  readonly #concerns: (target: string) => boolean;

  /** `concerns`: false for a target that the YAML no longer names, whose problems are ignored. Default: true for all. */
  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    concerns?: (target: string) => boolean;
  }) {
    super(parts);
    this.#concerns = parts.concerns ?? (() => true);
  }

  async raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void> {
    if (!this.#concerns(problem.target)) return;
    const now = this.clock.now();
    const all = await this.#all();
    for (const { target } of all.filter((each) => isProblemOver(each, now))) await this.clear(target);
    const known = all.find((each) => each.target === problem.target && !isProblemOver(each, now));
    const sinceMs = known?.code === problem.code ? known.sinceMs : now;
    const entry: Problem = { ...problem, sinceMs, lastAtMs: now };
    await replyWithin(this.redis.hset(this.keys.problems, problem.target, JSON.stringify(entry)));
    // The caller that met the problem has just tried, so the next probe waits for a full interval.
    await replyWithin(this.redis.set(this.keys.probe(problem.target), '1', 'PX', PROBE_EVERY_MS));
  }

  async clear(target: string): Promise<void> {
    await replyWithin(this.redis.hdel(this.keys.problems, target));
    await replyWithin(this.redis.del(this.keys.probe(target)));
  }

  /** A restart may have fixed the known problems. The first try raises the others again; those with `keptForMs` stay for their time. */
  async clearAll(): Promise<void> {
    const nowMs = this.clock.now();
    for (const problem of await this.#all())
      if (problem.keptForMs === undefined || isProblemOver(problem, nowMs)) await this.clear(problem.target);
  }

  async list(): Promise<readonly Problem[]> {
    const nowMs = this.clock.now();
    return (await this.#all()).filter((each) => this.#concerns(each.target) && !isProblemOver(each, nowMs));
  }

  /**
   * `free`: the target has no problem. `turn`: this caller may probe whether the problem is gone, one per target every 15 s. False: defer
   * instead of calling.
   */
  async mayTry(target: string): Promise<'free' | 'turn' | false> {
    if (!this.#concerns(target)) return 'free';
    if ((await replyWithin(this.redis.hexists(this.keys.problems, target))) === 0) return 'free';
    const turn = await replyWithin(this.redis.set(this.keys.probe(target), '1', 'PX', PROBE_EVERY_MS, 'NX'));
    return turn === 'OK' && 'turn';
  }

  /** The caller with the turn learned nothing about the target: the next caller gets the turn immediately. */
  async giveBack(target: string): Promise<void> {
    await replyWithin(this.redis.del(this.keys.probe(target)));
  }

  async #all(): Promise<readonly Problem[]> {
    const texts = await replyWithin(this.redis.hvals(this.keys.problems));
    return texts.map((text) => JSON.parse(text) as Problem).sort((a, b) => a.sinceMs - b.sinceMs);
  }
}

/** Its time has passed. */
export function isProblemOver({ lastAtMs, keptForMs }: Problem, nowMs: number): boolean {
  return keptForMs !== undefined && distanceMs(lastAtMs, nowMs) >= keptForMs;
}
