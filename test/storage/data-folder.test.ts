import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/storage/redis/data-folder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-data-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('a folder that everybody could read is closed', () => {
  const folder = join(dir, 'redis');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  makePrivateFolder(folder);
  expect(modeOf(folder)).toBe('700');
});

test('every folder that is made on the way is closed as well', () => {
  makePrivateFolder(join(dir, 'data', 'redis'));
  expect([modeOf(join(dir, 'data')), modeOf(join(dir, 'data', 'redis'))]).toEqual(['700', '700']);
});

test('a file in the way is told with advice', () => {
  writeFileSync(join(dir, 'data'), '');
  for (const path of [join(dir, 'data'), join(dir, 'data', 'redis')]) {
    expect(() => makePrivateFolder(path)).toThrow(
      expect.objectContaining({ code: 'data-folder-unusable', target: 'redis', advice: expect.any(String) }),
    );
  }
});

test('a folder below /proc is refused instead of being tried for ever', () => {
  expect(() => makePrivateFolder('/proc/x/redis')).toThrow(
    expect.objectContaining({ code: 'data-folder-unusable' }),
  );
});
