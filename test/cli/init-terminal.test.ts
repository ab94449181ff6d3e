import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { MAIN } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let dir: string;
let child: ChildProcess;
let screen: string;
let exit: Promise<number | null>;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-terminal-'));
  screen = '';
  const command = `'${process.execPath}' '${MAIN}' init --google-url ${world.google.url}`;
  // A pseudo-terminal of its own, whose recording is thrown away.
  child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb' },
  });
  child.stdout?.on('data', (text) => {
    screen += String(text);
  });
  exit = new Promise((done) => child.once('close', done));
});
afterEach(async () => {
  child.kill('SIGTERM');
  await exit;
  rmSync(dir, { recursive: true, force: true });
});

const type = (keys: string) => child.stdin?.write(keys);
const until = (text: string) =>
  vi.waitFor(() => expect(screen).toContain(text), { timeout: PATIENCE_MS, interval: 50 });

describe.skipIf(!hasScript())('on a terminal', () => {
  test('the key is not shown while it is typed, what follows is, and Ctrl-C leaves nothing behind', async () => {
    await until('Do you have an account');
    type('\r');
    await until("Address of the platform's API:");
    type(`${world.platform.url}\r`);
    await until('API key (not shown');
    const before = screen.length;
    // Key by key, and one of them taken back: readline draws the line anew for that.
    for (const key of world.apiKey) type(key);
    type('x\x7f');
    type('\r');
    await until('The key sees');
    expect(screen).not.toContain(world.apiKey);
    expect(screen).not.toContain(world.apiKey.slice(0, 6));
    expect(screen.slice(before, screen.indexOf('The key sees')).trim()).toBe('');
    expect(screen).toContain(world.platform.url);
    await until('Key file of the Google service account');
    type('half-a-path');
    await until('half-a-path');
    type('\x03');
    expect(await exit).toBe(1);
    expect(screen).toContain('interrupted');
    expect(readdirSync(dir)).toEqual([]);
  });

  test('Ctrl-C while it waits for a platform that nobody runs ends it at once', async () => {
    await until('Do you have an account');
    type('\r');
    await until("Address of the platform's API:");
    type(`http://127.0.0.1:${await ownPort()}/v1\r`);
    await until('API key (not shown');
    type('key\r');
    await until('Waiting for the platform at http://127.0.0.1');
    type('\x03');
    expect(await exit).toBe(1);
    expect(screen).toContain('interrupted');
    expect(screen).not.toContain('once more');
    expect(readdirSync(dir)).toEqual([]);
  });
});

/** That of util-linux: others take other options. */
function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}
