import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOpenSecret, openSecretFiles } from '../../src/mapping/changes.ts';
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

const KEY = 'a-key-of-the-platform';
const keyed = (key: string) => `platform:\n  base_url: https://api.example.com/v1\n  api_key: ${key}\n`;

function yamlWith(parts: Parameters<typeof file>[0], mode: number) {
  const [path, text] = [join(folder, 'slotbridge.yaml'), file(parts)];
  writeFileSync(path, text);
  chmodSync(path, mode);
  return { path, text };
}

test.each([
  { what: 'a key', key: KEY, mode: 0o644, isOpen: true },
  { what: 'a key that only its owner reads', key: KEY, mode: 0o600, isOpen: false },
  { what: 'a variable', key: '$'.concat('{KEY}'), mode: 0o644, isOpen: false },
  {
    what: "a variable with the sandbox's key",
    key: '$'.concat('{NONE:-sandbox-key}'),
    mode: 0o644,
    isOpen: false,
  },
])('a YAML with $what holds an open secret: $isOpen', ({ key, mode, isOpen }) => {
  const yaml = yamlWith({ platform: keyed(key) }, mode);
  expect(isOpenSecret(yaml, load(yaml.text, { KEY }))).toBe(isOpen);
});

test.each([
  ['redis: { url: "redis+sentinel://user:pass-word@one:26379,two:26379/main" }', true],
  ['redis: { url: "redis://127.0.0.1:6379/0" }', false],
  ['alerts: { webhook: "https://hooks.example.com/T0/B0" }', true],
])('a YAML with %s holds an open secret: %s', (more, isOpen) => {
  const yaml = yamlWith({ platform: keyed('$'.concat('{KEY}')), more: `${more}\n` }, 0o644);
  expect(isOpenSecret(yaml, load(yaml.text, { KEY }))).toBe(isOpen);
});
