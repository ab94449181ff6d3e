import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { read, trackedFiles } from './tree.ts';

const tests = trackedFiles().filter((path) => path.endsWith('.test.ts'));
const PLAYED = /from '(\.\/[\w.-]+\.ts)'/g;

/** Files beside a test whose functions define its tests. */
function playedBy(path: string): string[] {
  return [...read(path).matchAll(PLAYED)].map(([, file = '']) => join(dirname(path), basename(file)));
}

it('what a long or soak test plays at length, a short test plays in part', () => {
  const isShort = (path: string) => !/\.(?:long|soak)\.test\.ts$/.test(path);
  const short = new Set(tests.filter(isShort).flatMap(playedBy));
  // A file of a few lines has no tests of its own: it only says how much is played.
  const playing = tests.filter((path) => !isShort(path) && read(path).split('\n').length <= 12);
  expect(playing.length).toBeGreaterThan(10);
  expect(playing.filter((path) => !playedBy(path).some((file) => short.has(file)))).toEqual([]);
});
