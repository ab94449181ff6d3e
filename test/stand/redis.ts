import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A real Redis for one test file or one world: empty, and nobody else's until `stop`. */
export interface TestRedis {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

interface Server {
  readonly url: string;
  readonly pid: number;
  readonly client: Redis;
  end(): Promise<void>;
}

/** Servers of this process that wait for the next test, which then need not start one. */
const idle: Server[] = [];
const LOOKS_MAX = 10;
const LOOK_EVERY_MS = 20;
const ANSWER_WITHIN_MS = 3_000;

export async function startTestRedis(): Promise<TestRedis> {
  const server = idle.pop() ?? (await startServer());
  let isStopped = false;
  return {
    url: server.url,
    pid: server.pid,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      if (await isLeftClean(server)) idle.push(server);
      else await server.end();
    },
  };
}

/** Emptied, with all rights, and without a client that might still write into the next test. */
async function isLeftClean({ client }: Server): Promise<boolean> {
  const look = async (): Promise<boolean> => {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      if (
        String(await client.client('LIST'))
          .trim()
          .split('\n').length === 1
      ) {
        // A test may have taken rights from the user of all connections.
        await client.acl('SETUSER', 'default', '+@all');
        await client.flushall();
        return true;
      }
      await sleep(LOOK_EVERY_MS);
    }
    return false;
  };
  // One that a test has killed or frozen does not answer.
  return Promise.race([look().catch(() => false), sleep(ANSWER_WITHIN_MS, false, { ref: false })]);
}

/** As the worker wants it. It ends with this process, however that ends: then the shell reads the end of its input. */
const SERVER = `
redis-server --port 0 --unixsocket "$1/redis.sock" --unixsocketperm 700 --dir "$1" --logfile "$1/redis.log" \
  --appendonly yes --appendfsync everysec --save '' --maxmemory-policy noeviction --daemonize no >/dev/null &
echo $!
read end
kill -9 $!
rm -rf "$1"
`;

async function startServer(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-test-'));
  const shell = spawn('sh', ['-c', SERVER, 'sh', dir], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const pid = await new Promise<number>((done) =>
    shell.stdout.once('data', (line) => done(Number(String(line)))),
  );
  for (const each of [shell, shell.stdin, shell.stdout]) (each as Pick<ChildProcess, 'unref'>).unref();
  const socket = join(dir, 'redis.sock');
  const client = new Redis({ path: socket, retryStrategy: () => 10, maxRetriesPerRequest: null });
  client.on('error', () => {});
  await client.ping();
  return {
    url: `unix://${socket}`,
    pid,
    client,
    async end() {
      client.disconnect();
      const exited = new Promise((done) => shell.once('exit', done));
      shell.stdin.end();
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
