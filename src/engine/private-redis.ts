// The worker's private Redis: started on a unix socket in the data folder, restarted when it ends, stopped with the worker.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalError } from './errors.ts';
import {
  type FolderLock,
  folderInUse,
  giveUpOwnership,
  holderOf,
  isAlive,
  lockFolder,
  makePrivateFolder,
  ownerOf,
  processStart,
  takeOwnership,
  worksIn,
} from './folder-lock.ts';
import { LATE, within } from './object.ts';
import { openRedis } from './redis-client.ts';
import type { Log } from './runtime.ts';

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

export type PrivateRedis = Pick<SupervisedRedis, 'url' | 'pid' | 'stop'>;

export interface PrivateRedisOptions {
  /** Ends the wait for a server that is loading its file, and stops the server. */
  readonly signal?: AbortSignal | undefined;
  /** True for a command, which ends soon. A worker waits for it; default false. */
  readonly isBrief?: boolean;
  /** Default true. False: a server that ends is not restarted. */
  readonly isRevived?: boolean;
  /** The server ended unexpectedly and will be restarted. */
  readonly onEnded?: (seen: { readonly restarts: number; readonly advice: string }) => void;
  readonly onRestarted?: () => void;
}

/** How long the server may take to start, to stop, and to end after a kill. A large file takes minutes to load. */
const START_WITHIN_MS = 5 * 60_000;
const STOP_WITHIN_MS = 10_000;
const KILLED_WITHIN_MS = 1_000;
/** How long a server that accepts connections may take to answer, outside its start. */
const ANSWER_WITHIN_MS = 3_000;
/** Pause before a restart. It doubles up to the longest while the server ends soon after its start. */
const RESTART_FIRST_MS = 200;
const RESTART_LONGEST_MS = 30_000;
const STEADY_AFTER_MS = 60_000;
/** Servers that are started, one after the other, while somebody kills them before they answer. */
const STARTS_MAX = 3;
/** How often the supervision checks whether the server is still running. */
const LOOK_EVERY_MS = 500;
/** How long a server may outlive its killed container. */
const ENDS_WITH_CONTAINER_MS = 5_000;
/**
 * Longest value of a hash that Redis stores compactly: an appointment then takes a sixth less memory. A compact hash holds at most 128
 * fields, and each change moves its bytes, so longer values would cost time.
 */
const COMPACT_VALUE_BYTES_MAX = 2_048;
const SERVERS = ['redis-server', 'valkey-server'];
/** The longest path of a unix socket on Linux. unix(7) allows 108 bytes with the closing zero. */
const SOCKET_PATH_BYTES_MAX = 107;

/** A running server: a child, or one that a killed owner left behind. */
interface Server {
  readonly pid: number;
  isRunning(): boolean;
}

/**
 * Starts `redis-server` or `valkey-server` from PATH: append-only, `noeviction`, no TCP port, its files in `dataDir`. It takes over a
 * server that a killed owner left behind. Rejects with `TerminalError`: `redis-not-installed`, `data-folder-in-use`,
 * `data-folder-unusable`, `data-folder-path-too-long`, `redis-silent`, `redis-did-not-start`.
 */
export async function startPrivateRedis(
  dataDir: string,
  options: PrivateRedisOptions = {},
): Promise<PrivateRedis> {
  const paths = privatePaths(dataDir);
  makePrivateFolder(paths.dir);
  const { signal } = options;
  const hold = await holdFolder(paths, options);
  try {
    const server = (await leftBehind(paths, dataDir, signal)) ?? (await launch(paths, signal));
    return new SupervisedRedis({ paths, hold }, server, options);
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** Versions before 0.3 know only the file with the owner's id. It is kept for them, and read, so that none runs beside this process. */
async function holdFolder(
  paths: Paths,
  { isBrief = false, signal }: PrivateRedisOptions,
): Promise<FolderLock> {
  const lock = await lockFolder(paths.dir, { isBrief, signal });
  try {
    takeOwnership(paths.owner);
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    isLost: () => lock.isLost(),
    release: () => {
      // One that is lost leaves the file to the new owner.
      if (!lock.isLost()) giveUpOwnership(paths.owner);
      lock.release();
    },
  };
}

/**
 * The process id of the private Redis that answers for this folder now; undefined when nothing listens. Rejects with `TerminalError`
 * `redis-silent` when a server listens and does not answer, and with the signal's reason when it aborts.
 */
export async function findRunning(
  dataDir: string,
  { withinMs = ANSWER_WITHIN_MS, signal }: { withinMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<number | undefined> {
  const { url, socket } = privatePaths(dataDir);
  if (!existsSync(socket)) return undefined;
  const redis = openRedis(url, 'commands');
  let onAbort = () => {};
  const answer = new Promise<string | undefined>((done) => {
    const nobody = () => done(undefined);
    redis.once('ready', () => redis.info('server').then(done, nobody));
    redis.once('error', nobody);
    onAbort = () => done('stopped');
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  });
  try {
    const info = await within(withinMs, answer);
    if (info === LATE) throw silent(dataDir);
    signal?.throwIfAborted();
    return info === undefined ? undefined : Number(/process_id:(\d+)/.exec(info)?.[1]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    redis.disconnect();
  }
}

/** The worker that holds the folder while its Redis does not answer; undefined when no worker does. */
export async function ownerOfPrivateRedis(dataDir: string): Promise<number | undefined> {
  const { dir, owner } = privatePaths(dataDir);
  return (await holderOf(dir))?.pid ?? ownerOf(owner);
}

export function privateRedisUrl(dataDir: string): string {
  return privatePaths(dataDir).url;
}

/** A private Redis on a unix socket in the data folder; it ends with its owner. */
class SupervisedRedis {
  /** `unix:///…/redis.sock` */
  readonly url: string;
  readonly #paths: Paths;
  readonly #hold: FolderLock;
  readonly #options: PrivateRedisOptions;
  readonly #stopping = new AbortController();
  readonly #supervision: Promise<void>;
  #server: Server;

  constructor(
    { paths, hold }: { paths: Paths; hold: FolderLock },
    server: Server,
    options: PrivateRedisOptions,
  ) {
    this.url = paths.url;
    this.#paths = paths;
    this.#hold = hold;
    this.#options = options;
    this.#server = server;
    const { isRevived = true } = options;
    this.#supervision = isRevived ? this.#supervise(this.#stopping.signal) : Promise.resolve();
  }

  /** Changes with a restart. */
  get pid(): number {
    return this.#server.pid;
  }

  /** Saves and stops it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#supervision;
    await end(this.#server);
    this.#hold.release();
  }

  async #supervise(signal: AbortSignal): Promise<void> {
    let pauseMs = RESTART_FIRST_MS;
    for (let restarts = 1; ; restarts += 1) {
      const startedAtMs = performance.now();
      while (this.#server.isRunning() && !signal.aborted && !this.#hold.isLost())
        await pause(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      // Another machine may run a server on these files by now. Two of them would destroy the files.
      if (this.#hold.isLost()) {
        kill(this.#server, 'SIGKILL');
        this.#options.onEnded?.({
          restarts,
          advice: 'Another process has taken the data folder. Stop one of the two.',
        });
        return;
      }
      this.#options.onEnded?.({
        restarts,
        advice: `It is started again. If that repeats, read ${join(this.#paths.dir, 'redis.log')} and see that memory and disk suffice.`,
      });
      if (performance.now() - startedAtMs > STEADY_AFTER_MS) pauseMs = RESTART_FIRST_MS;
      await pause(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, RESTART_LONGEST_MS);
      if (signal.aborted) return;
      const fresh = await launch(this.#paths, signal).catch(() => undefined);
      if (fresh === undefined) continue;
      this.#server = fresh;
      this.#options.onRestarted?.();
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

async function launch(paths: Paths, signal: AbortSignal | undefined): Promise<Server> {
  const program = findServer();
  for (let starts = 1; ; starts += 1) {
    rmSync(paths.socket, { force: true });
    const child = spawnPrivately(program, serverArguments(paths));
    // Without a listener, a program that cannot be run would end this process.
    child.once('error', () => {});
    child.unref();
    const server = born(child);
    try {
      await untilAnswering(paths, server, signal);
      return server;
    } catch (error) {
      // Somebody's kill, as of a container that lacked memory, says nothing about its files. An exit code does.
      const isKilled = child.signalCode !== null;
      await end(server);
      if (!isKilled || starts === STARTS_MAX) throw error;
    }
  }
}

/** Only the owner may read its files, wherever somebody copies them. */
function spawnPrivately(program: string, args: readonly string[]): ChildProcess {
  const before = process.umask(0o077);
  try {
    return spawn(program, args, { stdio: 'ignore', detached: true });
  } finally {
    process.umask(before);
  }
}

async function untilAnswering(paths: Paths, server: Server, signal: AbortSignal | undefined): Promise<void> {
  const deadlineMs = performance.now() + START_WITHIN_MS;
  while (performance.now() < deadlineMs && server.isRunning()) {
    const withinMs = Math.max(1, deadlineMs - performance.now());
    if ((await findRunning(join(paths.dir, '..'), { withinMs, signal })) !== undefined) return;
    signal?.throwIfAborted();
    await sleep(20);
  }
  throw new TerminalError('redis-did-not-start', `the private Redis in ${paths.dir} did not start`, {
    target: 'redis',
    advice: `Read ${join(paths.dir, 'redis.log')}; see that its disk has space and that the folder belongs to this user.`,
  });
}

function born(child: ChildProcess): Server {
  // A child that has exited stays visible as a zombie until Node sees its exit.
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return { pid: child.pid ?? 0, isRunning };
}

/**
 * The server of a killed owner; it may still be loading its file. Another container's process cannot be watched or ended from here, so its
 * server is not taken over. It ends soon if its container was killed.
 */
async function leftBehind(
  paths: Paths,
  dataDir: string,
  signal: AbortSignal | undefined,
): Promise<Server | undefined> {
  const deadlineMs = performance.now() + ENDS_WITH_CONTAINER_MS;
  for (;;) {
    const pid = await findRunning(dataDir, { withinMs: START_WITHIN_MS, signal });
    if (pid === undefined) return undefined;
    if (worksIn(pid, paths.dir)) return taken(pid, processStart(pid));
    if (performance.now() > deadlineMs)
      throw folderInUse(paths.dir, `a Redis of another container or user (process ${pid} there)`);
    await sleep(LOOK_EVERY_MS);
  }
}

function taken(pid: number, startedAt: string): Server {
  return { pid, isRunning: () => isAlive(pid) && processStart(pid) === startedAt };
}

async function end(server: Server): Promise<void> {
  kill(server, 'SIGTERM');
  const deadlineMs = performance.now() + STOP_WITHIN_MS;
  while (server.isRunning() && performance.now() < deadlineMs) await sleep(10);
  // A frozen server does not react to SIGTERM. Left behind, it would hold the folder forever.
  kill(server, 'SIGKILL');
  while (server.isRunning() && performance.now() < deadlineMs + KILLED_WITHIN_MS) await sleep(10);
}

function kill(server: Server, signal: NodeJS.Signals): void {
  if (!server.isRunning()) return;
  try {
    process.kill(server.pid, signal);
  } catch (error) {
    // It has ended since.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
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

function privatePaths(dataDir: string) {
  const dir = resolve(dataDir, 'redis');
  const socket = join(dir, 'redis.sock');
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX) {
    throw new TerminalError(
      'data-folder-path-too-long',
      `the path of the socket in ${dir} is longer than a unix socket may have`,
      {
        target: 'redis',
        advice: 'Set redis.data_dir to a folder with a shorter path, or give redis.url.',
      },
    );
  }
  return { dir, socket, owner: join(dir, 'owner.pid'), url: `unix://${socket}` };
}

type Paths = ReturnType<typeof privatePaths>;

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
        'Install one (Debian: apt-get install redis-server), or set redis.url to the address of a Redis of version 6.2 or newer.',
    },
  );
}

function serverArguments(paths: Paths): string[] {
  return [
    ...['--port', '0', '--unixsocket', paths.socket, '--unixsocketperm', '700'],
    ...['--dir', paths.dir, '--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
    ...['--maxmemory-policy', 'noeviction', '--hash-max-ziplist-value', String(COMPACT_VALUE_BYTES_MAX)],
    ...['--logfile', join(paths.dir, 'redis.log'), '--daemonize', 'no'],
  ];
}
