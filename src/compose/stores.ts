import type { Config } from '../config/config.ts';
import { blockCalendars, namedCalendars } from '../config/needs.ts';
import { type Clock, SILENT } from '../ports/runtime.ts';
import { KeySpace } from '../storage/core/key-space.ts';
import { RedisProcesses } from '../storage/core/processes.ts';
import { assertStateIsKnown } from '../storage/core/state-version.ts';
import { openRedis } from '../storage/redis/redis-client.ts';
import { untilConnected } from '../storage/redis/redis-connection.ts';
import { assertRedisIsFit } from '../storage/redis/redis-fitness.ts';
import { redisRun } from '../storage/redis/redis-run.ts';
import { WriteProbe } from '../storage/redis/write-probe.ts';
import { openStores } from '../storage/stores.ts';
import type { QueueConnection } from '../work/keyed-queue.ts';
import { untilDone } from '../work/loops.ts';
import { locateRedis, type StoreOptions } from './redis-address.ts';

/** How long a Redis that accepts connections may load its file when the worker starts. */
const READY_WITHIN_MS = 10_000;
/** The same for a command, before which somebody sits. */
const COMMAND_READY_WITHIN_MS = 2_000;

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Everything that is kept in Redis; starts the private Redis when no address is given. */
export async function openStore(config: Config, clock: Clock, options: StoreOptions = {}) {
  const { sharing = false, signal } = options;
  const { url, address, own } = await locateRedis(config, options);
  const redis = openRedis(url, 'commands');
  const parts = { redis, keys: new KeySpace(config.redis.prefix), clock };
  const processes = new RedisProcesses({ ...parts, version: options.version });
  const { quotas } = config.google;
  const named = new Set([...namedCalendars(config), ...blockCalendars(config)]);
  const close = async (): Promise<void> => {
    redis.disconnect();
    await own?.stop();
  };
  try {
    const withinMs = sharing ? COMMAND_READY_WITHIN_MS : READY_WITHIN_MS;
    await untilConnected(redis, { address, withinMs, signal });
    const stores = openStores(redis, parts, {
      journalMs: config.worker.journalMs,
      keep: config.privacy.keep,
      processId: processes.id,
      perMinute: {
        'google-calendar:': quotas.calendarPerMinute,
        'google-sheets-read:': quotas.sheetsReadsPerMinute,
        'google-sheets-write:': quotas.sheetsWritesPerMinute,
      },
      ...(config.google.consent && { consentKeys: config.google.consent.keys }),
      concerns: (target) => !target.startsWith('calendar:') || named.has(target.slice('calendar:'.length)),
    });
    const look = async () => {
      await assertStateIsKnown(stores.memory);
      return assertRedisIsFit(redis);
    };
    const warnings = await (sharing ? look() : patiently(look, options));
    return {
      ...stores,
      warnings,
      processes,
      /** A new connection for BullMQ, which the caller closes. */
      openQueueConnection: () =>
        openRedis(url, 'queue') as QueueConnection & { quit(): Promise<unknown>; disconnect(): void },
      /** Which process serves this store now; see redisRun. */
      redisRun: () => redisRun(redis, parts.keys),
      writeProbe: new WriteProbe(parts),
      answers: async () => (await redis.ping()) === 'PONG',
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Redis has answered once. That it, or this process, stands still for some seconds then ends no start. Rejects with the signal's reason when it
 * aborts.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  { signal = new AbortController().signal, log = SILENT }: Pick<StoreOptions, 'signal' | 'log'>,
): Promise<T> {
  const done = await untilDone({ name: 'state in Redis', signal, log }, async () => ({
    value: await work(),
  }));
  if (done === undefined) throw signal.reason;
  return done.value;
}
