import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

test.each([
  { version: '18.20.4', status: 1, stderr: /this is Node 18\.20\.4; it needs 20\.19 or newer/ },
  { version: '20.18.3', status: 1, stderr: /it needs 20\.19 or newer/ },
  { version: '20.19.0', status: 0, stderr: /^$/ },
  { version: '26.1.0', status: 0, stderr: /^$/ },
])('Node $version is told what is needed, or runs', ({ version, status, stderr }) => {
  const dir = mkdtempSync(join(tmpdir(), 'sb-node-'));
  const pretend = join(dir, 'pretend.cjs');
  writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
  const outcome = spawnSync(process.execPath, ['--require', pretend, main, '--version'], {
    encoding: 'utf8',
  });
  rmSync(dir, { recursive: true });
  expect(outcome).toMatchObject({ status, stderr: expect.stringMatching(stderr) });
});
