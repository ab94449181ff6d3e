import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRunning, startPrivateRedis } from '../../src/engine/private-redis.ts';
import { runCommand, runHere } from '../stand/command.ts';
import { startMortalRedis } from '../stand/mortal-redis.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-command-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function configure(redis: string, credentials: string): Promise<void> {
  const yaml = `
platform: { base_url: http://127.0.0.1:9/v1, api_key: none }
google: { credentials: ${credentials} }
redis: ${redis}
http: { port: 0 }
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: book, tab: Contacts }
    columns: { ID: "{{ id }}" }
`;
  writeFileSync(join(dir, 'slotbridge.yaml'), yaml);
}

async function run(...args: string[]) {
  return runHere([...args, '--config', join(dir, 'slotbridge.yaml')]);
}

const COMMANDS = [['status'], ['deadletters', 'list'], ['cursor']];

test('a command that fails leaves no private Redis behind', async () => {
  await configure(`{ data_dir: ${join(dir, 'data')} }`, join(dir, 'missing.json'));
  const { code, stderr } = await run('deadletters', 'list');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('google-credentials-missing'),
  });
  expect(await findRunning(join(dir, 'data'))).toBeUndefined();
});

test.each(rowsOf(COMMANDS, 4).map((command) => [command] as const))(
  '%s says within seconds that nobody listens where Redis should be',
  async (command) => {
    await configure(`{ url: "redis://127.0.0.1:1" }`, join(dir, 'missing.json'));
    const { code, stderr } = await run(...command);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('Redis') });
  },
);

test('and that a Redis that accepts connections says nothing', async () => {
  const redis = await startMortalRedis();
  redis.freeze();
  try {
    await configure(`{ url: "${redis.url}" }`, join(dir, 'missing.json'));
    const { code } = await run('status');
    expect(code).toBe(3);
  } finally {
    redis.thaw();
    await redis.stop();
  }
});

atLength.test('and that a private one stands still', async () => {
  await configure(`{ data_dir: ${join(dir, 'data')} }`, join(dir, 'missing.json'));
  const redis = await startPrivateRedis(join(dir, 'data'));
  process.kill(redis.pid, 'SIGSTOP');
  try {
    const { code, stderr } = await run('status');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('redis-silent') });
  } finally {
    process.kill(redis.pid, 'SIGCONT');
    await redis.stop();
  }
});

test('start says that nobody listens where Redis should be', async () => {
  await configure('{ url: "redis://127.0.0.1:1" }', join(dir, 'missing.json'));
  const { code, stderr } = await runCommand(['start', '--config', 'slotbridge.yaml'], { cwd: dir });
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('redis://127.0.0.1:1') });
});

test('SIGTERM ends a start that waits for a Redis that says nothing', async () => {
  const mute = createServer((socket) => socket.once('data', () => worker.kill('SIGTERM')));
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done));
  const { port } = mute.address() as AddressInfo;
  await configure(`{ url: "redis://127.0.0.1:${port}" }`, join(dir, 'missing.json'));
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const worker = spawn(process.execPath, [main, 'start', '--config', 'slotbridge.yaml'], {
    cwd: dir,
    stdio: 'pipe',
  });
  let said = '';
  worker.stdout.on('data', (text) => {
    said += String(text);
  });
  const code = await new Promise((done) => worker.once('exit', done));
  mute.close();
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('stopped before it had started') });
});

test('a command beside a worker whose private Redis is down says that it comes back', async () => {
  await configure(`{ data_dir: ${join(dir, 'data')} }`, join(dir, 'missing.json'));
  mkdirSync(join(dir, 'data', 'redis'), { recursive: true });
  // This very process is the worker, as far as the folder tells.
  const startedAt = String(readFileSync('/proc/self/stat')).split(') ')[1]?.split(' ')[19];
  writeFileSync(join(dir, 'data', 'redis', 'owner.pid'), `${process.pid} ${startedAt}`);
  const { code, stderr } = await runCommand(['status', '--config', 'slotbridge.yaml'], { cwd: dir });
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('redis-restarting') });
});
