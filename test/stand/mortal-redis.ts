import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { TestRedis } from './redis.ts';

/** A Redis as the worker wants it (append-only, `noeviction`) to which everything may happen that happens to one. */
export interface MortalRedis extends TestRedis {
  /** SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** How long its file is now. */
  fileBytes(): number;
  /** Starts it again at the same address from what its file holds: the first `keepingBytes` of it, as after a power cut, or all. */
  revive(options?: { readonly keepingBytes?: number }): Promise<void>;
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
    fileBytes: () => statSync(fileIn(dir)).size,
    async revive({ keepingBytes } = {}) {
      // Redis starts from a file whose end is cut off (`aof-load-truncated yes`, its default).
      if (keepingBytes !== undefined) truncateSync(fileIn(dir), keepingBytes);
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

function fileIn(dir: string): string {
  const file = readdirSync(join(dir, 'appendonlydir')).find((name) => name.includes('.incr.'));
  if (file === undefined) throw new Error(`no append-only file in ${dir}`);
  return join(dir, 'appendonlydir', file);
}
