import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

test('work is raced against a deadline by `within` alone', () => {
  const files = trackedFiles().filter((path) => path.startsWith('src/'));
  expect(files.filter((path) => read(path).includes('Promise.race('))).toEqual([
    // A signal, a failure or a reload, whichever comes first; none is a deadline.
    'src/cli/start.ts',
    'src/engine/supervisor.ts',
  ]);
});
