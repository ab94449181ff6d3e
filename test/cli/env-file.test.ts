import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openReloadSignals } from '../../src/cli/start.ts';
import { runHere } from '../stand/command.ts';

const EXAMPLE = new URL('../../config/slotbridge.example.yaml', import.meta.url);
let dir: string;
let config: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-env-'));
  config = join(dir, 'slotbridge.yaml');
  writeFileSync(config, readFileSync(EXAMPLE, 'utf8').replace(/base_url: .*/, `base_url: \${FROM_FILE}`));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (text: string, mode = 0o600) => {
  writeFileSync(join(dir, '.env'), text);
  chmodSync(join(dir, '.env'), mode);
};
const check = (env: Record<string, string> = {}) => runHere(['check', '--config', config], { env });

test('a `.env` beside the YAML fills its variables; the environment overrules it', async () => {
  expect(await check()).toMatchObject({ code: 78, stderr: expect.stringContaining('FROM_FILE') });
  write('# comment\nexport FROM_FILE="https://file.example/v1"\n');
  expect(await check()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('https://file.example/v1,'),
  });
  const overruled = await check({ FROM_FILE: 'https://process.example/v1' });
  expect(overruled.stdout).toContain('https://process.example/v1,');
});

test('commands that work with a broken YAML read it too', async () => {
  // A folder that cannot be made: a file has its name.
  write(`FROM_FILE=https://file.example/v1\nDATA=${config}\n`);
  const text = readFileSync(config, 'utf8').replace(/data_dir: \S+/, `data_dir: \${DATA}`);
  writeFileSync(config, `${text}\nsurprise: true\n`);
  const { stderr } = await runHere(['status', '--config', config]);

  expect(stderr).toContain('one problem');
  expect(stderr).toContain(`${config}/redis`);
});

test('one that other users can read is told by check, one that this user cannot read stops every command', async () => {
  write('FROM_FILE=https://file.example/v1\n', 0o644);
  expect((await check()).stdout).toContain(`may read ${join(dir, '.env')}: run chmod 600`);
  rmSync(join(dir, '.env'));
  // A folder cannot be read as a file, not even by root.
  mkdirSync(join(dir, '.env'));
  expect(await check()).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('.env cannot be read (EISDIR)'),
  });
});

test('a proxy in it has no effect, and check says so', async () => {
  write('FROM_FILE=https://file.example/v1\nhttps_proxy=http://user:word@proxy.example\n');
  const { stdout } = await check();
  expect(stdout).toContain(`https_proxy in ${join(dir, '.env')} has no effect`);
  expect(stdout).not.toContain('word');
});

test('a save of it asks for a reload, as a save of the YAML does', async () => {
  const signals = openReloadSignals(config, true);
  const asked = signals.next();
  write('FROM_FILE=https://file.example/v1\n');
  expect(await asked).toBe('reload');
  signals.close();
});
