import type { QueueConnection } from '../engine/keyed-queue.ts';
import { patiently } from '../engine/loops.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import { type LocateOptions, locatePrivateRedis } from '../engine/redis/private-redis-place.ts';
import { openRedis } from '../engine/redis/redis-client.ts';
import { untilConnected } from '../engine/redis/redis-connection.ts';
import { KeySpace } from '../engine/store/key-space.ts';
import { RedisProcesses } from '../engine/store/processes.ts';
import { assertRedisIsFit } from '../engine/store/redis-fitness.ts';
import { redisRun } from '../engine/store/redis-run.ts';
import { assertStateIsKnown } from '../engine/store/state-version.ts';
import { WriteProbe } from '../engine/store/write-probe.ts';
import type { Config } from '../mapping/config.ts';
import { maskRedisAddress } from '../mapping/kinds/redis-address.ts';
import { blockCalendars, namedCalendars } from '../mapping/needs.ts';
import { openStores } from './redis-stores.ts';

/** How long a Redis that accepts connections may load its file when the worker starts. */
const READY_WITHIN_MS = 10_000;
/** The same for a command, because a person waits for it. */
const COMMAND_READY_WITHIN_MS = 5_000;

interface StoreOptions extends LocateOptions {
  /** The version of slotbridge, for people who ask which workers run. */
  readonly version?: string;
  /** See `WorkerOptions`. */
  readonly takesReload?: boolean | undefined;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens everything that is kept in Redis. It starts the private Redis when the YAML gives no address. */
export async function openStore(config: Config, clock: Clock, options: StoreOptions = {}) {
  const { sharing = false, signal } = options;
  const { url, address, own } = await locate(config, options);
  const redis = openRedis(url, 'commands');
  const parts = { redis, keys: new KeySpace(config.redis.prefix), clock };
  const { version, takesReload } = options;
  const processes = new RedisProcesses({ ...parts, version, takesReload });
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
