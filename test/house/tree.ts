import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const house = fileURLToPath(new URL('../..', import.meta.url));

/** What is shipped: the worker, and what its commands take from packages/. No test, bench or chaos. */
export const SHIPPED = /^(?:src|packages\/sandbox\/src|packages\/rehearsal\/(?:demo|scenarios))\//;

export function read(path: string): string {
  return readFileSync(join(house, path), 'utf8');
}

/** Every file that git has or would take, by path from the project's folder. */
export function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: house,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  // A file that was deleted and not yet committed is still listed.
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(house, path)));
}
