import type { Config } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
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
import { RedisLinkStore } from '../storage/link-store.ts';
import { RedisMemory } from '../storage/memory.ts';
import { RedisNudges } from '../storage/nudges.ts';
import { RedisOutbox } from '../storage/outbox.ts';
import { RedisPauseStore } from '../storage/pause-store.ts';
import {
  findRunning,
  type PrivateRedis,
  privateRedisUrl,
  startPrivateRedis,
} from '../storage/private-redis.ts';
import { RedisProblemBoard } from '../storage/problem-board.ts';
import { RedisPutOffTurns } from '../storage/put-off-turns.ts';
import { openRedis } from '../storage/redis-client.ts';
import { assertRedisIsFit } from '../storage/redis-fitness.ts';
import { redisRun } from '../storage/redis-run.ts';
import { RedisRowMoves } from '../storage/row-moves.ts';
import { RedisSentRows } from '../storage/sent-rows.ts';
import { RedisSheetRows } from '../storage/sheet-rows.ts';
import { RedisSightingStore } from '../storage/sighting-store.ts';
import { RedisTally } from '../storage/tally.ts';
import { RedisUnkeptRows } from '../storage/unkept-rows.ts';
import { RedisWorkStore } from '../storage/work-store.ts';
import { WriteProbe } from '../storage/write-probe.ts';

export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Everything that is kept in Redis, over one connection; starts the private Redis when no address is given. `sharing`: a command beside
 * a running worker takes the worker's private Redis, and leaves it running.
 */
export async function openStore(config: Config, clock: Clock, { sharing = false } = {}) {
  const { url, own } = await locate(config, sharing);
  const redis = openRedis(url, 'commands');
  const keys = new KeySpace(config.redis.prefix);
  const parts = { redis, keys, clock };
  const { quotas } = config.google;
  try {
    await untilReady(redis, sharing ? COMMAND_READY_WITHIN_MS : READY_WITHIN_MS);
    const warnings = await assertRedisIsFit(redis);
    return {
      warnings,
      keys,
      intake: new RedisIntakeStore({ ...parts, journalMs: config.worker.journalMs }),
      work: new RedisWorkStore(parts),
      links: new RedisLinkStore(parts),
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
      leases: new RedisLeases(parts),
      problems: new RedisProblemBoard(parts),
      ledger: new RedisLedger(parts),
      deadLetters: new RedisDeadLetters(parts),
      unkept: new RedisUnkeptRows(parts),
      sentRows: new RedisSentRows(parts),
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
  sharing: boolean,
): Promise<{ url: string; own?: PrivateRedis }> {
  if (url !== undefined) return { url };
  if (sharing && (await findRunning(dataDir)) !== undefined) return { url: privateRedisUrl(dataDir) };
  const own = await startPrivateRedis(dataDir);
  return { url: own.url, own };
}

/** How long a Redis may take to answer at all when the worker starts. */
const READY_WITHIN_MS = 10_000;
/** The same for a command, before which somebody sits. */
const COMMAND_READY_WITHIN_MS = 2_000;

async function untilReady(redis: ReturnType<typeof openRedis>, withinMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((done) => {
    const timer = setTimeout(done, withinMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      done();
    });
  });
}
