import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertSecretFileIsWritable, keepSecret } from '../../src/sources/webhook/secret-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-secret-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([
  ['is tried', assertSecretFileIsWritable],
  ['is written', (file: string) => keepSecret(file, 'whsec_1')],
])('a secret file that %s is its owner’s alone, and so is a folder that is made for it', (_, work) => {
  const file = join(dir, 'secrets', 'webhook');
  work(file);
  expect([modeOf(file), modeOf(dirname(file))]).toEqual(['600', '700']);
});
