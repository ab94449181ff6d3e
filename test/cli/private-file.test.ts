import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePrivateFile } from '../../src/cli/private-file.ts';
import { addTest } from '../../src/cli/test.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a file that everybody could read is private afterwards', () => {
  const path = join(folder, 'receipt.json');
  writeFileSync(path, 'old');
  chmodSync(path, 0o666);
  writePrivateFile(path, 'new');
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', 0o600]);
  expect(readdirSync(folder)).toEqual(['receipt.json']);
});

test.each(['present', 'missing'])(
  'a link to a file that is %s is replaced, and its target untouched',
  (target) => {
    const [path, elsewhere] = [join(folder, 'plan.json'), join(folder, 'elsewhere')];
    if (target === 'present') writeFileSync(elsewhere, 'untouched');
    symlinkSync(elsewhere, path);
    writePrivateFile(path, 'plan');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['plan', 0o600]);
    expect(readdirSync(folder)).toEqual(target === 'present' ? ['elsewhere', 'plan.json'] : ['plan.json']);
    if (target === 'present') expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
  },
);

test('a device stays a device', () => {
  writePrivateFile('/dev/null', 'gone');
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('a folder that is missing is an error, and nothing is left', () => {
  expect(() => writePrivateFile(join(folder, 'none', 'plan.json'), 'plan')).toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual([]);
});

test('a report of `test --junit` takes the place of one that everybody could read, and is private', async () => {
  const path = join(folder, 'report.xml');
  writeFileSync(path, 'old');
  chmodSync(path, 0o666);
  const program = new Command();
  addTest(program, {
    io: { env: {}, stdout: process.stdout, stderr: process.stderr },
    runTest: async ({ keepReport }) => {
      keepReport?.('<testsuites/>');
      return true;
    },
    onEnd: () => undefined,
  });
  await program.parseAsync(['test', '--junit', path], { from: 'user' });
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['<testsuites/>', 0o600]);
});
