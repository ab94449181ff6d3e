import { backoffMs } from '../domain/backoff.ts';
import type { Attempt, Disposition } from '../domain/work.ts';
import type { QuotaLedger } from '../ports/quotas.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { Rush } from '../ports/work.ts';
import { type JobKeys, KeyedQueue, KeyedWorker, type QueueConnection } from './keyed-queue.ts';
import { aborted } from './loops.ts';

type Handle = (key: string, attempt: Attempt) => Promise<Disposition>;

/** Pause before a worker with an older mapping offers a key again, for another worker to take. */
const OUTDATED_PAUSE_MS = 3_000;
/** Shortest interval between adds to the flush queue. Each row rings for its spreadsheet, but a flush writes all that wait. */
const RING_EVERY_MS = 100;

interface QueuesParts {
  /** BullMQ's connection; the caller closes it after the queues. */
  readonly connection: QueueConnection;
  readonly prefix: string;
  /** Named in the locks of jobs, so that they can be freed once this process is proved dead. */
  readonly holder: string;
  readonly attempts: number;
  readonly concurrency: number;
  readonly shutdownMs: number;
  /** Number of spreadsheets; each has its own slot among the flushes. */
  readonly spreadsheets: number;
  /** Frees what dead processes held. */
  readonly takeOver: (
    jobs: readonly JobKeys[],
  ) => Promise<{ readonly leases: number; readonly jobs: number }>;
  readonly quotas: Pick<QuotaLedger, 'waits'>;
  /** Deliveries go before turns and adds. */
  readonly rush: Rush;
  readonly clock: Clock;
  readonly log: Log;
}

export type Queues = ReturnType<typeof openQueues>;

/** The two queues, of objects and of spreadsheets to flush, and the workers over them. */
export function openQueues(parts: QueuesParts) {
  const { connection, prefix, holder, attempts, concurrency, shutdownMs, quotas, rush, clock, log } = parts;
  const shared = { prefix, connection, attempts, holder, log, rush };
  const objects = new KeyedQueue({ ...shared, name: 'objects' });
  const flushes = new KeyedQueue({ ...shared, name: 'flushes', addEveryMs: RING_EVERY_MS });
  const workers: KeyedWorker[] = [];
  let inFlight = 0;
  const counted =
    (handle: Handle): Handle =>
    async (key, attempt) => {
      inFlight += 1;
      try {
        await rush.giveWay();
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
      if (disposition.next !== 'done')
        objects.addLater(key, disposition.afterMs ?? backoffMs(attempt.number));
      return { next: 'done' };
    };
  return {
    objects,
    bell: { ring: (spreadsheetId: string) => flushes.add([spreadsheetId]) },
    inFlight: () => inFlight,
    /** The engine never holds objects: their times are in the dirty set. */
    promoteDelayed: () => flushes.promoteDelayed(),
    /**
     * Works only while `isCurrent`: a worker with an older mapping leaves the keys to the others. Once the signal aborts it takes nothing
     * new. Running handlers finish, within the configured limit.
     */
    async work(
      handlers: {
        readonly reconcile: Handle;
        readonly flush: Handle;
        readonly isCurrent: () => Promise<boolean>;
      },
      signal: AbortSignal,
    ): Promise<void> {
      const current =
        (handle: Handle): Handle =>
        async (key, attempt) => {
          if (await handlers.isCurrent().catch(() => true)) return handle(key, attempt);
          return { next: 'defer', afterMs: OUTDATED_PAUSE_MS };
        };
      workers.push(
        new KeyedWorker({
          ...shared,
          name: 'objects',
          concurrency,
          handle: released(counted(current(handlers.reconcile))),
        }),
        new KeyedWorker({
          ...shared,
          name: 'flushes',
          // A slot for each: a write that hangs for minutes (decision 0010) delays its own spreadsheet and no other.
          concurrency: Math.max(1, parts.spreadsheets),
          handle: counted(current(handlers.flush)),
        }),
      );
      for (const worker of workers) worker.start();
      await aborted(signal);
      await Promise.all(workers.splice(0).map((worker) => worker.close(shutdownMs)));
    },
    /** Immediately frees what proved-dead processes held. */
    async takeOver(): Promise<void> {
      const freed = await parts.takeOver([objects.jobKeys, flushes.jobKeys]);
      if (freed.leases + freed.jobs === 0) return;
      log.info(freed, 'taken over from a dead process');
      await Promise.all(workers.map((worker) => worker.lookForStalled()));
    },
    /** Loads bull-board. */
    async openBoard() {
      const { openQueueBoard } = await import('./queue-board.ts');
      return openQueueBoard([objects.engine, flushes.engine]);
    },
    async close(): Promise<void> {
      await Promise.all([objects.close(), flushes.close()]);
    },
  };
}
