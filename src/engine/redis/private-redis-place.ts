import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { TerminalError } from '../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import {
  findRunning,
  ownerOfPrivateRedis,
  type PrivateRedis,
  privateRedisUrl,
  startPrivateRedis,
} from './private-redis.ts';

export interface LocateOptions {
  /** A command beside a running worker uses the worker's private Redis, and leaves it running. */
  readonly sharing?: boolean;
  /** Ends the wait for a Redis that does not answer yet. */
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
}

/** Whether a worker or command has kept anything in this data folder. */
export function hasPrivateRedis(dataDir: string): boolean {
  return existsSync(resolve(dataDir, 'redis'));
}

/**
 * Where the state is kept when the YAML gives no address: the private Redis of the data folder. It starts that Redis, or uses the worker's.
 * Rejects with `TerminalError` `redis-restarting` while the worker restarts its own, and as `startPrivateRedis` does.
 */
export async function locatePrivateRedis(
  dataDir: string,
  { sharing = false, signal, log }: LocateOptions,
): Promise<{ url: string; own?: PrivateRedis }> {
  if (sharing && (await findRunning(dataDir)) !== undefined) return { url: privateRedisUrl(dataDir) };
  const owner = sharing ? await ownerOfPrivateRedis(dataDir) : undefined;
  if (owner !== undefined) throw restarting(owner);
  const own = await startPrivateRedis(dataDir, {
    signal,
    isBrief: sharing,
    onEnded: (seen) => log?.error(seen, 'the private redis has ended'),
    onRestarted: () => log?.warn({}, 'the private redis runs again'),
  });
  return { url: own.url, own };
}

function restarting(owner: number): TerminalError {
  return new TerminalError(
    'redis-restarting',
    `the private Redis of the running worker (process ${owner}) does not answer`,
    {
      target: 'redis',
      advice:
        "The worker restarts it automatically. Try again in a few seconds; if this continues, read the worker's log.",
    },
  );
}
