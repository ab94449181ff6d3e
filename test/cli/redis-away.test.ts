import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRunning, startPrivateRedis } from '../../src/storage/private-redis.ts';
import { runCommand } from '../stand/command.ts';
import { startMortalRedis } from '../stand/mortal-redis.ts';
import { freePort } from '../stand/port.ts';

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
http: { port: ${await freePort()} }
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: book, tab: Contacts }
    columns: { ID: "{{ id }}" }
`;
  writeFileSync(join(dir, 'slotbridge.yaml'), yaml);
}

async function run(...args: string[]) {
  const beganAt = performance.now();
  const outcome = await runCommand([...args, '--config', 'slotbridge.yaml'], { cwd: dir });
  return { ...outcome, tookMs: performance.now() - beganAt };
}

const COMMANDS = [['status'], ['deadletters', 'list'], ['cursor']];
/** Beyond what the program takes to begin and to end, which is measured beside it: other tests run on the same cores. */
const SOON_MS = 7_000;
const withinMs = async () => SOON_MS + 3 * (await run('--version')).tookMs;

test('a command that fails leaves no private Redis behind', async () => {
  await configure('{ data_dir: data }', join(dir, 'missing.json'));
  const { code, stderr } = await run('deadletters', 'list');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('google-credentials-missing'),
  });
  expect(await findRunning(join(dir, 'data'))).toBeUndefined();
}, 30_000);

test.each(COMMANDS.map((command) => [command] as const))(
  '%s says within seconds that nobody listens where Redis should be',
  async (command) => {
    await configure(`{ url: "redis://127.0.0.1:${await freePort()}" }`, join(dir, 'missing.json'));
    const { code, stderr, tookMs } = await run(...command);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('Redis') });
    expect(tookMs).toBeLessThan(await withinMs());
  },
  60_000,
);

test('and that a Redis that accepts connections says nothing', async () => {
  const redis = await startMortalRedis();
  redis.freeze();
  try {
    await configure(`{ url: "${redis.url}" }`, join(dir, 'missing.json'));
    const { code, tookMs } = await run('status');
    expect(code).toBe(3);
    expect(tookMs).toBeLessThan(await withinMs());
  } finally {
    redis.thaw();
    await redis.stop();
  }
}, 60_000);

test('and that a private one stands still', async () => {
  await configure('{ data_dir: data }', join(dir, 'missing.json'));
  const redis = await startPrivateRedis(join(dir, 'data'));
  process.kill(redis.pid, 'SIGSTOP');
  try {
    const { code, stderr, tookMs } = await run('status');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('redis-silent') });
    expect(tookMs).toBeLessThan(await withinMs());
  } finally {
    process.kill(redis.pid, 'SIGCONT');
    await redis.stop();
  }
}, 60_000);
