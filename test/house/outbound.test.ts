import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

/** Node's own `fetch` knows no proxy before version 24. */
const ASKS = /(?<![\w.])fetch\(/;

test('the worker asks other machines through `src/engine/proxy.ts` only, which knows the proxy', () => {
  expect(ASKS.test('await fetch(url)')).toBe(true);
  const files = trackedFiles().filter((path) => /^src\/.*\.ts$/.test(path) && ASKS.test(read(path)));
  expect(files).toEqual(['src/engine/proxy.ts']);
});
