import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findRunning, type PrivateRedis, startPrivateRedis } from '../../../src/engine/private-redis.ts';
import { openRedis, type RedisClient } from '../../../src/engine/redis-client.ts';
import { assertRedisIsFit } from '../../../src/engine/redis-fitness.ts';

let dir: string;
const clients: RedisClient[] = [];
const servers: PrivateRedis[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-redis-'));
});
// A test that failed half-way leaves no server behind.
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect();
  for (const server of servers.splice(0)) await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function connect(url: string): Promise<RedisClient> {
  const client = openRedis(url, 'commands');
  clients.push(client);
  await new Promise<void>((done) => client.once('ready', () => done()));
  return client;
}

async function start(options?: Parameters<typeof startPrivateRedis>[1]): Promise<PrivateRedis> {
  const server = await startPrivateRedis(dir, options);
  servers.push(server);
  return server;
}

test('the private Redis forgets nothing by itself, listens on no port, and is gone when it was stopped', async () => {
  const redis = await start();
  const client = await connect(redis.url);
  expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
  expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
  expect(await client.config('GET', 'port')).toEqual(['port', '0']);
  expect(await assertRedisIsFit(client)).toEqual([]);
  await redis.stop();
  expect(await findRunning(dir)).toBeUndefined();
});

/** The first servers end by a kill before they answer. The file that it returns has a line for each start. */
function killTheFirst(kills: number): string {
  const [programs, starts] = [join(dir, 'programs'), join(dir, 'starts')];
  mkdirSync(programs);
  const script = `#!/bin/sh
echo start >> '${starts}'
[ "$(wc -l < '${starts}')" -gt ${kills} ] || kill -9 $$
PATH="$AFTER" exec redis-server "$@"
`;
  writeFileSync(join(programs, 'redis-server'), script, { mode: 0o700 });
  vi.stubEnv('AFTER', process.env['PATH'] ?? '');
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
  return starts;
}

test.each([
  [2, 'starts the next one'],
  [3, 'gives up'],
])('a worker whose Redis is killed %i times while it starts %s', async (kills) => {
  const starts = killTheFirst(kills);
  try {
    if (kills === 3) await expect(start()).rejects.toMatchObject({ code: 'redis-did-not-start' });
    else expect(await (await connect((await start()).url)).ping()).toBe('PONG');
  } finally {
    vi.unstubAllEnvs();
  }
  expect(readFileSync(starts, 'utf8')).toBe('start\n'.repeat(3));
});

test('an object with a snapshot and a link is stored compactly; a larger value is not moved at each change', async () => {
  const redis = await start();
  const client = await connect(redis.url);
  await client.hset('object', { d: '1', s: 's'.repeat(2_048), 'l:staff': 'l'.repeat(500) });
  expect(await client.object('ENCODING', 'object')).toMatch(/^(listpack|ziplist)$/);
  await client.hset('object', { s: 's'.repeat(2_049) });
  expect(await client.object('ENCODING', 'object')).toBe('hashtable');
  await redis.stop();
});

test('its files and folders are open to their owner only', async () => {
  const before = process.umask();
  const redis = await start();
  await (await connect(redis.url)).set('key', 'value');
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  expect(entries.map(({ name }) => name)).toEqual(expect.arrayContaining(['appendonlydir', 'redis.log']));
  const open = entries.filter((entry) => statSync(join(entry.parentPath, entry.name)).mode & 0o077);
  expect(open.map(({ name }) => name)).toEqual([]);
  expect(process.umask()).toBe(before);
  await redis.stop();
});

test('what was written is there after a restart', async () => {
  const first = await start();
  await (await connect(first.url)).set('key', 'value');
  await first.stop();
  const second = await start();
  expect(await (await connect(second.url)).get('key')).toBe('value');
  await second.stop();
});

/** Starts the private Redis in a process of its own. Returns the server's id and what kills that process. */
async function startOwner(): Promise<{ pid: number; kill: () => Promise<void> }> {
  const script = `
    import { startPrivateRedis } from ${JSON.stringify(new URL('../../../src/engine/private-redis.ts', import.meta.url).href)};
    const redis = await startPrivateRedis(${JSON.stringify(dir)});
    console.log(redis.pid);
    setInterval(() => {}, 1000);`;
  const owner = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const pid = await new Promise<number>((done) =>
    owner.stdout.once('data', (text) => done(Number(String(text)))),
  );
  const kill = async () => {
    const gone = new Promise((done) => owner.once('exit', done));
    owner.kill('SIGKILL');
    await gone;
  };
  return { pid, kill };
}

test('a server whose owner was killed is taken over, not doubled', async () => {
  const owner = await startOwner();
  await expect(startPrivateRedis(dir)).rejects.toMatchObject({ code: 'data-folder-in-use' });
  await owner.kill();
  const redis = await start();
  expect(redis.pid).toBe(owner.pid);
  await redis.stop();
  expect(await findRunning(dir)).toBeUndefined();
});

test('a Redis that may evict keys is refused, with the setting to change (case 10)', async () => {
  const redis = await start();
  const client = await connect(redis.url);
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await expect(assertRedisIsFit(client)).rejects.toMatchObject({
    code: 'redis-evicts',
    advice: expect.stringContaining('noeviction'),
  });
  await redis.stop();
});

test('a Redis without an append-only file is a warning', async () => {
  const redis = await start();
  const client = await connect(redis.url);
  await client.config('SET', 'appendonly', 'no');
  expect((await assertRedisIsFit(client)).join()).toContain('appendonly');
  await redis.stop();
});

test('a data folder whose path is too long for a socket is told, not left to hang', async () => {
  await expect(startPrivateRedis(join(dir, 'x'.repeat(120)))).rejects.toMatchObject({
    code: 'data-folder-path-too-long',
  });
});

test('one that stands still is ended with its owner, and is not left behind', async () => {
  const redis = await start();
  process.kill(redis.pid, 'SIGSTOP');
  await redis.stop();
  expect(await findRunning(dir)).toBeUndefined();
  expect(() => process.kill(redis.pid, 0)).toThrow('ESRCH');
});

test('whoever looks for one that stands still is told so while it does', async () => {
  const redis = await start();
  process.kill(redis.pid, 'SIGSTOP');
  await expect(findRunning(dir)).rejects.toMatchObject({ code: 'redis-silent', target: 'redis' });
  process.kill(redis.pid, 'SIGCONT');
  await redis.stop();
});

test('one that was killed is started again, with what was written, and is told of', async () => {
  const told: string[] = [];
  let restarted = () => {};
  const again = new Promise<void>((done) => {
    restarted = done;
  });
  const redis = await start({
    onEnded: ({ advice }) => told.push(advice),
    onRestarted: restarted,
  });
  const { pid } = redis;
  const first = await connect(redis.url);
  await first.config('SET', 'appendfsync', 'always');
  await first.set('key', 'value');
  process.kill(pid, 'SIGKILL');
  await again;
  expect(redis.pid).not.toBe(pid);
  expect(await (await connect(redis.url)).get('key')).toBe('value');
  expect(told).toEqual([expect.stringContaining('redis.log')]);
  await redis.stop();
  expect(await findRunning(dir)).toBeUndefined();
});

test('one that was taken over from a killed owner is watched as well', async () => {
  const owner = await startOwner();
  await owner.kill();
  let restarted = () => {};
  const again = new Promise<void>((done) => {
    restarted = done;
  });
  const redis = await start({ onRestarted: restarted });
  expect(redis.pid).toBe(owner.pid);
  process.kill(owner.pid, 'SIGKILL');
  await again;
  expect(redis.pid).not.toBe(owner.pid);
  await redis.stop();
  expect(await findRunning(dir)).toBeUndefined();
});

test('a stop while it waits for a server ends the wait', async () => {
  const stopping = new AbortController();
  stopping.abort();
  await expect(startPrivateRedis(dir, { signal: stopping.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(await findRunning(dir)).toBeUndefined();
});
