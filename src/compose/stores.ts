import type { Config } from '../config/config.ts';
import { maskRedisAddress } from '../config/kinds/redis-address.ts';
import { blockCalendars, namedCalendars } from '../config/needs.ts';
import type { Clock } from '../ports/runtime.ts';
import { KeySpace } from '../storage/core/key-space.ts';
import { RedisProcesses } from '../storage/core/processes.ts';
import { assertStateIsKnown } from '../storage/core/state-version.ts';
import { type LocateOptions, locatePrivateRedis } from '../storage/redis/private-redis-place.ts';
import { openRedis } from '../storage/redis/redis-client.ts';
import { untilConnected } from '../storage/redis/redis-connection.ts';
import { assertRedisIsFit } from '../storage/redis/redis-fitness.ts';
import { redisRun } from '../storage/redis/redis-run.ts';
import { WriteProbe } from '../storage/redis/write-probe.ts';
import { openStores } from '../storage/stores.ts';
import type { QueueConnection } from '../work/keyed-queue.ts';
import { patiently } from '../work/loops.ts';

/** How long a Redis that accepts connections may load its file when the worker starts. */
const READY_WITHIN_MS = 10_000;
/** The same for a command, because a person waits for it. */
const COMMAND_READY_WITHIN_MS = 2_000;

interface StoreOptions extends LocateOptions {
  /** The version of slotbridge, for people who ask which workers run. */
  readonly version?: string;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens everything that is kept in Redis. It starts the private Redis when the YAML gives no address. */
export async function openStore(config: Config, clock: Clock, options: StoreOptions = {}) {
  const { sharing = false, signal } = options;
  const { url, address, own } = await locate(config, options);
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
      ...config.worker,
      ...config.privacy,
      processId: processes.id,
      perMinute: {
        'google-calendar:': quotas.calendarPerMinute,
        'google-sheets-read:': quotas.sheetsReadsPerMinute,
        'google-sheets-write:': quotas.sheetsWritesPerMinute,
      },
      ...(config.google.consent && { consentKeys: config.google.consent.keys }),
      calendarIds: named,
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
      /** A new connection for BullMQ; the caller closes it. */
      openQueueConnection: () =>
        openRedis(url, 'queue') as QueueConnection & { quit(): Promise<unknown>; disconnect(): void },
      /** The Redis process that serves this store now; see redisRun. */
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

async function locate(
  { redis: { url, dataDir } }: Config,
  options: StoreOptions,
): Promise<Awaited<ReturnType<typeof locatePrivateRedis>> & { readonly address: string }> {
  if (url !== undefined) return { url, address: maskRedisAddress(url) };
  const found = await locatePrivateRedis(dataDir, options);
  return { ...found, address: found.url };
}
