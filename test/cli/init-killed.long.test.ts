// `slotbridge init` ends by a signal at each of its writes, before and after the other side has performed it. Nothing is half done: the next
// run comes to the same end as one that nobody stopped.
import { spawn } from 'node:child_process';
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from '@slotbridge/sandbox/faults';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { initHere } from '../stand/init.ts';
import { rowsOf } from '../stand/runs.ts';
import { MAIN } from '../stand/worker-process.ts';
import { ANNA, BORIS, startWorld, type World } from '../stand/world.ts';

let world: World;
let dir: string;

beforeEach(async () => {
  world = await startWorld();
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-killed-'));
  const account = String(world.google.serviceAccountKey()['client_email']);
  world.google.addSpreadsheet(BOOK, { tabs: [{ title: 'Other' }], shareWith: [account] });
});
afterEach(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

const BOOK = 'killed-book';

async function flags(): Promise<string[]> {
  const port = await world.door();
  return [
    ...['--yes', '--platform-url', world.platform.url, '--credentials', join(world.dir, 'google-key.json')],
    ...['--calendar', `Anna Petrova=${ANNA}`, '--spreadsheet', BOOK, '--create-tabs'],
    ...['--public-url', `http://127.0.0.1:${port}`],
  ];
}

function outcome() {
  const tabs = ['Contacts', 'Appointments'].map((tab) => world.google.truth.values(BOOK, tab).length);
  const files = readdirSync(dir, { recursive: true }).map(String);
  return {
    ...{ rowsInTabs: tabs, endpoints: world.platform.truth.endpoints().length },
    files: files.filter((path) => !path.startsWith('data/redis')).sort(),
  };
}

function strike(
  sandbox: World['google'] | World['platform'],
  path: RegExp,
  about: { skip: number; fault: Fault },
) {
  let kill = () => {};
  sandbox.faults.add({ method: 'POST', path, times: 1, ...about, onStrike: () => kill() });
  return (child: { kill(signal: 'SIGINT'): unknown }) => {
    kill = () => child.kill('SIGINT');
  };
}

async function dieAt(arm: ReturnType<typeof strike>, args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, 'init', '--google-url', world.google.url, ...args], {
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '', PLATFORM_API_KEY: world.apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  arm(child);
  child.stdout.resume();
  child.stderr.resume();
  return new Promise<NodeJS.Signals | null>((done) => child.once('close', (_, signal) => done(signal)));
}

const HANG: Fault = { kind: 'hang', ms: 600_000 };
const LOST: Fault = { kind: 'commit-then-reset' };

test.each(
  rowsOf(
    [
      ['before tabs are made', 'google', { path: /batchUpdate/, skip: 1, fault: HANG }],
      ['after tabs were made', 'google', { path: /batchUpdate/, skip: 1, fault: LOST }],
      ['before the endpoint is made', 'platform', { path: /webhook/, skip: 0, fault: HANG }],
      ['after the endpoint was made', 'platform', { path: /webhook/, skip: 0, fault: LOST }],
      ['while it checks', 'google', { path: /batchUpdate/, skip: 2, fault: HANG }],
    ] as const,
    3,
  ),
)('%s', { timeout: 120_000 }, async (_, side, { path, skip, fault }) => {
  const args = await flags();
  expect(await dieAt(strike(world[side], path, { skip, fault }), args)).toBe('SIGINT');
  world[side].faults.clear();
  const again = await initHere({ world, dir, args });
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(again.stdout).toContain('Everything can work.');
  expect(outcome()).toEqual({
    ...{ rowsInTabs: [1, 1], endpoints: 1 },
    files: ['config', 'config/slotbridge.yaml', 'data', 'data/webhook-secret'],
  });
});

test('a second name that a killed run has left of the YAML is no way into it', async () => {
  const args = (await flags()).slice(0, 7);
  await initHere({ world, dir, args });
  const file = join(dir, 'config/slotbridge.yaml');
  linkSync(file, `${file}.new`);
  const before = readFileSync(file, 'utf8');
  const { stdout, stderr } = await initHere({
    world,
    dir,
    args: [...args, '--calendar', `Boris Ivanov=${BORIS}`],
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('Added to config/slotbridge.yaml');
  expect(readFileSync(file, 'utf8')).toContain(BORIS);
  expect(readFileSync(file, 'utf8').length).toBeGreaterThan(before.length);
  expect(readdirSync(join(dir, 'config'))).toEqual(['slotbridge.yaml']);
});
