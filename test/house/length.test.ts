import { expect, test } from 'vitest';
import { read, SHIPPED, trackedFiles } from './tree.ts';

const LINES_MAX = 700;

test(`no file has more than ${LINES_MAX} lines: it would be more than one thing that a reader asks about`, () => {
  const files = trackedFiles().filter((path) => SHIPPED.test(path) && path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(500);
  const long = files.filter((path) => read(path).split('\n').length - 1 > LINES_MAX);
  expect(long).toEqual([]);
});
