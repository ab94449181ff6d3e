import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePrivateFolder, takeOwnership } from '../../../src/engine/folder-lock.ts';
import { startPrivateRedis } from '../../../src/engine/private-redis.ts';

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

/** As a user who may not do everything: root may. */
function asNobody(work: () => unknown): unknown {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test('a folder that belongs to another user is told with its path, and whom to give it to', () => {
  chmodSync(dir, 0o500);
  const folder = join(dir, 'data', 'redis');
  expect(() => asNobody(() => makePrivateFolder(folder))).toThrow(
    expect.objectContaining({
      ...{ code: 'data-folder-unusable', target: 'redis' },
      message: `the data folder ${folder} cannot be used (EACCES)`,
      advice: expect.stringContaining('Give the folder to the user that runs the worker'),
    }),
  );
});

/** A disk without room for another file. */
function mountFullDisk(): (() => void) | undefined {
  const quietly = { stdio: 'ignore' } as const;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=1', 'tmpfs', dir], quietly);
    return () => void execFileSync('umount', ['-l', dir], quietly);
  } catch {
    return undefined;
  }
}

test.each([
  ['folder', () => makePrivateFolder(join(dir, 'redis'))],
  ['file that names its owner', () => takeOwnership(join(dir, 'owner.pid'))],
])('a full disk without room for its %s is told with what to do', (_, work) => {
  const unmount = mountFullDisk();
  // Only root may mount one, and not in every container.
  if (unmount === undefined) return;
  try {
    expect(work).toThrow(
      expect.objectContaining({
        code: 'data-folder-unusable',
        message: expect.stringMatching(new RegExp(`^the data folder ${dir}.* cannot be used \\(ENOSPC\\)$`)),
        advice: expect.stringContaining('Free space on its disk'),
      }),
    );
  } finally {
    unmount();
  }
});

test('a Redis that cannot use its file is told with where to read on, and leaves the folder to the next start', async () => {
  mkdirSync(join(dir, 'redis'));
  writeFileSync(join(dir, 'redis', 'appendonlydir'), 'a file where it wants a folder');
  await expect(startPrivateRedis(dir)).rejects.toMatchObject({
    ...{ code: 'redis-did-not-start', target: 'redis' },
    message: expect.stringContaining(join(dir, 'redis')),
    advice: expect.stringMatching(/redis\.log.*disk has space.*belongs to this user/),
  });
  rmSync(join(dir, 'redis', 'appendonlydir'));
  const redis = await startPrivateRedis(dir);
  await redis.stop();
});
