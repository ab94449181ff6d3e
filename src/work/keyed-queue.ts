// Takes keys, as often as callers like, and hands each to one handler at a time. The queue is only the engine: the dirty set holds what
// must be done, and the sweep brings back what the queue forgets.

import { type ConnectionOptions, DelayedError, Queue, Worker } from 'bullmq';
import { backoffMs } from '../domain/backoff.ts';
import { RetryableError } from '../domain/errors.ts';
import { LATE, within } from '../domain/within.ts';
import type { Attempt, Disposition } from '../domain/work.ts';
import type { Log } from '../ports/runtime.ts';
import type { LaterQueue } from '../ports/work.ts';
import { noRush, type Rush } from '../ports/work.ts';

/** A connection that BullMQ can use: its `maxRetriesPerRequest` is null. */
export type QueueConnection = ConnectionOptions;

export interface KeyedQueueOptions {
  /** Contains no `:`. */
  readonly name: string;
  readonly prefix: string;
  readonly connection: QueueConnection;
  readonly attempts: number;
  readonly log: Log;
  /** Prefix of the tokens under which handlers hold their keys. */
  readonly holder?: string;
  /** How long a handler's process may be dead before another takes up its key, unless the other can prove the death earlier. */
  readonly lockMs?: number;
  /** Shortest interval between two batches of adds. The first after a quiet time leaves immediately. */
  readonly addEveryMs?: number;
  /** During a rush, adds leave as slowly as turns begin. */
  readonly rush?: Rush;
}

/** How often adds leave, and how many together, off the caller's path. */
const ADD_EVERY_MS = 5;
const ADD_AT_ONCE_MAX = 500;
/** How often adds leave during a rush, and how many together: few turns begin then, so more keys in the engine would not help. */
const ADD_IN_RUSH_EVERY_MS = 100;
const ADD_IN_RUSH_AT_ONCE = 10;
/** Most keys held back in memory: beyond this many, adds leave at full speed even during a rush. */
const HELD_BACK_MAX = 10_000;
/** Longest wait for `queue.add`, which hangs while Redis is unavailable: then the batch is left to the sweep. */
const ADD_WITHIN_MS = 5_000;
/** Longest timer for a later add: every sweep brings what is due until the next one. */
const LATER_MS_MAX = 30_000;
/** Longest wait for the connection to close. */
const CLOSE_WITHIN_MS = 2_000;
/**
 * How long a lock lasts without renewal, and how often expired locks are looked for. A lock outlasts every time-out of a remote call, but
 * must not block a key for long after a kill -9.
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5_000;
/** How often a key may lose its lock: a machine that was restarted often does not make the key poison. */
const STALLED_MAX = 1_000;
/** Pause after an error of Redis before the engine looks for work again; its own delay would mean 15 s without work. */
const LOOK_AGAIN_MS = 1_000;
const FAILED_KEPT = { age: 24 * 3600, count: 1_000 };

/** Where a queue keeps its active jobs: Redis keys, and the prefix of their locks. */
export type JobKeys = KeyedQueue['jobKeys'];

export class KeyedQueue implements LaterQueue {
  readonly #queue: Queue;
  readonly #options: KeyedQueueOptions;
  readonly #rush: Rush;
  readonly #waiting = new Set<string>();
  readonly #later = new Map<string, NodeJS.Timeout>();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the last batch left, by `performance.now`: people may set the other clock. */
  #lastAddAtMs = Number.NEGATIVE_INFINITY;
  #adding: Promise<void> = Promise.resolve();

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
    this.#rush = options.rush ?? noRush;
    this.#queue = new Queue(options.name, { connection: options.connection, prefix: options.prefix });
    this.#queue.on('error', () => {});
  }

  /** After `close`, keys are left to the sweep: a handler that was cut off may still add some. */
  add(keys: readonly string[]): void {
    if (this.#isClosed) return;
    for (const key of keys) this.#waiting.add(key);
    this.#timer ??= this.#flushSoon();
  }

  /**
   * Adds the key after a while. It is not held meanwhile: adding it gives it a turn immediately. Forgotten when this process ends, and left
   * to the sweep if it is far ahead.
   */
  addLater(key: string, afterMs: number): void {
    clearTimeout(this.#later.get(key));
    this.#later.delete(key);
    if (afterMs > LATER_MS_MAX || this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#later.delete(key);
      this.add([key]);
    }, afterMs);
    this.#later.set(key, timer);
  }

  /** Gives all delayed jobs their turn now. Rejects if Redis does not answer in time. */
  async promoteDelayed(): Promise<void> {
    const promoted = this.#queue.promoteJobs().then(() => 'promoted' as const);
    if ((await within(ADD_WITHIN_MS, promoted)) === 'promoted') return;
    throw new RetryableError('store-unavailable', 'Redis does not answer', { target: 'redis' });
  }

  /** Where the engine keeps its active jobs and their locks. */
  get jobKeys() {
    const at = (name: string) => this.#queue.toKey(name);
    return { active: at('active'), stalled: at('stalled'), stalledCheck: at('stalled-check'), locks: at('') };
  }

  /** Removes the keys that wait or failed. Returns those that a handler holds right now. */
  async forget(keys: ReadonlySet<string>): Promise<readonly string[]> {
    for (const key of keys) this.#waiting.delete(key);
    const atWork: string[] = [];
    for (const job of await this.#queue.getJobs(['wait', 'delayed', 'prioritized', 'failed', 'active'])) {
      const key = String(job?.data?.key);
      if (!keys.has(key)) continue;
      // Fails while a handler holds the lock.
      await job.remove().catch(() => atWork.push(key));
    }
    return atWork;
  }

  /**
   * Names the turns that handlers hold right now for keys of this kind. Removes active jobs without a lock: the sweep brings their keys
   * back.
   */
  async turns(kind: string): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (const job of await this.#queue.getJobs(['active'])) {
      const key = String(job?.data?.key);
      if (!key.startsWith(`${kind}/`)) continue;
      await job.remove().catch(() => held.add(`${key} ${job.id} ${job.processedOn}`));
    }
    return held;
  }

  /** For tools that inspect the engine itself. */
  get engine(): Queue {
    return this.#queue;
  }

  /** Jobs by state: waiting, active, delayed, failed. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    return this.#queue.getJobCounts('wait', 'active', 'delayed', 'failed');
  }

  /** Sends what was added first: a command that ends must not leave its keys to the next sweep. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#later.values()) clearTimeout(timer);
    this.#later.clear();
    clearTimeout(this.#timer);
    while (this.#waiting.size > 0) {
      this.#flush();
      clearTimeout(this.#timer);
    }
    await within(ADD_WITHIN_MS, this.#adding);
    // An attempt to connect may never end, and there is nothing left to send over it.
    await within(CLOSE_WITHIN_MS, this.#queue.close());
  }

  #flush(): void {
    this.#lastAddAtMs = performance.now();
    const keys = first(this.#waiting, this.#holdsBack() ? ADD_IN_RUSH_AT_ONCE : ADD_AT_ONCE_MAX);
    for (const key of keys) this.#waiting.delete(key);
    this.#adding = this.#adding.then(() => this.#addAll(keys));
    this.#timer = this.#waiting.size === 0 ? undefined : this.#flushSoon();
  }

  #flushSoon(): NodeJS.Timeout {
    const nextAtMs = this.#lastAddAtMs + (this.#options.addEveryMs ?? 0);
    const waitMs = this.#holdsBack() ? ADD_IN_RUSH_EVERY_MS : ADD_EVERY_MS;
    return setTimeout(() => this.#flush(), Math.max(waitMs, nextAtMs - performance.now()));
  }

  #holdsBack(): boolean {
    return !this.#isClosed && this.#rush.isOn() && this.#waiting.size <= HELD_BACK_MAX;
  }

  async #addAll(keys: readonly string[]): Promise<void> {
    const added = this.#queue.addBulk(keys.map((key) => this.#job(key))).then(
      () => 'added' as const,
      () => 'failed' as const,
    );
    const outcome = await within(ADD_WITHIN_MS, added);
    if (outcome !== 'added') {
      this.#options.log.warn(
        { queue: this.#options.name, keys: keys.length, outcome },
        'keys not queued; the sweep will add them',
      );
    }
  }

  /**
   * The payload is the key alone, because a waiting job keeps its first payload. No jobId (BullMQ checks it before deduplication and loses
   * adds), no ttl, no replace.
   */
  #job(key: string) {
    return {
      name: 'key',
      data: { key },
      opts: {
        deduplication: { id: key, keepLastIfActive: true },
        attempts: this.#options.attempts,
        backoff: { type: 'custom' },
        removeOnComplete: true,
        removeOnFail: FAILED_KEPT,
      },
    };
  }
}

/** Works the keys of a queue. `close` lets running handlers finish, for `withinMs` at most. */
export class KeyedWorker {
  readonly #worker: Worker;

  constructor(
    options: KeyedQueueOptions & {
      readonly concurrency: number;
      readonly handle: (key: string, attempt: Attempt) => Promise<Disposition>;
    },
  ) {
    this.#worker = new Worker(
      options.name,
      async (job, token) => {
        const number = job.attemptsMade + 1;
        const attempt = { number, isLast: number >= options.attempts };
        const disposition = await options.handle(String(job.data.key), attempt);
        switch (disposition.next) {
          case 'done':
            return;
          case 'retry':
            throw new Retry(disposition);
          case 'defer':
            // moveToDelayed, never a rate limit on the worker: that would stop all keys.
            await job.moveToDelayed(Date.now() + disposition.afterMs, token);
            throw new DelayedError();
        }
      },
      {
        connection: options.connection,
        prefix: options.prefix,
        concurrency: options.concurrency,
        lockDuration: options.lockMs ?? LOCK_MS,
        stalledInterval: Math.min(STALLED_CHECK_MS, options.lockMs ?? LOCK_MS),
        maxStalledCount: STALLED_MAX,
        runRetryDelay: LOOK_AGAIN_MS,
        autorun: false,
        settings: { backoffStrategy: pauseMs },
      },
    );
    // Every lock token of the engine begins with this id.
    const id = `${options.holder ?? ''}${this.#worker.id}`;
    Object.assign(this.#worker, { id });
    this.#worker.on('error', (error) =>
      options.log.debug({ queue: options.name, reason: error.name }, 'queue engine error'),
    );
  }

  start(): void {
    void this.#worker.run();
  }

  /** Takes up the jobs without a lock now. */
  async lookForStalled(): Promise<void> {
    if (this.#worker.isRunning()) await this.#worker.startStalledCheckTimer();
  }

  async close(withinMs: number): Promise<void> {
    const outcome = await within(withinMs, this.#worker.close());
    // A handler that is cut off here resumes as after a kill: its lock expires, and its key is still dirty. (Worker.close(true) would only
    // wait for the close that is under way.)
    if (outcome === LATE) void this.#worker.disconnect().catch(() => undefined);
  }
}

/** Tells the engine which pause the handler wants. */
class Retry extends Error {
  readonly afterMs: number | undefined;

  constructor({ code, afterMs }: { readonly code: string; readonly afterMs?: number }) {
    super(code);
    this.afterMs = afterMs;
  }
}

function pauseMs(attemptsMade: number, _type?: string, error?: Error): number {
  return (error instanceof Retry ? error.afterMs : undefined) ?? backoffMs(attemptsMade);
}

function first(keys: ReadonlySet<string>, count: number): string[] {
  const taken: string[] = [];
  for (const key of keys) {
    if (taken.length === count) break;
    taken.push(key);
  }
  return taken;
}
