// Takes keys, as often as callers like, and hands each to one handler at a time. The queue is only the engine: the dirty set holds what
// must be done, and the sweep brings back what the queue forgets.
import { type ConnectionOptions, DelayedError, type Job, Queue, Worker } from 'bullmq';
import { RetryableError } from './errors.ts';
import { type Backpressure, type LaterQueue, noBackpressure } from './handler.ts';
import { LATE, within } from './object.ts';
import type { QuotaLedger } from './quotas.ts';
import { type Clock, type Log, type Meter, steadyClock, UNCOUNTED } from './runtime.ts';
import { aborted } from './supervisor.ts';
import { type Attempt, backoffMs, type Disposition, IDLE } from './work.ts';
import { LOCK_RENEWED_EVERY_MS, OUTDATED_PAUSE_MS } from './work-store.ts';

/** A connection that BullMQ can use: its `maxRetriesPerRequest` is null. */
export type QueueConnection = ConnectionOptions;

/** A connection that its opener closes. */
export type OwnedConnection = QueueConnection & { disconnect(): void };

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
  /** Under backpressure, adds leave as slowly as turns begin. */
  readonly backpressure?: Backpressure;
  /** True if this process has begun a turn of the key, or will: the engine need not know of it. */
  readonly takes?: (key: string) => boolean;
  /** As `DirectTurns.begin`. */
  readonly begins?: DirectTurns['begin'];
}

/** How often adds leave, and how many together, off the caller's path. */
const ADD_EVERY_MS = 5;
const ADD_AT_ONCE_MAX = 500;
/** How often adds leave under backpressure, and how many together: few turns begin then, so more keys in the engine would not help. */
const ADD_UNDER_BACKPRESSURE_EVERY_MS = 100;
const ADD_UNDER_BACKPRESSURE_AT_ONCE = 10;
/** Most keys held back in memory: beyond this many, adds leave at full speed even under backpressure. */
const HELD_BACK_MAX = 10_000;
/** Longest wait for `queue.add`, which hangs while Redis is unavailable: then the batch is left to the sweep. */
const ADD_WITHIN_MS = 5_000;
/** Longest timer for a later add: every sweep brings what is due until the next one. */
const LATER_MS_MAX = 30_000;
/** Entries in BullMQ's stream of events, which nobody reads. */
const EVENTS_MAX = 100;
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
/**
 * How often an engine is looked at, how long it may do nothing while keys wait, and how long the count of them may take. Two waits without
 * end are known. BullMQ 6.7.0 awaits a `connect()` of ioredis 6.0.0 that never settles, or a command on a connection that died in silence.
 */
const WATCH_EVERY_MS = 10_000;
const STILL_MS = 60_000;
const COUNT_WITHIN_MS = 3_000;
/** How long the handlers of an engine that stands still may take to end. */
const FORMER_ENDS_WITHIN_MS = 60_000;
/** Pause after an error of Redis before the engine looks for work again; its own delay would mean 15 s without work. */
const LOOK_AGAIN_MS = 1_000;
const FAILED_KEPT = { age: 24 * 3600, count: 1_000 };

/** Where a queue keeps its active jobs: Redis keys, and the prefix of their locks. */
export type JobKeys = KeyedQueue['jobKeys'];

export class KeyedQueue implements LaterQueue {
  readonly #queue: Queue;
  readonly #options: KeyedQueueOptions;
  readonly #backpressure: Backpressure;
  readonly #waiting = new Set<string>();
  readonly #later = new Map<string, NodeJS.Timeout>();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the last batch left, by `performance.now`: people may set the other clock. */
  #lastAddAtMs = Number.NEGATIVE_INFINITY;
  #adding: Promise<void> = Promise.resolve();

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
    this.#backpressure = options.backpressure ?? noBackpressure;
    const { name, connection, prefix } = options;
    this.#queue = new Queue(name, { connection, prefix, streams: { events: { maxLen: EVENTS_MAX } } });
    this.#queue.on('error', () => {});
  }

  /** After `close`, keys are left to the sweep: a handler that was cut off may still add some. */
  add(keys: readonly string[]): void {
    if (this.#isClosed) return;
    for (const key of keys) if (this.#options.takes?.(key) !== true) this.#waiting.add(key);
    if (this.#waiting.size > 0) this.#timer ??= this.#flushSoon();
  }

  async begin(key: string): Promise<boolean> {
    const end = this.#isClosed ? undefined : await this.#options.begins?.(key);
    return end !== undefined && end !== IDLE && end !== 'later';
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

  /** Where the engine keeps its delayed jobs. */
  get delayedKey(): string {
    return this.#queue.toKey('delayed');
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
    const most = this.#holdsBack() ? ADD_UNDER_BACKPRESSURE_AT_ONCE : ADD_AT_ONCE_MAX;
    const keys: string[] = [];
    for (const key of this.#waiting) {
      if (keys.length === most) break;
      keys.push(key);
      this.#waiting.delete(key);
    }
    this.#adding = this.#adding.then(() => this.#addAll(keys));
    this.#timer = this.#waiting.size === 0 ? undefined : this.#flushSoon();
  }

  #flushSoon(): NodeJS.Timeout {
    const nextAtMs = this.#lastAddAtMs + (this.#options.addEveryMs ?? 0);
    const waitMs = this.#holdsBack() ? ADD_UNDER_BACKPRESSURE_EVERY_MS : ADD_EVERY_MS;
    return setTimeout(() => this.#flush(), Math.max(waitMs, nextAtMs - performance.now()));
  }

  #holdsBack(): boolean {
    return !this.#isClosed && this.#backpressure.isOn() && this.#waiting.size <= HELD_BACK_MAX;
  }

  /**
   * The payload is the key alone, because a waiting job keeps its first payload. No jobId (BullMQ checks it before deduplication and loses
   * adds), no ttl, no replace.
   */
  async #addAll(keys: readonly string[]): Promise<void> {
    const { attempts } = this.#options;
    const common = {
      attempts,
      backoff: { type: 'custom' },
      removeOnComplete: true,
      removeOnFail: FAILED_KEPT,
    };
    const jobs: Parameters<Queue['addBulk']>[0] = [];
    for (const key of keys) {
      const deduplication = { id: key, keepLastIfActive: true };
      jobs.push({ name: 'key', data: { key }, opts: { ...common, deduplication } });
    }
    const added = this.#queue.addBulk(jobs).then(
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
}

export interface KeyedWorkerOptions extends KeyedQueueOptions {
  readonly concurrency: number;
  readonly handle: (key: string, attempt: Attempt) => Promise<Disposition>;
  /** Set if an engine that stands still is to be built anew. */
  readonly watch?: {
    /** Number of keys that wait for an engine. */
    readonly waiting: () => Promise<number>;
    readonly openConnection: () => OwnedConnection;
    readonly meter?: Meter;
    readonly everyMs?: number;
    readonly stillMs?: number;
  };
}

/** Works the keys of a queue. `close` lets running handlers finish, for `withinMs` at most. */
export class KeyedWorker {
  readonly #options: KeyedWorkerOptions;
  #worker: Worker;
  /** Undefined while the engine uses the caller's connection. */
  #connection: OwnedConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #inHand = 0;
  /** When a handler last began or ended, or no key waited; by the steady clock. */
  #movedAtMs = steadyClock.now();

  constructor(options: KeyedWorkerOptions) {
    this.#options = options;
    this.#worker = this.#build(options.connection);
  }

  start(): void {
    void this.#worker.run();
    const { watch } = this.#options;
    if (watch === undefined) return;
    this.#movedAtMs = steadyClock.now();
    this.#timer = setInterval(() => void this.#look(watch), watch.everyMs ?? WATCH_EVERY_MS);
  }

  /** Takes up the jobs without a lock now. */
  async lookForStalled(): Promise<void> {
    if (this.#worker.isRunning()) await this.#worker.startStalledCheckTimer();
  }

  async close(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const outcome = await within(withinMs, this.#worker.close());
    // A handler that is cut off here resumes as after a kill: its lock expires, and its key is still dirty. (Worker.close(true) would only
    // wait for the close that is under way.)
    if (outcome === LATE) void this.#worker.disconnect().catch(() => undefined);
    this.#connection?.disconnect();
  }

  #build(connection: QueueConnection): Worker {
    const { name, prefix, concurrency, holder, log, lockMs = LOCK_MS } = this.#options;
    const worker = new Worker(name, async (job, token) => this.#work(job, token), {
      ...{ connection, prefix, concurrency, lockDuration: lockMs },
      stalledInterval: Math.min(STALLED_CHECK_MS, lockMs),
      maxStalledCount: STALLED_MAX,
      runRetryDelay: LOOK_AGAIN_MS,
      autorun: false,
      settings: { backoffStrategy: pauseMs },
    });
    // Every lock token of the engine begins with this id.
    Object.assign(worker, { id: `${holder ?? ''}${worker.id}` });
    worker.on('error', (error) => log.debug({ queue: name, reason: error.name }, 'queue engine error'));
    return worker;
  }

  async #work(job: Job, token: string | undefined): Promise<void> {
    const number = job.attemptsMade + 1;
    this.#moved(1);
    try {
      const attempt = { number, isLast: number >= this.#options.attempts };
      const disposition = await this.#options.handle(String(job.data.key), attempt);
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
    } finally {
      this.#moved(-1);
    }
  }

  #moved(inHand: number): void {
    this.#inHand += inHand;
    this.#movedAtMs = steadyClock.now();
  }

  /** An engine whose handlers are all at work has not been asked for more. Without an answer of Redis, nothing is known. */
  async #look(watch: NonNullable<KeyedWorkerOptions['watch']>): Promise<void> {
    const counting = watch.waiting().catch(() => LATE);
    const waiting = await within(COUNT_WITHIN_MS, counting);
    if (waiting === LATE || waiting === 0 || this.#inHand >= this.#options.concurrency) this.#moved(0);
    const isClosed = this.#timer === undefined;
    if (isClosed || steadyClock.now() - this.#movedAtMs < (watch.stillMs ?? STILL_MS)) return;
    this.#moved(0);
    this.#rebuild(watch);
  }

  /** The former engine keeps its handlers until they end. It is not waited for: it may never end. */
  #rebuild({ openConnection, meter = UNCOUNTED }: NonNullable<KeyedWorkerOptions['watch']>): void {
    const [former, connection] = [this.#worker, this.#connection];
    this.#connection = openConnection();
    this.#worker = this.#build(this.#connection);
    void this.#worker.run();
    const { name: queue, log } = this.#options;
    meter.add('slotbridge_queue_engines_rebuilt_total', { queue });
    log.warn({ queue }, 'queue engine stood still and was built anew');
    void within(FORMER_ENDS_WITHIN_MS, former.close()).then(() => connection?.disconnect());
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

type Handle = (key: string, attempt: Attempt) => Promise<Disposition>;

/** Shortest interval between adds to the flush queue. Each row wakes its spreadsheet, but a flush writes all that wait. */
const WAKE_EVERY_MS = 100;

/**
 * Begins a turn where its change has arrived. While this process has a handler to spare, a key never passes through the engine, which costs
 * as much as all else of a turn. Keys that find no free handler go to the engine, where any process takes them. One turn of a key at a time
 * in this process; between processes, the lock of the object (`WorkStore.claim`) keeps them apart.
 */
export class DirectTurns {
  readonly #atOnceMax: number;
  /** Keys with a turn in this process, by either way, each with what tells this turn from a later one. */
  readonly #atWork = new Map<string, object>();
  /** Keys that changed during their turn. */
  readonly #changed = new Set<string>();
  /** Turns from the engine that wait for a handler: they go first. Called with false when none begins any more. */
  readonly #waiting: ((mayBegin: boolean) => void)[] = [];
  #handlers = 0;
  #begin: ((key: string, isEarly: boolean) => Promise<Disposition>) | undefined;
  #again: (key: string) => void = () => {};
  #onIdle: (() => void) | undefined;

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** `begin` is one turn, and never rejects. `again` adds a key that changed during its turn. */
  open(begin: (key: string, isEarly: boolean) => Promise<Disposition>, again: (key: string) => void): void {
    this.#begin = begin;
    this.#again = again;
  }

  /** Begins no more. Resolves when the turns that run have ended. */
  close(): Promise<void> {
    this.#begin = undefined;
    for (const done of this.#waiting.splice(0)) done(false);
    if (this.#handlers === 0) return Promise.resolve();
    return new Promise((done) => {
      this.#onIdle = done;
    });
  }

  /** False: the key is the engine's. Turns of classes stay there, because an erasure asks the engine for them. */
  take(key: string): boolean {
    if (this.#begin === undefined || key.startsWith('class/')) return false;
    if (this.#atWork.has(key)) {
      this.#changed.add(key);
      return true;
    }
    return this.begin(key) !== undefined;
  }

  /** Undefined: no handler is free, or the key is at work or the engine's. `isEarly` as in `Attempt`. */
  begin(key: string, isEarly = false): Promise<Disposition | 'later'> | undefined {
    const begin = this.#begin;
    if (begin === undefined || key.startsWith('class/') || this.#atWork.has(key)) return undefined;
    if (this.#handlers >= this.#atOnceMax) return undefined;
    this.#handlers += 1;
    return this.#run(key, () => begin(key, isEarly)).finally(() => this.#handOn());
  }

  /** A turn that the engine hands out. `later`: the key is at work, and has a turn after this one. `closed`: none begins any more. */
  async inTurn<T>(key: string, turn: () => Promise<T>): Promise<T | 'later' | 'closed'> {
    if (!(await this.#handler())) return 'closed';
    try {
      return await this.#run(key, turn);
    } finally {
      this.#handOn();
    }
  }

  async #run<T>(key: string, turn: () => Promise<T>): Promise<T | 'later'> {
    if (this.#atWork.has(key)) {
      this.#changed.add(key);
      return 'later';
    }
    const mark = {};
    this.#atWork.set(key, mark);
    try {
      return await turn();
    } finally {
      if (this.#atWork.get(key) === mark) this.#atWork.delete(key);
      if (!this.#atWork.has(key) && this.#changed.delete(key)) this.#again(key);
    }
  }

  /** Redis was lost, and with it the locks. The fence refuses turns of before, which may hang at a remote side: no key waits for them. */
  forget(): void {
    this.#atWork.clear();
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const key of changed) this.#again(key);
  }

  #handler(): boolean | Promise<boolean> {
    if (this.#begin === undefined) return false;
    if (this.#handlers < this.#atOnceMax) {
      this.#handlers += 1;
      return true;
    }
    return new Promise((done) => this.#waiting.push(done));
  }

  /** The handler goes to who waits for it, or is free. */
  #handOn(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next(true);
      return;
    }
    this.#handlers -= 1;
    if (this.#handlers === 0) this.#onIdle?.();
  }
}

interface QueuesParts {
  /** BullMQ's connection; the caller closes it after the queues. */
  readonly connection: QueueConnection;
  /** Opens another one, for an engine that stands still. */
  readonly openConnection: () => OwnedConnection;
  readonly prefix: string;
  /** Named in the locks of jobs, so that they can be freed once this process is proved dead. */
  readonly holder: string;
  readonly attempts: number;
  readonly concurrency: number;
  readonly shutdownMs: number;
  /** Number of spreadsheets; each has its own slot among the flushes. */
  readonly spreadsheets: number;
  /** Frees what dead processes held. `onLocks` gets the keys whose turns ended with them. */
  readonly takeOver: (
    jobs: readonly JobKeys[],
    onLocks: (keys: readonly string[]) => void,
  ) => Promise<{ readonly leases: number; readonly jobs: number }>;
  /** Turns that are at work keep the locks of their objects. */
  readonly renewLocks: () => Promise<void>;
  readonly quotas: Pick<QuotaLedger, 'waits'>;
  /** Deliveries go before turns and adds. */
  readonly backpressure: Backpressure;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

export type Queues = ReturnType<typeof openQueues>;

/** The two queues, of objects and of spreadsheets to flush, and the workers over them. */
export function openQueues(parts: QueuesParts) {
  const { connection, prefix, holder, attempts, concurrency, shutdownMs, quotas, backpressure, clock, log } =
    parts;
  const shared = { prefix, connection, attempts, holder, log, backpressure };
  const direct = new DirectTurns(concurrency);
  const objects = new KeyedQueue({
    ...{ ...shared, name: 'objects' },
    takes: (key) => !backpressure.isOn() && direct.take(key),
    begins: (key) => (backpressure.isOn() ? undefined : direct.begin(key, true)),
  });
  const flushes = new KeyedQueue({ ...shared, name: 'flushes', addEveryMs: WAKE_EVERY_MS });
  const workers: KeyedWorker[] = [];
  const { openConnection, meter } = parts;
  const watched = (queue: KeyedQueue) => ({
    watch: { waiting: async () => (await queue.counts())['wait'] ?? 0, openConnection, meter },
  });
  let inFlight = 0;
  const counted =
    (handle: Handle): Handle =>
    async (key, attempt) => {
      inFlight += 1;
      try {
        await backpressure.giveWay();
        const disposition = await handle(key, attempt);
        if (disposition.next !== 'done' && disposition.waitsFor !== undefined) {
          // Only `status` shows it: if it cannot be noted, the key still comes back.
          const untilMs = clock.now() + (disposition.afterMs ?? 0);
          await quotas.waits(key, disposition.waitsFor, untilMs).catch(() => undefined);
        }
        return disposition;
      } finally {
        inFlight -= 1;
      }
    };
  /** A deferred key is not held: a change that arrives meanwhile gets its turn immediately, for the places that do not wait. */
  const released =
    (handle: Handle): Handle =>
    async (key, attempt) => {
      const disposition = await handle(key, attempt);
      if (disposition.next === 'done') return disposition;
      objects.addLater(key, disposition.afterMs ?? backoffMs(attempt.number));
      return { next: 'done' };
    };
  return {
    objects,
    forgetTurns: () => direct.forget(),
    waker: { wake: (spreadsheetId: string) => flushes.add([spreadsheetId]) },
    inFlight: () => inFlight,
    /** The engine never holds objects: their times are in the dirty set. */
    promoteDelayed: () => flushes.promoteDelayed(),
    delayedKey: flushes.delayedKey,
    /**
     * Flushes only while `isCurrent`: a worker with an older mapping leaves the keys to the others. Turns learn it with their claim. Once the
     * signal aborts it takes nothing new. Running handlers finish, within the configured limit.
     */
    async work(
      handlers: {
        readonly reconcile: Handle;
        readonly flush: Handle;
        readonly isCurrent: () => Promise<boolean>;
      },
      signal: AbortSignal,
    ): Promise<void> {
      const { reconcile, flush, isCurrent } = handlers;
      const turn = released(counted(reconcile));
      const again = (key: string) => objects.add([key]);
      workers.push(
        new KeyedWorker({
          ...{ ...shared, ...watched(objects) },
          name: 'objects',
          concurrency,
          handle: async (key, attempt) => {
            const end = await direct.inTurn(key, () => turn(key, attempt));
            if (end === 'closed') return { next: 'defer', afterMs: 0 };
            return end === 'later' ? { next: 'done' } : end;
          },
        }),
        new KeyedWorker({
          ...{ ...shared, ...watched(flushes) },
          name: 'flushes',
          // A slot for each: a write that hangs for minutes (decision 0010) delays its own spreadsheet and no other.
          concurrency: Math.max(1, parts.spreadsheets),
          handle: counted(async (key, attempt) =>
            (await isCurrent().catch(() => true))
              ? flush(key, attempt)
              : { next: 'defer', afterMs: OUTDATED_PAUSE_MS },
          ),
        }),
      );
      direct.open(
        (key, isEarly) =>
          turn(key, { number: 1, isLast: attempts <= 1, isEarly }).catch((): Disposition => {
            objects.addLater(key, backoffMs(1));
            return { next: 'done' };
          }),
        again,
      );
      for (const worker of workers) worker.start();
      const renewal = setInterval(
        () => void parts.renewLocks().catch(() => undefined),
        LOCK_RENEWED_EVERY_MS,
      );
      await aborted(signal);
      const ended = direct.close();
      await Promise.all([
        ...workers.splice(0).map((worker) => worker.close(shutdownMs)),
        within(shutdownMs, ended),
      ]);
      clearInterval(renewal);
    },
    /** Immediately frees what proved-dead processes held. */
    async takeOver(): Promise<void> {
      const freed = await parts.takeOver([objects.jobKeys, flushes.jobKeys], (keys) => objects.add(keys));
      if (freed.leases + freed.jobs === 0) return;
      log.info(freed, 'taken over from a dead process');
      await Promise.all(workers.map((worker) => worker.lookForStalled()));
    },
    async close(): Promise<void> {
      await Promise.all([objects.close(), flushes.close()]);
    },
  };
}
