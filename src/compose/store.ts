import type { Config } from '../config/config.ts';
import { maskRedisAddress } from '../config/kinds/redis-address.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import type { QueueConnection } from '../queue/keyed-queue.ts';
import { RedisAlertStore } from '../storage/alert-store.ts';
import { RedisBudget } from '../storage/budget.ts';
import { RedisCalendarCursors } from '../storage/calendar-cursors.ts';
import { RedisChannelStore } from '../storage/channel-store.ts';
import { RedisCoverageStore } from '../storage/coverage-store.ts';
import { RedisDeadLetters } from '../storage/dead-letters.ts';
import { RedisHistory } from '../storage/history.ts';
import { RedisIntakeStore } from '../storage/intake-store.ts';
import { RedisIntentStore } from '../storage/intent-store.ts';
import { RedisJournal } from '../storage/journal.ts';
import { KeySpace } from '../storage/key-space.ts';
import { RedisKnownObjects } from '../storage/known-objects.ts';
import { RedisLaterTurns } from '../storage/later-turns.ts';
import { RedisLeases } from '../storage/leases.ts';
import { RedisLedger } from '../storage/ledger.ts';
import { RedisLinkMoves } from '../storage/link-moves.ts';
import { RedisLinkStore } from '../storage/link-store.ts';
import { RedisMemory } from '../storage/memory.ts';
import { RedisNudges } from '../storage/nudges.ts';
import { RedisOutbox } from '../storage/outbox.ts';
import { RedisPauseStore } from '../storage/pause-store.ts';
import {
  findRunning,
  ownerOfPrivateRedis,
  type PrivateRedis,
  privateRedisUrl,
  startPrivateRedis,
} from '../storage/private-redis.ts';
import { RedisProblemBoard } from '../storage/problem-board.ts';
import { RedisProcesses } from '../storage/processes.ts';
import { RedisPutOffTurns } from '../storage/put-off-turns.ts';
import { openRedis } from '../storage/redis-client.ts';
import { untilConnected } from '../storage/redis-connection.ts';
import { assertRedisIsFit } from '../storage/redis-fitness.ts';
import { redisRun } from '../storage/redis-run.ts';
import { RedisRowMoves } from '../storage/row-moves.ts';
import { RedisRowRegister } from '../storage/row-register.ts';
import { RedisSentRows } from '../storage/sent-rows.ts';
import { RedisSheetRows } from '../storage/sheet-rows.ts';
import { RedisSightingStore } from '../storage/sighting-store.ts';
import { RedisTally } from '../storage/tally.ts';
import { RedisUnkeptRows } from '../storage/unkept-rows.ts';
import { RedisWorkStore } from '../storage/work-store.ts';
import { WriteProbe } from '../storage/write-probe.ts';
import { namedCalendars } from './kinds.ts';

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
