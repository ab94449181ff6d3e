import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { TestRedis } from './redis.ts';

/** A Redis as the worker wants it (append-only, `noeviction`) to which everything may happen that happens to one. */
export interface MortalRedis extends TestRedis {
  /** SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** How much its disk holds now, in bytes. */
  diskBytes(): number;
  /** A copy of what its disk holds now; its path. */
  copyDisk(): string;
  /** Starts it again at the same address: from what its disk holds, or from an earlier copy, as after a power cut. */
  revive(options?: { readonly from?: string }): Promise<void>;
  /** SIGSTOP and SIGCONT: the connections stand, and nobody answers. */
  freeze(): void;
  thaw(): void;
  /** Everything in it is gone, and it goes on. */
  wipe(): Promise<void>;
  /** No room for another byte, or room again. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

export async function startMortalRedis(): Promise<MortalRedis> {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-mortal-'));
  const socket = join(dir, 'redis.sock');
  const args = [
    // No port: while it is dead, somebody else might take it.
    ...['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', '--dir', dir, '--save', ''],
    ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'],
  ];
  const client = new Redis({ path: socket, retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => {});
  let child = spawn('redis-server', args, { stdio: 'ignore' });
  const kill = async (): Promise<void> => {
    // Who has exited already tells nobody a second time.
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await exited;
  };
  await client.ping();
  return {
    url: `unix://${socket}`,
    pid: child.pid ?? 0,
    kill,
    diskBytes: () => sizesIn(join(dir, FOLDER)).reduce((sum, size) => sum + size, 0),
    copyDisk: () => copyOf(dir),
    async revive({ from } = {}) {
      if (from !== undefined) {
        rmSync(join(dir, FOLDER), { recursive: true });
        renameSync(from, join(dir, FOLDER));
      }
      child = spawn('redis-server', args, { stdio: 'ignore' });
      await client.ping();
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    wipe: async () => void (await client.flushall()),
    fill: async () => void (await client.config('SET', 'maxmemory', '1mb')),
    makeRoom: async () => void (await client.config('SET', 'maxmemory', '0')),
    async stop() {
      client.disconnect();
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const FOLDER = 'appendonlydir';

/** Redis may write its file anew meanwhile: then the copy is made again. The end of a file may be cut off (`aof-load-truncated yes`). */
function copyOf(dir: string): string {
  const from = join(dir, FOLDER);
  const copy = mkdtempSync(join(dir, 'copy-'));
  for (;;) {
    const manifest = manifestIn(from);
    rmSync(copy, { recursive: true, force: true });
    try {
      cpSync(from, copy, { recursive: true });
      if (manifestIn(copy) === manifest && manifestIn(from) === manifest) return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function manifestIn(folder: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith('.manifest'));
  return name === undefined ? '' : readFileSync(join(folder, name), 'utf8');
}

function sizesIn(folder: string): number[] {
  return readdirSync(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
}
