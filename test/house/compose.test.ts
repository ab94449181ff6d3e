import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

const LINES_MAX = 120;

test('no file of src/compose has more lines than wiring needs', () => {
  const files = trackedFiles().filter((path) => path.startsWith('src/compose/'));
  expect(files.length).toBeGreaterThan(30);
  const long = files.flatMap((path) => {
    const lines = read(path).split('\n').length - 1;
    return lines > LINES_MAX ? [`${path}: ${lines} lines`] : [];
  });
  expect(long).toEqual([]);
});
