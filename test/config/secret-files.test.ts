import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSecretFiles } from '../../src/config/secret-files.ts';
import { file, load } from './fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [0o600, false],
  [0o400, false],
  [0o640, true],
  [0o604, true],
  [0o620, true],
])('a key file of mode %o is open to others: %s', (mode, isOpen) => {
  const path = join(folder, 'key.json');
  writeFileSync(path, '{}');
  chmodSync(path, mode);
  const config = load(file({ more: `google: { credentials: "${path}" }\n` }));
  expect(openSecretFiles(config)).toEqual(isOpen ? [path] : []);
});

test('a file that is not there is told by whoever needs it', () => {
  const config = load(file({ more: `google: { credentials: "${join(folder, 'none.json')}" }\n` }));
  expect(openSecretFiles(config)).toEqual([]);
});
