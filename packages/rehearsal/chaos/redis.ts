// A Redis for one or two workers, to which everything may happen that happens to one. It listens on a unix socket, so no other server can
// take its place.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface ChaosRedis {
  readonly url: string;
  /** SIGKILL; its file loses so many bytes at its end, as after a power cut. */
  kill(loseBytes: number): Promise<void>;
  revive(): Promise<void>;
  freeze(): void;
  thaw(): void;
  wipe(): Promise<void>;
  /** No room for another byte, or room again. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  /** Synchronous, for the end of the process. */
  abandon(): void;
}

export async function startChaosRedis(folder: string): Promise<ChaosRedis> {
  const dir = join(folder, 'shared');
  mkdirSync(dir, { recursive: true });
  const socket = join(dir, 'redis.sock');
  const args = [
    ...['--port', '0', '--unixsocket', socket, '--dir', dir, '--save', '', '--appendonly', 'yes'],
    ...['--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'],
  ];
  let child: ChildProcess | undefined;
  const begin = (): void => {
    // In a group of its own: Ctrl-C is for the play, which then ends it.
    child = spawn('redis-server', args, { stdio: 'ignore', detached: true });
    child.on('error', () => undefined);
  };
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const ask = async (work: (client: Redis) => Promise<unknown>): Promise<void> => {
    const client = new Redis(socket, {
      // Rejects when it has ended: nobody would ever answer.
      retryStrategy: () => (isRunning() ? 20 : null),
      maxRetriesPerRequest: null,
    });
    client.on('error', () => undefined);
    try {
      await work(client);
    } finally {
      client.disconnect();
    }
  };
  begin();
  await ask((client) => client.ping());
  return {
    url: `unix://${socket}`,
    async kill(loseBytes) {
      const gone = new Promise((done) => child?.once('exit', done));
      if (!isRunning()) return;
      child?.kill('SIGKILL');
      await gone;
      if (loseBytes > 0) truncate(dir, loseBytes);
    },
    async revive() {
      if (!isRunning()) begin();
      await ask((client) => client.ping());
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    wipe: () => ask((client) => client.flushall()),
    fill: () => ask(leaveNoRoom),
    makeRoom: () => ask(makeRoom),
    abandon: () => void (isRunning() && child?.kill('SIGKILL')),
  };
}

export const leaveNoRoom = (client: Redis) => client.config('SET', 'maxmemory', '1mb');
export const makeRoom = (client: Redis) => client.config('SET', 'maxmemory', '0');

/** Redis starts from a file whose end is cut off (`aof-load-truncated yes`, its default). */
export function truncate(dir: string, loseBytes: number): void {
  const folder = join(dir, 'appendonlydir');
  const name = existsSync(folder) ? readdirSync(folder).find((each) => each.includes('.incr.')) : undefined;
  if (name === undefined) return;
  const file = join(folder, name);
  truncateSync(file, Math.max(0, statSync(file).size - loseBytes));
}
