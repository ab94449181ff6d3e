// The reader of a pipe may go before the first line, as in `slotbridge check | head -1`. No command may die of it with a stack.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../stand/command.ts';
import { rowsOf } from '../stand/runs.ts';
import { MAIN } from '../stand/worker-process.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let config: string;
let dir: string;
let contact: string;

beforeAll(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  config = world.writeConfig(port);
  dir = join(config, '..');
  contact = String(world.platform.truth.contacts()[0]?.['id'] ?? 'nobody');
});
afterAll(() => world.close());

/** One way to run each command that prints something. `CONFIG` and `CONTACT` stand for those of the world. */
const COMMANDS: readonly string[] = [
  'start --config no-such-file.yaml',
  'check --config CONFIG',
  'check --json --config CONFIG',
  'reload --config CONFIG',
  'status --config CONFIG',
  'status --wait 0s --config CONFIG',
  'deadletters list --config CONFIG',
  'explain contact CONTACT --config CONFIG',
  'replay --dry-run --object contact/CONTACT --config CONFIG',
  'plan --config CONFIG',
  'apply no-such-plan.json --config CONFIG',
  'render contacts --sample --config CONFIG',
  'cursor show --config CONFIG',
  'audit --config CONFIG',
  'resync contacts --config CONFIG',
  'approve erasures --config CONFIG',
  'decline edits contacts --config CONFIG',
  'blocks show --config CONFIG',
  'whereis contact CONTACT --config CONFIG',
  'console revoke somebody --config CONFIG',
  'acts --config CONFIG',
  'forget contact CONTACT --config CONFIG',
  'webhook status --config CONFIG',
  'google invite anna@clinic.example --config CONFIG',
  'init --sandbox',
  'feeds list --config CONFIG',
  'completion bash',
  'sandbox --show',
  'test no-such-scenario.yaml',
  'demo --no-such-option',
  '--version',
  '--help',
  '',
];

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

/** Runs the command with one end of its pipes closed at once; what it says on the other one is read. */
function runClosed(command: string, closed: 'stdout' | 'stderr'): Promise<End> {
  const args = command.replaceAll('CONFIG', config).replaceAll('CONTACT', contact).split(' ').filter(Boolean);
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  child[closed].destroy();
  const open = closed === 'stdout' ? child.stderr : child.stdout;
  let said = '';
  open.on('data', (text) => {
    said += String(text);
  });
  return new Promise((done) => child.once('close', (code, signal) => done({ code, signal, said })));
}

test.each(rowsOf(COMMANDS, 9))('`%s` ends quietly when nobody reads what it prints', async (command) => {
  for (const closed of ['stdout', 'stderr'] as const) {
    const { signal, said } = await runClosed(command, closed);
    expect(signal).toBeNull();
    expect(said).not.toMatch(/EPIPE|Unhandled|node:events|\n\s+at /);
  }
});

test('a command that was cut off has not failed', async () => {
  expect(await runClosed('check --config CONFIG', 'stdout')).toEqual({ code: 0, signal: null, said: '' });
});

test('a command that changes something ends its work although nobody reads its warnings', async () => {
  const { projectId } = world.company;
  const id = world.platform.dashboard.createContact({ projectId, name: 'Emma' });
  expect(await runClosed(`replay --object contact/${id} --config CONFIG`, 'stderr')).toEqual({
    ...{ code: 0, signal: null },
    said: '1 object got a turn (1 contact).\n',
  });
});

test('a question that nobody can see is not waited for', async () => {
  const { projectId } = world.company;
  const id = world.platform.dashboard.createContact({ projectId, name: 'Olga' });
  const child = spawn(process.execPath, [MAIN, 'forget', 'contact', id, '--config', config], {
    cwd: dir,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  child.stdout.destroy();
  const code = new Promise((done) => child.once('close', done));
  expect([await text(child.stderr), await code]).toEqual([expect.stringContaining('interrupted'), 1]);
});

test('every command is tried', async () => {
  const { stdout } = await runCommand(['--help'], { cwd: dir });
  const named = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  const tried = new Set(COMMANDS.map((command) => command.split(' ')[0]));
  expect(named.filter((name) => name !== 'help' && !tried.has(name))).toEqual([]);
});

test('status --watch, which shows it until a signal, ends when its reader has gone', async () => {
  const end = await runClosed('status --watch --config CONFIG', 'stdout');
  expect(end).toEqual({ code: 0, signal: null, said: '' });
});

test.each([`explain contact CONTACT --follow`, 'render contacts --sample --watch'])(
  '`%s`, which prints only what is new, ends when nobody read its first lines',
  async (command) => {
    const end = await runClosed(`${command} --config CONFIG`, 'stdout');
    expect(end).toEqual({ code: 0, signal: null, said: '' });
  },
);

test('the sandbox, which runs until a signal, ends when its reader has gone', async () => {
  expect(await runClosed(`sandbox --data ${join(dir, 'box')}`, 'stdout')).toMatchObject({ signal: null });
});
