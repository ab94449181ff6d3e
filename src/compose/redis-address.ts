import type { Config } from '../config/config.ts';
import { maskRedisAddress } from '../config/kinds/redis-address.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import {
  findRunning,
  ownerOfPrivateRedis,
  type PrivateRedis,
  privateRedisUrl,
  startPrivateRedis,
} from '../storage/redis/private-redis.ts';

export interface StoreOptions {
  /** A command beside a running worker takes the worker's private Redis, and leaves it running. */
  readonly sharing?: boolean;
  /** Ends the wait for a Redis that does not answer yet. */
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  /** The version of slotbridge, told to people who ask which workers there are. */
  readonly version?: string;
}

/** Where the state is kept. Starts the private Redis when no address is given, or takes that of the worker. */
export async function locateRedis(
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
