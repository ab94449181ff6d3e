import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalError } from '../domain/errors.ts';
import { openRedis } from './redis-client.ts';

/** A Redis of one's own, on a unix socket in the data folder; it ends with its owner. */
export interface PrivateRedis {
  /** `unix:///…/redis.sock` */
  readonly url: string;
  readonly pid: number;
  /** Saves and stops it. */
  stop(): Promise<void>;
}

const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;
const KILLED_WITHIN_MS = 1_000;
/** Of a server that accepts connections, when nobody waits for its start. */
const ANSWER_WITHIN_MS = 3_000;
const SERVERS = ['redis-server', 'valkey-server'];
/** The longest path that a unix socket may have on Linux (unix(7): 108 bytes with the closing zero). */
const SOCKET_PATH_BYTES_MAX = 107;

/**
 * Starts `redis-server` or `valkey-server` from PATH: append-only, `noeviction`, no TCP port, its files in `dataDir`. A server left
 * behind by an owner that was killed is taken over. Rejects with `TerminalError`: `redis-not-installed`, `data-folder-in-use`,
 * `redis-did-not-start`.
 */
export async function startPrivateRedis(dataDir: string): Promise<PrivateRedis> {
  const paths = privatePaths(dataDir);
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 });
  takeOwnership(paths.owner, paths.dir);
  // It may still be loading its file.
  const leftBehind = await findRunning(dataDir, START_WITHIN_MS);
  if (leftBehind !== undefined) return owned(paths, leftBehind, undefined);

  const program = findServer();
  rmSync(paths.socket, { force: true });
  const child = spawn(program, serverArguments(paths), { stdio: 'ignore', detached: true });
  child.unref();
  await untilAnswering(paths, child);
  return owned(paths, child.pid ?? 0, child);
}

/**
 * The process id of the private Redis that answers for this folder now; undefined when nobody listens. Rejects with `TerminalError`
 * `redis-silent` when somebody does, and says nothing.
 */
export async function findRunning(dataDir: string, withinMs = ANSWER_WITHIN_MS): Promise<number | undefined> {
  const { url, socket } = privatePaths(dataDir);
  if (!existsSync(socket)) return undefined;
  const redis = openRedis(url, 'commands');
  let timer: NodeJS.Timeout | undefined;
  try {
    const info = await new Promise<string | undefined>((done) => {
      const nobody = () => done(undefined);
      redis.once('ready', () => redis.info('server').then(done, nobody));
      redis.once('error', nobody);
      timer = setTimeout(() => done('late'), withinMs);
    });
    if (info === 'late') throw silent(dataDir);
    return info === undefined ? undefined : Number(/process_id:(\d+)/.exec(info)?.[1]);
  } finally {
    clearTimeout(timer);
    redis.disconnect();
  }
}

function silent(dataDir: string): TerminalError {
  return new TerminalError(
    'redis-silent',
    `the private Redis in ${resolve(dataDir, 'redis')} does not answer`,
    {
      target: 'redis',
      advice:
        'See whether it is still loading its file, or its process stands still: redis.log beside the file tells.',
    },
  );
}

export function privateRedisUrl(dataDir: string): string {
  return privatePaths(dataDir).url;
}

function privatePaths(dataDir: string) {
  const dir = resolve(dataDir, 'redis');
  const socket = join(dir, 'redis.sock');
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX) {
    throw new TerminalError(
      'data-folder-path-too-long',
      `the path of the socket in ${dir} is longer than a unix socket may have`,
      {
        advice: 'Set redis.data_dir to a folder with a shorter path, or give redis.url.',
      },
    );
  }
  return { dir, socket, owner: join(dir, 'owner.pid'), url: `unix://${socket}` };
}

type Paths = ReturnType<typeof privatePaths>;

function takeOwnership(ownerFile: string, dir: string): void {
  const [pid, startedAt] = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8').trim().split(' ') : [];
  const owner = Number(pid ?? 0);
  // A process number is given out again after a restart of the machine: only the same process is the owner.
  const isSame = startedAt === undefined || startedAt === startOf(owner);
  if (owner > 0 && owner !== process.pid && isAlive(owner) && isSame) {
    throw new TerminalError(
      'data-folder-in-use',
      `the data folder ${dir} belongs to the running process ${owner}`,
      {
        advice:
          'Stop that process, give this one another redis.data_dir, or let both share a Redis through redis.url.',
      },
    );
  }
  writeFileSync(ownerFile, `${process.pid} ${startOf(process.pid)}`);
}

/** When a process began, in ticks since the machine did (proc(5), stat); empty where there is no such file, or for a zombie. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets, which may hold anything.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? '' : (fields[18] ?? '');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function findServer(): string {
  for (const name of SERVERS) {
    for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
      if (dir !== '' && existsSync(join(dir, name))) return join(dir, name);
    }
  }
  throw new TerminalError(
    'redis-not-installed',
    'neither redis-server nor valkey-server is on the PATH, and redis.url is not set',
    {
      target: 'redis',
      advice:
        'Install one (Debian: apt-get install redis-server), or set REDIS_URL to a Redis of version 6.2 or newer.',
    },
  );
}

function serverArguments(paths: Paths): string[] {
  return [
    ...['--port', '0', '--unixsocket', paths.socket, '--unixsocketperm', '700'],
    ...['--dir', paths.dir, '--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
    ...['--maxmemory-policy', 'noeviction', '--logfile', join(paths.dir, 'redis.log'), '--daemonize', 'no'],
  ];
}

async function untilAnswering(paths: Paths, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_WITHIN_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    if ((await findRunning(join(paths.dir, '..'), deadline - Date.now())) !== undefined) return;
    await sleep(20);
  }
  throw new TerminalError('redis-did-not-start', `the private Redis in ${paths.dir} did not start`, {
    advice: `Read ${join(paths.dir, 'redis.log')}.`,
  });
}

function owned(paths: Paths, pid: number, child: ChildProcess | undefined): PrivateRedis {
  return {
    url: paths.url,
    pid,
    async stop() {
      if (isAlive(pid)) process.kill(pid, 'SIGTERM');
      const deadline = Date.now() + STOP_WITHIN_MS;
      // A child that has exited stays visible as a zombie until its exit was seen.
      const isRunning = () =>
        child === undefined ? isAlive(pid) : child.exitCode === null && child.signalCode === null;
      while (isRunning() && Date.now() < deadline) await sleep(10);
      // One that stands still does not hear that it is to end: left behind, it would hold the folder for ever.
      if (isRunning()) process.kill(pid, 'SIGKILL');
      while (isRunning() && Date.now() < deadline + KILLED_WITHIN_MS) await sleep(10);
      rmSync(paths.owner, { force: true });
    },
  };
}
