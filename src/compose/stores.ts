import type { Config } from '../config/config.ts';
import { maskRedisAddress } from '../config/kinds/redis-address.ts';
import { namedCalendars } from '../config/needs.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { RedisCalendarCursors } from '../storage/calendars/calendar-cursors.ts';
import { RedisChannelStore } from '../storage/calendars/channel-store.ts';
import { RedisLinkMoves } from '../storage/calendars/link-moves.ts';
import { RedisLinkStore } from '../storage/calendars/link-store.ts';
import { RedisSightingStore } from '../storage/calendars/sighting-store.ts';
import { KeySpace } from '../storage/core/key-space.ts';
import { RedisLeases } from '../storage/core/leases.ts';
import { RedisMemory } from '../storage/core/memory.ts';
import { RedisProcesses } from '../storage/core/processes.ts';
import { RedisBudget } from '../storage/google/budget.ts';
import { RedisPauseStore } from '../storage/google/pause-store.ts';
import { RedisAlertStore } from '../storage/operator/alert-store.ts';
import { RedisProblemBoard } from '../storage/operator/problem-board.ts';
import { RedisTally } from '../storage/operator/tally.ts';
import {
  findRunning,
  ownerOfPrivateRedis,
  type PrivateRedis,
  privateRedisUrl,
  startPrivateRedis,
} from '../storage/redis/private-redis.ts';
import { openRedis } from '../storage/redis/redis-client.ts';
import { untilConnected } from '../storage/redis/redis-connection.ts';
import { assertRedisIsFit } from '../storage/redis/redis-fitness.ts';
import { redisRun } from '../storage/redis/redis-run.ts';
import { WriteProbe } from '../storage/redis/write-probe.ts';
import { RedisOutbox } from '../storage/rows/outbox.ts';
import { RedisRowMoves } from '../storage/rows/row-moves.ts';
import { RedisRowRegister } from '../storage/rows/row-register.ts';
import { RedisSentRows } from '../storage/rows/sent-rows.ts';
import { RedisSheetRows } from '../storage/rows/sheet-rows.ts';
import { RedisUnkeptRows } from '../storage/rows/unkept-rows.ts';
import { RedisCoverageStore } from '../storage/work/coverage-store.ts';
import { RedisDeadLetters } from '../storage/work/dead-letters.ts';
import { RedisNudges } from '../storage/work/dirty-marks.ts';
import { RedisHistory } from '../storage/work/history.ts';
import { RedisIntakeStore } from '../storage/work/intake-store.ts';
import { RedisIntentStore } from '../storage/work/intent-store.ts';
import { RedisJournal } from '../storage/work/journal.ts';
import { RedisKnownObjects } from '../storage/work/known-objects.ts';
import { RedisLaterTurns } from '../storage/work/later-turns.ts';
import { RedisLedger } from '../storage/work/ledger.ts';
import { RedisPutOffTurns } from '../storage/work/put-off-turns.ts';
import { RedisWorkStore } from '../storage/work/work-store.ts';
import type { QueueConnection } from '../work/keyed-queue.ts';

export type Store = Awaited<ReturnType<typeof openStore>>;

export interface StoreOptions {
  /** A command beside a running worker takes the worker's private Redis, and leaves it running. */
  readonly sharing?: boolean;
  /** Ends the wait for a Redis that does not answer yet. */
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
}

/** Everything that is kept in Redis, over one connection; starts the private Redis when no address is given. */
export async function openStore(config: Config, clock: Clock, options: StoreOptions = {}) {
  const { sharing = false, signal } = options;
  const { url, address, own } = await locate(config, options);
  const redis = openRedis(url, 'commands');
  const keys = new KeySpace(config.redis.prefix);
  const parts = { redis, keys, clock };
  const processes = new RedisProcesses(parts);
  const { quotas } = config.google;
  const named = namedCalendars(config);
  try {
    const withinMs = sharing ? COMMAND_READY_WITHIN_MS : READY_WITHIN_MS;
    await untilConnected(redis, { address, withinMs, signal });
    const warnings = await assertRedisIsFit(redis);
    return {
      warnings,
      keys,
      intake: new RedisIntakeStore({ ...parts, journalMs: config.worker.journalMs }),
      work: new RedisWorkStore(parts),
      links: new RedisLinkStore(parts),
      linkMoves: new RedisLinkMoves(parts),
      sightings: new RedisSightingStore(parts),
      calendars: new RedisCalendarCursors(parts),
      channels: new RedisChannelStore(parts),
      outbox: new RedisOutbox(parts),
      /** An outbox that nudges the queue when rows have to be made again. */
      nudgingOutbox: (queue: WorkQueue) =>
        new RedisOutbox({ ...parts, dirtied: (names) => queue.add(names) }),
      /** The rows that stand in tabs, nudging the queue as well. */
      sheetRows: (queue: WorkQueue) => new RedisSheetRows({ ...parts, dirtied: (names) => queue.add(names) }),
      /** Moves of rows between tabs, nudging the queue as well. */
      rowMoves: (queue: WorkQueue) => new RedisRowMoves({ ...parts, dirtied: (names) => queue.add(names) }),
      coverage: new RedisCoverageStore(parts),
      intents: new RedisIntentStore(parts),
      processes,
      leases: new RedisLeases({ ...parts, processId: processes.id }),
      problems: new RedisProblemBoard({
        ...parts,
        concerns: (target) => !target.startsWith('calendar:') || named.has(target.slice('calendar:'.length)),
      }),
      ledger: new RedisLedger(parts),
      deadLetters: new RedisDeadLetters(parts),
      unkept: new RedisUnkeptRows(parts),
      sentRows: new RedisSentRows(parts),
      rowRegister: new RedisRowRegister(parts),
      nudges: new RedisNudges(parts),
      later: new RedisLaterTurns(parts),
      putOff: new RedisPutOffTurns(parts),
      known: new RedisKnownObjects(parts),
      memory: new RedisMemory(parts),
      alerts: new RedisAlertStore(parts),
      tally: new RedisTally(parts),
      history: new RedisHistory(parts),
      journal: new RedisJournal(parts),
      platformPause: new RedisPauseStore({ ...parts, name: 'platform' }),
      budget: new RedisBudget({
        ...parts,
        perMinute: {
          'google-calendar:': quotas.calendarPerMinute,
          'google-sheets-read:': quotas.sheetsReadsPerMinute,
          'google-sheets-write:': quotas.sheetsWritesPerMinute,
        },
      }),
      /** A new connection for BullMQ, which the caller closes. */
      openQueueConnection: () =>
        openRedis(url, 'queue') as QueueConnection & { quit(): Promise<unknown>; disconnect(): void },
      /** Which process serves this store now; see redisRun. */
      redisRun: () => redisRun(redis, keys),
      writeProbe: new WriteProbe(parts),
      answers: async () => (await redis.ping()) === 'PONG',
      async close(): Promise<void> {
        redis.disconnect();
        await own?.stop();
      },
    };
  } catch (error) {
    redis.disconnect();
    await own?.stop();
    throw error;
  }
}

async function locate(
  { redis: { url, dataDir } }: Config,
  { sharing = false, signal, log }: StoreOptions,
): Promise<{ url: string; address: string; own?: PrivateRedis }> {
  if (url !== undefined) return { url, address: maskRedisAddress(url) };
  const shared = privateRedisUrl(dataDir);
  if (sharing && (await findRunning(dataDir)) !== undefined) return { url: shared, address: shared };
  const owner = sharing ? ownerOfPrivateRedis(dataDir) : undefined;
  if (owner !== undefined) throw restarting(owner);
  const own = await startPrivateRedis(dataDir, {
    signal,
    onEnded: (seen) => log?.error(seen, 'the private redis has ended'),
    onRestarted: () => log?.warn({}, 'the private redis runs again'),
  });
  return { url: own.url, address: own.url, own };
}

function restarting(owner: number): TerminalError {
  return new TerminalError(
    'redis-restarting',
    `the private Redis of the running worker (process ${owner}) does not answer`,
    {
      target: 'redis',
      advice:
        "The worker starts it again by itself. Try again in some seconds; if that lasts, read the worker's log.",
    },
  );
}

/** How long a Redis that accepts connections may load its file when the worker starts. */
const READY_WITHIN_MS = 10_000;
/** The same for a command, before which somebody sits. */
const COMMAND_READY_WITHIN_MS = 2_000;
