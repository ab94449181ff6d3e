import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

/** A loop, a timer, a file, something remembered: what belongs into a room of its own. */
const LOGIC = /\bwhile \(|\bset(?:Timeout|Interval)\b|'node:fs'|^\s*let |= new (?:Map|Set)\(\);|\brepeat\(/m;

test('no file of src/worker holds a loop, a timer, a file or remembered state', () => {
  expect(LOGIC.test('  let known = 0;\n')).toBe(true);
  const files = trackedFiles().filter((path) => path.startsWith('src/worker/'));
  expect(files.filter((path) => LOGIC.test(read(path)))).toEqual([]);
});
